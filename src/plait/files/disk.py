"""Syncing and renaming files, which differ between operating systems."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

WINDOWS = os.name == "nt"
PATIENCE = 1.0  # seconds


def sync(descriptor: int) -> None:
    """Sync a file to disk. On macOS, ``fsync`` alone leaves it in the disk's own cache."""
    os.fsync(descriptor)
    through = getattr(fcntl, "F_FULLFSYNC", None)
    if through is not None:
        with suppress(OSError):  # network disks know no such thing
            fcntl.fcntl(descriptor, through)


def move(temporary: Path, target: Path) -> None:
    """Rename a file, and replace an existing one.

    Windows refuses that while another process has the old file open: a reader, an indexer, a virus scanner. Most of
    them are done soon, so that it is retried for a second.
    """
    end, pause = time.monotonic() + PATIENCE, 0.01
    while True:
        try:
            temporary.replace(target)
        except PermissionError:
            if not WINDOWS or time.monotonic() + pause > end:
                raise
        else:
            return
        time.sleep(pause)
        pause *= 2
