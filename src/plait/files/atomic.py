"""Files that appear whole or not at all: written beside their place under another name, then moved there."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Literal, overload

from plait.files.disk import move, sync
from plait.files.leftovers import claim, prefix_of, sweep_once

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
# what the system says when there is no room for what is written; it names no file, so we do
_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


@overload
def open_atomic(path: str | os.PathLike[str], mode: Literal["w"] = "w") -> AbstractContextManager[IO[str]]: ...
@overload
def open_atomic(path: str | os.PathLike[str], mode: Literal["wb"]) -> AbstractContextManager[IO[bytes]]: ...
def open_atomic(path: str | os.PathLike[str], mode: Literal["w", "wb"] = "w") -> AbstractContextManager[IO[Any]]:
    """A context that gives a file to write, UTF-8 text or binary, and puts it in place when it ends well.

    When the block raises, the file that stood at ``path`` is untouched and nothing is left behind. Once the file has
    its name, its content is on the disk, even after a power cut. Devices and pipes are written directly.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder) / "a.txt"
    ...     with open_atomic(target) as file:
    ...         _ = file.write("whole\\n")
    ...     target.read_text()
    'whole\\n'
    """
    return _open_atomic(path, mode)


@contextmanager
def _open_atomic(path: str | os.PathLike[str], mode: str) -> Iterator[IO[Any]]:
    text: dict[str, Any] = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    status = Path(path).stat() if Path(path).exists() else None
    if status is not None and not stat.S_ISREG(status.st_mode):
        with _named(path), Path(path).open(mode, **text) as file:
            yield file
        return
    target = Path(os.path.realpath(path))  # a link to a file stays a link
    if status is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    sweep_once(target.parent)
    permissions = 0o666 & ~_umask() if status is None else stat.S_IMODE(status.st_mode)
    # named before it is made: a signal at any moment finds a name to remove
    temporary = target.with_name(f"{prefix_of(target.name)}{os.urandom(8).hex()}.tmp")
    try:
        with _named(path, always=True):
            descriptor = _create(temporary)
        with _named(path), os.fdopen(descriptor, mode, **text) as file:
            yield file
            file.flush()
            with _named(path, always=True):
                sync(file.fileno())
                temporary.chmod(permissions)
                if os.name != "nt":  # while it is open, and so still claimed; Windows moves closed files alone
                    move(temporary, target)
        if os.name == "nt":
            with _named(path, always=True):
                move(temporary, target)
    except BaseException:
        with suppress(OSError):  # what went wrong before is the news
            temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _create(temporary: Path) -> int:
    """A new file, opened, that no other process takes for a leftover."""
    while True:
        descriptor = os.open(temporary, _NEW, 0o600)
        if claim(descriptor):
            return descriptor
        os.close(descriptor)  # swept by another process between the two calls


def _sync_folder(folder: Path) -> None:
    """Bring the new name to the disk, where folders can be opened for that."""
    if os.name == "nt":
        return
    with suppress(OSError):  # some network file systems know no such thing; the file itself is safe
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _named(path: str | os.PathLike[str], *, always: bool = False) -> Iterator[None]:
    """Let an error that has no file's name, or that of the temporary file, name the path the caller knows."""
    try:
        yield
    except OSError as error:
        if always or (error.filename is None and error.errno in _FULL):
            raise type(error)(error.errno, error.strerror, os.fspath(path)) from None
        raise


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
