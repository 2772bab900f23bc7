"""Files on disk: atomic writing, locks, and cleaning up after writers that died."""

from plait.files.atomic import open_atomic

__all__ = ["open_atomic"]
