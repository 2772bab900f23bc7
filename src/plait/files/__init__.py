"""Files on disk, whatever is in them: written whole or not at all, locked, and swept when their writer has died."""

from plait.files.atomic import open_atomic

__all__ = ["open_atomic"]
