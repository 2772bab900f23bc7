"""Messages for errors of the operating system, with advice."""

from __future__ import annotations

import errno
import os
from pathlib import Path

_HINTS = {
    errno.ENOENT: ("no such file or folder", "check the spelling"),
    errno.EISDIR: ("is a folder", "give a file name"),
    errno.ENOTDIR: ("a part of the path is a file, not a folder", "check the path"),
    errno.EACCES: ("permission denied", "check its permissions, and whether another program has it open"),
    errno.EPERM: ("not permitted", "check its permissions, or choose another file"),
    errno.EROFS: ("read-only file system", "choose another location"),
    errno.ENOSPC: ("no space left on the device", "free some space, or choose another location"),
    errno.EMFILE: ("too many files are open", "raise the limit (ulimit -n)"),
    errno.ENAMETOOLONG: ("the name is too long", "choose a shorter one"),
    errno.EIO: ("the device failed", "check the disk"),
}


def describe_os_error(error: OSError) -> str:
    """One line: the file, what is wrong, and what to do.

    >>> describe_os_error(FileNotFoundError(errno.ENOENT, "No such file or directory", "a.conllu"))
    'a.conllu: no such file or folder; check the spelling'
    """
    name = error.filename
    if isinstance(name, int) or name is None:
        name = "standard output" if error.errno == errno.ENOSPC else "input or output"
    shown = os.fsdecode(name)
    folder = Path(shown).absolute().parent
    if error.errno == errno.ENOENT and error.filename is not None and not folder.is_dir():
        return f"{shown}: the folder {folder} does not exist; create it, or check the path"
    if error.errno in _HINTS:
        what, hint = _HINTS[error.errno]
        return f"{shown}: {what}; {hint}"
    return f"{shown}: {error.strerror or error}"
