"""The bytes of an input in chunks: opened, decompressed, without byte order marks and Windows line endings."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, TypeAlias

from plait.errors import FormatError
from plait.formats.compression import DECOMPRESSION_ERRORS, Readable, decompressed

Input: TypeAlias = "str | os.PathLike[str] | bytes | IO[bytes] | IO[str]"

BOM = b"\xef\xbb\xbf"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")

# told of a problem of the file as a whole: (what, line, expected, hint, what is done about it)
Note: TypeAlias = Callable[[str, int, str, str, str], None]


class Chunks:
    """An input to read once; it is opened when first asked for.

    A byte order mark is dropped and CR LF becomes LF, and ``note`` is told. A file in UTF-16 is refused here, as it
    has no lines to begin with. ``first_line`` is the number of the first line, for a part of a file.
    """

    def __init__(self, origin: Input, name: str, note: Note, first_line: int = 1) -> None:
        self.bytes_read = 0  # as stored, so before decompression
        self.line = first_line  # in which the next chunk begins; the reader, who counts them, keeps it up to date
        self._origin = origin
        self._name = name
        self._note = note
        self._closing = ExitStack()
        self._stream: Readable | None = None
        self._begun = first_line > 1  # whether the first bytes of the file have been looked at
        self._held = b""  # a carriage return at the end of what was read last

    def read(self, size: int) -> bytes:
        """About ``size`` bytes more; none at the end."""
        chunk = self._held + self._read(size)
        if not self._begun:
            while len(chunk) < 4 and (more := self._read(size)):
                chunk += more
            chunk = self._without_mark(chunk)
        self._held = b""
        if chunk.endswith(b"\r"):
            more = self._read(size)
            if more:  # cut before the last one, as a newline may follow it
                chunk += more
                self._held = b"\r" * chunk.endswith(b"\r")
                chunk = chunk.removesuffix(b"\r")
        if b"\r" in chunk and b"\r\n" in chunk:  # one character is found twenty times as fast as two
            line = self.line + chunk.count(b"\n", 0, chunk.index(b"\r\n"))
            self._note(
                "the lines end in CR LF (Windows)",
                line,
                "LF alone",
                "convert the file, for example with: sed -i 's/\\r$//' FILE",
                "read as LF",
            )
            chunk = chunk.replace(b"\r\n", b"\n")
        return chunk

    def close(self) -> None:
        """Close what was opened; an open file that was given stays open."""
        self._stream = io.BytesIO()  # for a caller that asks again
        self._closing.close()

    def _without_mark(self, chunk: bytes) -> bytes:
        self._begun = True
        odd, even = chunk[1:4:2], chunk[0:4:2]
        if chunk[:2] in UTF_16 or (len(chunk) >= 4 and (odd == b"\0\0") != (even == b"\0\0")):
            raise FormatError(
                "the file is in UTF-16",
                file=self._name,
                line=1,
                expected="text in UTF-8",
                hint="convert the file, for example with: iconv -f UTF-16 -t UTF-8",
            )
        if chunk.startswith(BOM):
            self._note(
                "the file begins with a byte order mark", 1, "UTF-8 without one", "remove its 3 bytes", "left out"
            )
            return chunk[3:]
        return chunk

    def _read(self, size: int) -> bytes:
        try:
            if self._stream is None:
                self._stream = decompressed(_Counted(_open(self._origin, self._closing), self))
            chunk = self._stream.read(size)
        except DECOMPRESSION_ERRORS as error:
            raise FormatError(
                f"the compressed file is truncated or damaged ({error})",
                file=self._name,
                line=self.line,
                expected="a complete .gz, .xz or .zst file",
                hint="download or compress it again",
            ) from None
        if not chunk:
            self.close()
        return chunk


class _Counted:
    """A binary file whose bytes are counted as they are read; text files are encoded on the way."""

    def __init__(self, file: Any, chunks: Chunks) -> None:
        self._file = file
        self._chunks = chunks

    def read(self, size: int) -> bytes:
        data = self._file.read(size)
        if isinstance(data, str):
            data = data.encode("utf-8", "surrogatepass")  # what is not UTF-8 is then found as such
        self._chunks.bytes_read += len(data)
        return bytes(data)


def _open(origin: Input, closing: ExitStack) -> Any:
    if isinstance(origin, bytes):
        return io.BytesIO(origin)
    if origin == "-":
        return getattr(sys.stdin, "buffer", sys.stdin)
    if isinstance(origin, (str, os.PathLike)):
        return closing.enter_context(Path(origin).open("rb"))
    return origin
