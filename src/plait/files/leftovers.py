"""Temporary files whose writer has died: how they are distinguished from files being written, and removed.

A writer holds a lock on its temporary file. The operating system releases it when the process ends, however it ends, so
that a file whose lock can be acquired is abandoned: process numbers would be reused, and age would be a guess. On
Windows an open file cannot be removed, which has nearly the same effect.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from pathlib import Path

from plait.files.locks import try_lock

_MARK = "plait-"
_TEMPORARY = re.compile(rf"\..*\.{_MARK}[^.]+\.tmp")

AGE = 60  # seconds; Windows moves a file into place after it was closed, and it must not be removed in between

_swept: set[Path] = set()  # folders looked through by this process; once is enough, and large folders take time


def prefix_of(name: str) -> str:
    """The prefix of the temporary file of a target: hidden, recognisable, and with the target's name.

    >>> prefix_of("en.plait")
    '.en.plait.plait-'
    """
    cut = name.encode("utf-8", "surrogateescape")[:100].decode("utf-8", "ignore")  # names have at most 255 bytes
    return f".{cut}.{_MARK}"


def claim(descriptor: int) -> bool:
    """Lock a temporary file that was just created; False if another process has already removed it."""
    try_lock(descriptor)  # where files cannot be locked, nothing is ever swept
    return os.name == "nt" or os.fstat(descriptor).st_nlink > 0


def sweep_once(folder: Path) -> None:
    """Remove the leftovers in a folder when this process first writes there."""
    if folder not in _swept:
        _swept.add(folder)
        sweep(folder)


def sweep(folder: Path, age: float = AGE) -> bool:
    """Remove the abandoned temporary files in a folder; returns whether no temporary files are left."""
    gone = True
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _TEMPORARY.fullmatch(entry.name):
                gone = remove_leftover(Path(entry.path), age) and gone
    return gone


def remove_leftover(path: Path, age: float = AGE) -> bool:
    """Remove a temporary file unless its writer is alive; whether it is gone. On Windows it must have this age."""
    try:
        if os.name != "nt":
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
            try:
                if try_lock(descriptor):
                    path.unlink()
                    return True
                return False
            finally:
                os.close(descriptor)
        if time.time() - path.stat().st_mtime < age:
            return False
        path.unlink()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
