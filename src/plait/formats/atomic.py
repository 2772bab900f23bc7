"""Files that appear whole or not at all: written beside their place under another name, then moved there."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Any, Literal, overload


@overload
def open_atomic(path: str | os.PathLike[str], mode: Literal["w"] = "w") -> AbstractContextManager[IO[str]]: ...
@overload
def open_atomic(path: str | os.PathLike[str], mode: Literal["wb"]) -> AbstractContextManager[IO[bytes]]: ...
def open_atomic(path: str | os.PathLike[str], mode: Literal["w", "wb"] = "w") -> AbstractContextManager[IO[Any]]:
    """A context that gives a file to write, UTF-8 text or binary, and puts it in place when it ends well.

    When the block raises, the file that stood at ``path`` is untouched and nothing is left behind. Devices and
    pipes are written directly.

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
    special = status is not None and not stat.S_ISREG(status.st_mode)
    target = Path(path) if special else Path(os.path.realpath(path))  # a link to a file stays a link
    if status is not None and not stat.S_ISREG(status.st_mode):
        with target.open(mode, **text) as file:
            yield file
        return
    if status is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".tmp", dir=target.parent)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, os.fspath(path)) from None
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, mode, **text) as file:
            yield file
        temporary.chmod(0o666 & ~_umask() if status is None else stat.S_IMODE(status.st_mode))
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
