"""Compressed files: recognised by their first bytes when read, chosen by their suffix when written.

The libraries are imported when they are needed: most files are not compressed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import IO, Any, Protocol

SUFFIXES = (".gz", ".xz", ".zst")

_SLICE = 1 << 12  # compressed bytes fed at once: bounds what a hostile file can unfold to in one step


class DamagedError(Exception):
    """A stream that cannot be read further."""


DECOMPRESSION_ERRORS = (EOFError, DamagedError)


class Readable(Protocol):
    """All that is asked of a binary input."""

    def read(self, size: int, /) -> bytes:
        """At most ``size`` bytes; none at the end."""


def decompressed(file: Readable) -> Readable:
    """The file itself, or its content unpacked when its first bytes say gzip, xz or zstd."""
    head = b""
    while len(head) < 6 and (more := file.read(6 - len(head))):
        head += more
    whole = _Rejoined(head, file)
    for magic, frames in _FRAMES.items():
        if head.startswith(magic):
            return _FrameReader(whole, *frames())
    return whole


def is_compressed(head: bytes) -> bool:
    """Whether a file that begins with these (at least six) bytes is packed.

    >>> is_compressed(b"\\x1f\\x8b\\x08\\x00\\x00\\x00"), is_compressed(b"plain text")
    (True, False)
    """
    return head.startswith(tuple(_FRAMES))


def compressor(file: IO[bytes], suffix: str) -> IO[bytes]:
    """A binary file that packs into ``file`` as its suffix asks; the same bytes on every run."""
    if suffix == ".gz":
        import gzip

        return gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0)  # type: ignore[return-value]
    if suffix == ".xz":
        import lzma

        return lzma.LZMAFile(file, "wb")
    return zstd_library().ZstdFile(file, "wb")  # type: ignore[no-any-return]


def zstd_library() -> Any:
    """The module of Python 3.14 for zstd, or its twin for older versions."""
    return import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


class _Rejoined:
    """A file whose first bytes have been looked at and put back."""

    def __init__(self, head: bytes, file: Readable) -> None:
        self._head = head
        self._file = file

    def read(self, size: int) -> bytes:
        if self._head:
            head, self._head = self._head[:size], self._head[size:]
            return head
        return self._file.read(size)


class _FrameReader:
    """Compressed frames, one after the other, to the last byte of the file.

    The readers of the libraries take a file that ends inside a frame, or goes on with something else after the last
    one, for a whole one; this one does not.
    """

    def __init__(self, file: Readable, new_frame: Callable[[], Any], error: type[Exception]) -> None:
        self._file = file
        self._new_frame = new_frame
        self._error = error
        self._frame: Any = None
        self._frames = 0  # that have come to their end
        self._unpacked = bytearray()
        self._packed = b""
        self._is_new = False  # whether the current frame has produced no data yet, and is not the first

    def read(self, size: int) -> bytes:
        try:
            while len(self._unpacked) < size and self._unpack():
                pass
        except self._error as error:
            raise DamagedError("something else follows the compressed data" if self._is_new else str(error)) from None
        data = bytes(self._unpacked[:size])
        del self._unpacked[:size]
        return data

    def _unpack(self) -> bool:
        """Unpack some bytes more; False at the end of the file."""
        self._packed = self._packed or self._file.read(_SLICE)
        if self._frames and self._frame is None and self._packed:
            self._packed = self._packed.lstrip(b"\0")  # padding
            if not self._packed:
                return True
        if not self._packed:
            if self._frame is not None:
                raise EOFError("it ends before the end-of-stream marker")
            return False
        if self._frame is None:
            self._frame = self._new_frame()
            self._is_new = self._frames > 0
        self._unpacked += self._frame.decompress(self._packed)
        self._is_new = False
        self._packed = self._frame.unused_data if self._frame.eof else b""
        if self._frame.eof:
            self._frame = None
            self._frames += 1
        return True


Frames = tuple[Callable[[], Any], type[Exception]]  # what unpacks a frame, and its error


def _gzip() -> Frames:
    import zlib

    return (lambda: zlib.decompressobj(wbits=31)), zlib.error


def _xz() -> Frames:
    import lzma

    return (lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ)), lzma.LZMAError


def _zstd() -> Frames:
    library = zstd_library()
    return library.ZstdDecompressor, library.ZstdError


# by the first bytes of a file
_FRAMES: dict[bytes, Callable[[], Frames]] = {
    b"\x1f\x8b": _gzip, b"\xfd7zXZ\x00": _xz, b"\x28\xb5\x2f\xfd": _zstd,
}  # fmt: skip
