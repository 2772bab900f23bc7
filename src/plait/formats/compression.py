"""Compressed files: recognised by their first bytes when read, chosen by their suffix when written."""

from __future__ import annotations

import gzip
import io
import lzma
import sys
import zlib
from typing import IO, Any, Protocol

SUFFIXES = (".gz", ".xz", ".zst")

_MAGIC = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}

_SLICE = 1 << 12  # compressed bytes fed to zstd at once: bounds what a hostile file can unfold to in one step


class DamagedError(Exception):
    """A zstd stream that cannot be read further."""


DECOMPRESSION_ERRORS = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, DamagedError)


class Readable(Protocol):
    """All that is asked of a binary input."""

    def read(self, size: int = -1, /) -> bytes:
        """At most ``size`` bytes; none at the end."""


def decompressed(file: Readable) -> Readable:
    """The file itself, or its content unpacked when its first bytes say gzip, xz or zstd."""
    head = b""
    while len(head) < 6 and (more := file.read(6 - len(head))):
        head += more
    whole: Any = _Rejoined(head, file)
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            if kind == "gzip":
                return gzip.GzipFile(fileobj=whole, mode="rb")
            if kind == "xz":
                return lzma.LZMAFile(whole)
            return _zstd_reader(whole)
    return _Rejoined(head, file)


def is_compressed(head: bytes) -> bool:
    """Whether a file that begins with these (at least six) bytes is packed.

    >>> is_compressed(b"\\x1f\\x8b\\x08\\x00\\x00\\x00"), is_compressed(b"plain text")
    (True, False)
    """
    return any(head.startswith(magic) for magic in _MAGIC)


def compressor(file: IO[bytes], suffix: str) -> IO[bytes]:
    """A binary file that packs into ``file`` as its suffix asks; the same bytes on every run."""
    if suffix == ".gz":
        return gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0)  # type: ignore[return-value]
    if suffix == ".xz":
        return lzma.LZMAFile(file, "wb")
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd.ZstdFile(file, "wb")  # type: ignore[no-any-return]
    import zstandard

    return zstandard.ZstdCompressor().stream_writer(file, closefd=False)


class _Rejoined(io.RawIOBase):
    """A file whose first bytes have been looked at and put back."""

    def __init__(self, head: bytes, file: Readable) -> None:
        self._head = head
        self._file = file

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self._head:
            head, self._head = (self._head, b"") if size < 0 else (self._head[:size], self._head[size:])
            return head
        return self._file.read(size)


def _zstd_reader(file: Readable) -> Readable:
    if sys.version_info >= (3, 14):
        from compression import zstd

        return _Translated(zstd.ZstdFile(file), zstd.ZstdError)
    import zstandard

    return _Translated(_ZstdReader(file), zstandard.ZstdError)


class _Translated:
    """A reader whose library has its own error, told as ``DamagedError``."""

    def __init__(self, reader: Readable, error: type[Exception]) -> None:
        self._reader = reader
        self._error = error

    def read(self, size: int = -1) -> bytes:
        try:
            return self._reader.read(size)
        except self._error as error:
            raise DamagedError(str(error)) from None


class _ZstdReader:
    """zstandard's own stream reader takes a cut file for a whole one; this one does not."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self._frame: Any = None
        self._unpacked = bytearray()
        self._packed = b""

    def read(self, size: int = -1) -> bytes:
        import zstandard

        while len(self._unpacked) < size or size < 0:
            if not self._packed:
                self._packed = self._file.read(_SLICE)
            if not self._packed:
                if self._frame is not None:
                    raise EOFError("the file ends inside a zstd frame")
                break
            if self._frame is None:
                self._frame = zstandard.ZstdDecompressor().decompressobj()
            self._unpacked += self._frame.decompress(self._packed)
            self._packed = self._frame.unused_data if self._frame.eof else b""
            if self._frame.eof:
                self._frame = None
        size = len(self._unpacked) if size < 0 else size
        data = bytes(self._unpacked[:size])
        del self._unpacked[:size]
        return data
