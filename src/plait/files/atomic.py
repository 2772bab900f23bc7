"""Atomic writing: files are written under a temporary name in the same folder, then renamed."""

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
# errors of a full disk, which name no file
_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


@overload
def open_atomic(path: str | os.PathLike[str], mode: Literal["w"] = "w") -> AbstractContextManager[IO[str]]: ...
@overload
def open_atomic(path: str | os.PathLike[str], mode: Literal["wb"]) -> AbstractContextManager[IO[bytes]]: ...
def open_atomic(path: str | os.PathLike[str], mode: Literal["w", "wb"] = "w") -> AbstractContextManager[IO[Any]]:
    """A context manager that opens a file for writing, UTF-8 text or binary, and renames it to ``path`` on success.

    If the block raises, an existing file at ``path`` is unchanged and nothing is left behind. The content is synced to
    disk before the file gets its name, so that it survives a power cut. Devices and pipes are written directly.

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
    """Open a new file and lock it, so that no other process removes it as a leftover."""
    while True:
        descriptor = os.open(temporary, _NEW, 0o600)
        if claim(descriptor):
            return descriptor
        os.close(descriptor)  # swept by another process between the two calls


def _sync_folder(folder: Path) -> None:
    """Sync the new name to disk, on systems where folders can be opened."""
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
    """Make errors name the caller's path instead of the temporary file or nothing."""
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
