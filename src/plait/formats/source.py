"""Sources of text: a path, ``-``, an open file or bytes, compressed or not, in pieces of bounded size.

All errors below the level of a format are detected here, with their line: bytes that are not UTF-8, NUL bytes, carriage
returns, overlong lines, a truncated compressed file. A byte order mark, Windows line endings and extra blank lines are
harmless: they are removed, with a notice.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from types import TracebackType
from typing import Any, AnyStr, Literal

from plait.errors import FormatError
from plait.formats.chunks import Chunks
from plait.formats.chunks import Input as Input
from plait.formats.report import Notice, Report, Skipped, choose_report, refuse, stop, warn

CHUNK = 1 << 20
LINE_LIMIT = 4 << 20  # bytes in one line
BLOCK_LIMIT = 64 << 20  # bytes in one sentence

_LOOKS_BLANK = re.compile(rb"\n[ \t\v\f\r]+(?=\n)|\r\r")

EXTRA_BLANK_LINE = "extra blank line"


class Source:
    """A text to read once, from front to back, as lines or as blocks between blank lines.

    Faults go to ``report``; when it returns instead of raising, the line or block with the fault is left out. What does
    no harm goes to ``notice``, once for each kind; with ``report.refuse`` it is an error too.
    ``first_line`` is the number of the first line, for a part of a file.

    >>> list(Source(b"a\\nb\\n\\nc\\n").blocks())
    [(1, 'a\\nb'), (4, 'c')]
    >>> list(Source(b"a\\nb\\n\\nc\\n").lines())
    [(1, 'a'), (2, 'b'), (3, ''), (4, 'c')]
    """

    def __init__(
        self,
        origin: Input,
        *,
        report: Report = stop,
        notice: Notice = warn,
        name: str | None = None,
        first_line: int = 1,
    ) -> None:
        self.report = report
        self.notice = notice
        self.first_line = first_line
        self.name = name or _name(origin)
        self.ordinal = 0  # of the block or line last begun, counted from 1
        self.line_count = 0  # lines read so far; of the whole file at its end
        # how the block last given was closed: by a blank line, by the file's last newline, or by nothing at all
        self.ending: Literal["blank", "newline", "nothing"] = "blank"
        self.origin = origin
        self._bytes = Chunks(origin, self.name, self.note, first_line)
        self._is_raw = False
        self._noted: set[str] = set()  # what has been told

    @classmethod
    def open(cls, origin: Input, on_error: str, skipped: Skipped | None, *, strict: bool) -> Source:
        """A source that stops at faults or skips them, and warns of what does no harm or, if strict, refuses it."""
        return cls(origin, report=choose_report(on_error, skipped), notice=refuse if strict else warn)

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bytes.close()

    @property
    def bytes_read(self) -> int:
        """How much of the file has been read, as stored, so before decompression."""
        return self._bytes.bytes_read

    def blocks(self) -> Iterator[tuple[int, str]]:
        """(number of the first line, text without its last newline) of each run of lines between blank lines."""
        for line, piece in self._pieces(b"\n\n", BLOCK_LIMIT):
            yield from self._split(line, piece, "\n\n", strict=True)

    def lines(self, *, strict: bool = True) -> Iterator[tuple[int, str]]:
        """(number, text without newline) of each line; unless strict, it may contain carriage returns."""
        self._is_raw = not strict
        for line, piece in self._pieces(b"\n", LINE_LIMIT):
            yield from self._split(line, piece, "\n", strict=strict)

    def fault(self, what: str, line: int | None, **parts: Any) -> FormatError:
        """An error that names this file, and the sentence by its ordinal unless another name is given."""
        parts.setdefault("sentence", f"#{self.ordinal}" if self.ordinal else None)
        return FormatError(what, file=self.name, line=line, **parts)

    def note(self, what: str, line: int, expected: str, hint: str, done: str) -> None:
        """Report, once, a problem of the file as a whole and what is done about it."""
        if self._is_raw and self.notice is not refuse:
            return  # how lines end makes no difference to raw text
        if what not in self._noted:
            self._noted.add(what)
            self.notice(FormatError(what, file=self.name, line=line, expected=expected, hint=hint), done)

    def _note_blank(self, line: int) -> None:
        self.note(EXTRA_BLANK_LINE, line, "one after each sentence", "remove it", "such lines are dropped")

    def _split(self, line: int, piece: bytes, separator: str, *, strict: bool) -> Iterator[tuple[int, str]]:
        try:
            text = piece.decode()
        except UnicodeDecodeError:
            text = "\0"  # look closely
        if not strict:
            text = text.removesuffix("\r")
        if "\0" in text or "\r" in text or len(text) > LINE_LIMIT:
            return self._look_closely(line, piece, separator.encode(), strict=strict)
        return self._parts(line, text, separator)

    def _look_closely(self, line: int, piece: bytes, separator: bytes, *, strict: bool) -> Iterator[tuple[int, str]]:
        """As ``_split`` for a piece with an error: valid blocks are returned, the others reported."""
        for begin, block in self._parts(line, piece, separator):
            fault = self._byte_fault(begin, block, strict=strict)
            if fault is None:
                yield begin, block.decode()
            else:
                fault.lost = sentences_lost(block)
                self.report(fault)

    def _parts(self, line: int, piece: AnyStr, separator: AnyStr) -> Iterator[tuple[int, AnyStr]]:
        """(number of the first line, content) of each part; in blocks, blank lines too many are noted and left out."""
        newline = separator[:1]
        for part in piece.split(separator):
            begin = line
            line += 1
            if len(separator) == 2:
                line += part.count(newline) + 1
                if part[:1] == newline:  # one blank line more than needed
                    self._note_blank(begin)
                    part, begin = part[1:], begin + 1
                if part[-1:] == newline:  # likewise, before the last blank line of a piece
                    self._note_blank(line - 1)
                    part = part[:-1]
                if not part:
                    self._note_blank(begin)
                    continue
            self.ordinal += 1
            yield begin, part

    def _byte_fault(self, line: int, block: bytes, *, strict: bool) -> FormatError | None:
        """The first thing wrong with the bytes of a block that begins at this line."""
        for number, content in enumerate(block.split(b"\n"), line):
            if len(content) > LINE_LIMIT:
                return self._too_long(number)
            if b"\0" in content:
                return self.fault(
                    f"byte {content.index(0) + 1} of the line is NUL",
                    number,
                    expected="text in UTF-8",
                    hint="the file may be binary or UTF-16; convert it to UTF-8",
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
            hint="check the file and its format",
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
            self._bytes.line = line + buffer.count(b"\n")
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
                        hint="check the format",
                    )
                )
                line, buffer = self._resume(line, buffer, separator)
        self.line_count = line - 1 + buffer.count(b"\n") + (not buffer.endswith(b"\n") and buffer != b"")
        if buffer:
            self.ending = "newline" if buffer.endswith(b"\n") else "nothing"
            yield line, buffer.removesuffix(b"\n")

    def _resume(self, line: int, buffer: bytes, separator: bytes) -> tuple[int, bytes]:
        """Skip everything up to the next separator, in bounded memory; returns where the text continues."""
        for chunk in self._chunks():
            line += buffer.count(b"\n", 0, -1)
            buffer = buffer[-1:] + chunk
            cut = buffer.find(separator)
            if cut >= 0:
                return line + buffer.count(b"\n", 0, cut) + len(separator), buffer[cut + len(separator) :]
        return line + buffer.count(b"\n"), b""

    def _chunks(self) -> Iterator[bytes]:
        while chunk := self._bytes.read(CHUNK):
            yield chunk


def sentences_lost(block: bytes) -> int:
    """How many sentences are left out with a block: more than one where lines that look blank did not part them.

    >>> sentences_lost(b"a\\nb\\n \\nc\\n\\t\\nd")
    3
    """
    return 1 + len(_LOOKS_BLANK.findall(block))


def _name(origin: Input) -> str:
    if isinstance(origin, bytes):
        return "<bytes>"
    if isinstance(origin, (str, os.PathLike)):
        return "<stdin>" if origin == "-" else os.fspath(origin)
    name = getattr(origin, "name", None)
    return name if isinstance(name, str) else "<file>"
