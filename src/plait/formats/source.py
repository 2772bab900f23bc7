"""Where text comes from: a path, ``-``, an open file or bytes, compressed or not, in pieces of bounded size.

Everything that can be wrong below the level of a format is found here, with its line: bytes that are not UTF-8, NUL
bytes, a byte order mark, carriage returns, lines without end, a compressed file that is cut.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, TypeAlias

from plait.errors import FormatError
from plait.formats.compression import DECOMPRESSION_ERRORS, Readable, decompressed
from plait.formats.report import Report, stop

Input: TypeAlias = "str | os.PathLike[str] | bytes | IO[bytes] | IO[str]"

CHUNK = 1 << 20
LINE_LIMIT = 4 << 20  # bytes in one line
BLOCK_LIMIT = 64 << 20  # bytes in one sentence

BOM = b"\xef\xbb\xbf"


class Source:
    """A text to read once, from front to back, as lines or as blocks between blank lines.

    Faults go to ``report``; when it returns instead of raising, the line or block with the fault is left out.
    ``first_line`` is the number of the first line, for a part of a file.

    >>> list(Source(b"a\\nb\\n\\nc\\n").blocks())
    [(1, 'a\\nb'), (4, 'c')]
    >>> list(Source(b"a\\nb\\n\\nc\\n").lines())
    [(1, 'a'), (2, 'b'), (3, ''), (4, 'c')]
    """

    def __init__(self, origin: Input, *, report: Report = stop, name: str | None = None, first_line: int = 1) -> None:
        self.report = report
        self.first_line = first_line
        self.name = name or _name(origin)
        self.ordinal = 0  # of the block or line last begun, counted from 1
        self.line_count = 0  # lines read so far; of the whole file at its end
        self.bytes_read = 0  # as stored, so before decompression
        # how the block last given was closed: by a blank line, by the file's last newline, or by nothing at all
        self.ending: Literal["blank", "newline", "nothing"] = "blank"
        self.origin = origin
        self._closing = ExitStack()
        self._stream: Readable | None = None  # opened when first asked for

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.close()

    def blocks(self) -> Iterator[tuple[int, str]]:
        """(number of the first line, text without its last newline) of each run of lines between blank lines."""
        for line, piece in self._pieces(b"\n\n", BLOCK_LIMIT):
            yield from self._split(line, piece, "\n\n", strict=True)

    def lines(self, *, strict: bool = True) -> Iterator[tuple[int, str]]:
        """(number, text without newline) of each line; unless strict, carriage returns and a BOM are dropped."""
        for line, piece in self._pieces(b"\n", LINE_LIMIT):
            yield from self._split(line, piece, "\n", strict=strict)

    def fault(self, what: str, line: int | None, **parts: str | None) -> FormatError:
        """An error that names this file, and the sentence by its ordinal unless another name is given."""
        parts.setdefault("sentence", f"#{self.ordinal}" if self.ordinal else None)
        return FormatError(what, file=self.name, line=line, **parts)

    def _split(self, line: int, piece: bytes, separator: str, *, strict: bool) -> Iterator[tuple[int, str]]:
        try:
            text = piece.decode()
        except UnicodeDecodeError:
            text = "\0"  # look closely
        if line == 1 and text[:1] == "\ufeff" and not strict:
            text = text[1:]
        if not strict and "\r" in text:
            text = text.replace("\r\n", "\n").removesuffix("\r")
        if "\0" in text or "\r" in text or len(text) > LINE_LIMIT or (line == 1 and text[:1] == "\ufeff"):
            yield from self._look_closely(line, piece, separator.encode(), strict=strict)
            return
        step = len(separator)
        for block in text.split(separator):
            if step == 2:
                lines = block.count("\n") + 2
                if block[:1] == "\n":  # one blank line more than needed
                    block = block[1:]
                    line += 1
                    lines -= 1
                if block[-1:] == "\n":  # likewise, before the last blank line of a piece
                    block = block[:-1]
                if block:
                    self.ordinal += 1
                    yield line, block
                line += lines
            else:
                self.ordinal += 1
                yield line, block
                line += 1

    def _look_closely(self, line: int, piece: bytes, separator: bytes, *, strict: bool) -> Iterator[tuple[int, str]]:
        """As ``_split`` for a piece in which something is wrong: the sound blocks are given, the others reported."""
        for block in piece.split(separator):
            begin = line
            line += block.count(b"\n") + len(separator)
            if len(separator) == 2:
                if block[:1] == b"\n":
                    block = block[1:]
                    begin += 1
                block = block.removesuffix(b"\n")
                if not block:
                    continue
            self.ordinal += 1
            if not strict:
                block = block.removesuffix(b"\r").removeprefix(BOM if begin == 1 else b"")
            fault = self._byte_fault(begin, block, strict=strict)
            if fault is None:
                yield begin, block.decode()
            else:
                self.report(fault)

    def _byte_fault(self, line: int, block: bytes, *, strict: bool) -> FormatError | None:
        """The first thing wrong with the bytes of a block that begins at this line."""
        if line == 1 and block.startswith(BOM):
            return self.fault(
                "the file begins with a byte order mark", 1, expected="UTF-8 without one", hint="remove its 3 bytes"
            )
        for number, content in enumerate(block.split(b"\n"), line):
            if len(content) > LINE_LIMIT:
                return self._too_long(number)
            if b"\0" in content:
                return self.fault(
                    f"byte {content.index(0) + 1} of the line is NUL",
                    number,
                    expected="text in UTF-8",
                    hint="is the file binary, or in UTF-16? Convert it to UTF-8",
                )
            try:
                content.decode()
            except UnicodeDecodeError as error:
                return self.fault(
                    f"byte {error.start + 1} of the line, 0x{content[error.start]:02X}, is not valid UTF-8",
                    number,
                    expected="text in UTF-8",
                    hint="convert the file, for example with: iconv -f ENCODING -t UTF-8",
                )
            if strict and content.endswith(b"\r"):
                return self.fault(
                    "the line ends in CR LF (Windows)",
                    number,
                    expected="LF alone",
                    hint="convert the file, for example with: sed -i 's/\\r$//' FILE",
                )
            if strict and b"\r" in content:
                return self.fault(
                    f"byte {content.index(13) + 1} of the line is a carriage return",
                    number,
                    expected="lines that end in LF",
                    hint="remove it",
                )
        return None

    def _too_long(self, line: int) -> FormatError:
        return self.fault(
            f"the line is longer than {LINE_LIMIT >> 20} MiB",
            line,
            expected="one word or sentence in a line",
            hint="is this the right file and format?",
        )

    def _pieces(self, separator: bytes, limit: int) -> Iterator[tuple[int, bytes]]:
        """(first line, bytes) that begin and end where the separator stood, a chunk or so at a time."""
        buffer, line, width = b"", self.first_line, len(separator)
        for chunk in self._chunks():
            searched = max(0, len(buffer) - 1)
            buffer += chunk
            cut = buffer.rfind(separator, searched)
            if cut >= 0:
                self.ending = "blank"
                yield line, buffer[:cut]
                line += buffer.count(b"\n", 0, cut) + width
                buffer = buffer[cut + width :]
            self.line_count = line - 1
            if len(buffer) > LINE_LIMIT and (width == 1 or len(buffer) - buffer.rfind(b"\n") > LINE_LIMIT):
                self.ordinal += 1
                self.report(self._too_long(line + buffer.count(b"\n")))
                line, buffer = self._resume(line, buffer, separator)
            elif len(buffer) > limit:
                self.ordinal += 1
                self.report(
                    self.fault(
                        f"the sentence is longer than {limit >> 20} MiB",
                        line,
                        expected="a blank line after each sentence",
                        hint="is this the right format?",
                    )
                )
                line, buffer = self._resume(line, buffer, separator)
        self.line_count = line - 1 + buffer.count(b"\n") + (not buffer.endswith(b"\n") and buffer != b"")
        if buffer:
            self.ending = "newline" if buffer.endswith(b"\n") else "nothing"
            yield line, buffer.removesuffix(b"\n")

    def _resume(self, line: int, buffer: bytes, separator: bytes) -> tuple[int, bytes]:
        """Throw away all up to the next separator, in bounded memory; where the text goes on."""
        for chunk in self._chunks():
            line += buffer.count(b"\n", 0, -1)
            buffer = buffer[-1:] + chunk
            cut = buffer.find(separator)
            if cut >= 0:
                return line + buffer.count(b"\n", 0, cut) + len(separator), buffer[cut + len(separator) :]
        return line + buffer.count(b"\n"), b""

    def _chunks(self) -> Iterator[bytes]:
        """The bytes of the source, opened when first asked for and decompressed."""
        if self._stream is None:
            raw = _open(self.origin, self._closing)
            self._stream = decompressed(_Counted(raw, self))
        while True:
            try:
                chunk = self._stream.read(CHUNK)
            except DECOMPRESSION_ERRORS as error:
                raise FormatError(
                    f"the compressed file is cut or damaged ({error})",
                    file=self.name,
                    line=self.line_count + 1,
                    expected="a whole .gz, .xz or .zst file",
                    hint="fetch or compress it again",
                ) from None
            if not chunk:
                self._stream = io.BytesIO()  # for a caller that asks again
                self._closing.close()
                return
            yield chunk


class _Counted:
    """A binary file that tells its source how much of it has been read; text files are encoded on the way."""

    def __init__(self, file: Any, source: Source) -> None:
        self._file = file
        self._source = source

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        if isinstance(data, str):
            data = data.encode("utf-8", "surrogatepass")  # what is not UTF-8 is then found as such
        self._source.bytes_read += len(data)
        return bytes(data)


def _name(origin: Input) -> str:
    if isinstance(origin, bytes):
        return "<bytes>"
    if isinstance(origin, (str, os.PathLike)):
        return "<stdin>" if origin == "-" else os.fspath(origin)
    name = getattr(origin, "name", None)
    return name if isinstance(name, str) else "<file>"


def _open(origin: Input, closing: ExitStack) -> Any:
    if isinstance(origin, bytes):
        return io.BytesIO(origin)
    if origin == "-":
        return getattr(sys.stdin, "buffer", sys.stdin)
    if isinstance(origin, (str, os.PathLike)):
        return closing.enter_context(Path(origin).open("rb"))
    return origin
