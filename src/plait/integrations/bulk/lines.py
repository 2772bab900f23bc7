"""Input files made of lines: JSON lines, which keep all they have and get a new key; text, which becomes sentences."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, ClassVar, NamedTuple

from plait.errors import FormatError, OptionError, PlaitError
from plait.formats import FORMATS
from plait.formats.compression import is_compressed
from plait.formats.sink import write_pieces
from plait.formats.source import Source
from plait.formats.text import numbered_lines, numbered_paragraphs
from plait.integrations.annotator import ERROR_COLUMN, TEXT_COLUMN, TOKENS, Analysis, Annotator
from plait.integrations.bulk.partitions import Cut, Kind, Outcome
from plait.pipeline.streams import in_order

PIECE = 1 << 20  # bytes of a line that are looked at at once while a file is cut


class Done(NamedTuple):
    """A document that has been analysed."""

    line: int  # its number in the file
    content: str | None  # None: nothing that could be kept
    analysis: Analysis


class LineKind(Kind):
    """A kind of text file; a document is a line, or the lines between two blank ones."""

    paragraphs: ClassVar[bool] = False

    def cut(self, file: Path, size: int) -> Iterator[Cut]:
        """Runs of ``size`` documents; a compressed file is one partition, as it cannot be read from the middle."""
        with file.open("rb") as opened:
            if is_compressed(opened.read(8)):
                yield Cut(0, None, 1, file.stat().st_size)
                return
            opened.seek(0)
            begin, first_line, documents = 0, 1, 0
            at, line = 0, 1  # of the current piece
            # a document begins with the next line that is not blank; the last piece ended its line
            fresh = whole = True
            for piece in iter(lambda: opened.readline(PIECE), b""):
                blank = not piece.strip()
                if whole:
                    if fresh and not blank:
                        if documents == size:
                            yield Cut(begin, at, first_line, at - begin)
                            begin, first_line, documents = at, line, 0
                        documents += 1
                    fresh = blank or not self.paragraphs
                at += len(piece)
                whole = piece.endswith(b"\n")
                line += whole
            yield Cut(begin, at, first_line, at - begin)

    def write(self, source: Path, name: str, annotator: Annotator, outcome: Outcome, target: IO[bytes]) -> None:
        """Analyse a partition as its lines come, and write it."""
        cut = outcome.partition.cut

        def report(error: PlaitError) -> None:
            if isinstance(error, FormatError):
                error = FormatError(error.what, file=name, line=error.line, expected=error.expected, hint=error.hint)
            outcome.fault(str(error), stop=annotator.on_error == "stop")

        with source.open("rb") as opened:
            section: Any = opened if cut.end is None else Section(opened, cut.begin, cut.end)
            lines = Source(section, report=report, name=name, first_line=cut.first_line)
            units = numbered_paragraphs(lines) if self.paragraphs else numbered_lines(lines)
            done = in_order(lambda unit: self.analyse(unit[0], unit[1], annotator), units, annotator.threads)
            write_pieces(self._pieces(done, name, annotator, outcome), target)

    def _pieces(self, done: Iterator[Done], name: str, annotator: Annotator, outcome: Outcome) -> Iterator[str]:
        first = True
        for line, content, analysis in done:
            outcome.count(analysis, f"{name}:{line}", stop=annotator.on_error == "stop")
            if content is not None:
                piece = self.shown(content, analysis, annotator, first=first)
                first = first and not piece
                yield piece

    @abstractmethod
    def analyse(self, line: int, content: str, annotator: Annotator) -> Done:
        """The analysis of one document."""

    @abstractmethod
    def shown(self, content: str, analysis: Analysis, annotator: Annotator, *, first: bool) -> str:
        """The document as it is written; ``first`` of its file, or a later one."""


class JsonLines(LineKind):
    """An object a line; the analysis is added as its last key, and everything before it stays byte for byte."""

    name = "jsonl"
    suffixes = (".jsonl", ".ndjson", ".json")

    def check(self, annotator: Annotator) -> None:
        """Any output can be the value of a key."""

    def analyse(self, line: int, content: str, annotator: Annotator) -> Done:
        """Analyse what stands under the text key."""
        try:
            record = json.loads(content)
        except (ValueError, RecursionError) as error:
            return Done(line, None, Analysis(None, f"not JSON ({error}); expected one object per line"))
        if not isinstance(record, dict):
            return Done(line, None, Analysis(None, "not a JSON object; expected one a line"))
        for new in annotator.new_columns:
            if new in record:
                return Done(line, None, Analysis(None, f'the key "{new}" already exists; choose --output-column'))
        if annotator.text_column not in record:
            there = ", ".join(record) or "nothing"
            missing = f'no key "{annotator.text_column}"; found {there}; choose --text-column'
            return Done(line, content, Analysis(None, missing))
        return Done(line, content, annotator.analyse(record[annotator.text_column], marked=True))

    def shown(self, content: str, analysis: Analysis, annotator: Annotator, *, first: bool) -> str:
        """The line with its new keys."""
        new = {annotator.output_column: analysis.value}
        if annotator.on_error == "skip":
            new[ERROR_COLUMN] = analysis.error
        body = content.strip()[:-1].rstrip()
        comma = "" if body == "{" else ", "
        return f"{body}{comma}{json.dumps(new, ensure_ascii=False)[1:]}\n"


class Text(LineKind):
    """Running text; paragraphs are documents, and their sentences are written one after the other."""

    name = "text"
    suffixes: ClassVar[tuple[str, ...]] = (".txt", ".text")
    paragraphs = True

    def check(self, annotator: Annotator) -> None:
        """Only formats of sentences can be written one after the other, and there are no columns to name."""
        for option, told in (
            ("--text-column", annotator.text_column != TEXT_COLUMN),
            ("--output-column", annotator.output_column != annotator.output),
        ):
            if told:
                raise OptionError(f"{option} has no effect on text files, which have no columns; remove it")
        if annotator.output == TOKENS or FORMATS[annotator.output].read is None:
            raise OptionError(
                f"text cannot be written as {annotator.output}; choose a format with words, such as conllu or json"
            )

    def suffix(self, annotator: Annotator) -> str:
        """That of the format."""
        return FORMATS[annotator.output].suffixes[0]

    def analyse(self, line: int, content: str, annotator: Annotator) -> Done:
        """Analyse the document; one that cannot be is left out."""
        analysis = annotator.analyse(content)
        return Done(line, None if analysis.error is not None else content, analysis)

    def shown(self, content: str, analysis: Analysis, annotator: Annotator, *, first: bool) -> str:
        """Its sentences. The file names the model once: the document that happens to be first is analysed again."""
        return str((annotator.analyse(content, marked=True) if first else analysis).value)


class Lines(Text):
    """Text with a sentence or document a line."""

    name = "lines"
    suffixes: ClassVar[tuple[str, ...]] = (".lines", ".txt", ".text")
    paragraphs = False


class Section:
    """The bytes of a file from one place to another."""

    def __init__(self, file: IO[bytes], begin: int, end: int) -> None:
        file.seek(begin)
        self._file = file
        self._left = end - begin

    def read(self, size: int) -> bytes:
        """At most ``size`` bytes; none at the end."""
        data = self._file.read(min(size, self._left))
        self._left -= len(data)
        return data
