"""File locks that the operating system releases when their process ends, so that none is ever stale."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from plait.errors import PlaitError

_TAKEN = {errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK}
_PLACE = 1 << 30  # the byte that Windows locks: far beyond the text, which others must be able to read


class LockedError(PlaitError):
    """Another process holds the lock; ``holder`` says which."""

    def __init__(self, holder: str) -> None:
        super().__init__(holder)
        self.holder = holder


def try_lock(descriptor: int) -> bool | None:
    """Lock an open file for this process alone, without waiting.

    False when another process has the lock, None where the file system has no locks.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(descriptor, _PLACE, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            os.lseek(descriptor, 0, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if error.errno in _TAKEN else None
    return True


@contextmanager
def hold(path: Path) -> Iterator[None]:
    """Hold the lock of this name, a small file that says who has it; LockedError when another process does.

    A file that a dead process left behind is taken over.
    """
    descriptor = _take(path)
    try:
        os.ftruncate(descriptor, 0)
        import socket  # slow to import, and most who write files hold no lock of this kind

        os.write(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode())
        yield
    finally:
        if os.name == "nt":  # an open file cannot be removed there
            os.close(descriptor)
        with suppress(OSError):
            path.unlink()
        if os.name != "nt":
            os.close(descriptor)


def _take(path: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        if try_lock(descriptor) is False:
            holder = os.read(descriptor, 200).decode("utf-8", "replace").strip()
            os.close(descriptor)
            raise LockedError(holder or "another process")
        with suppress(FileNotFoundError):
            if os.name == "nt" or os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        os.close(descriptor)  # its holder removed the file in the meantime: this is no longer the lock
