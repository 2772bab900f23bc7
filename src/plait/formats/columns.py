"""CoNLL-2000: word, tag (XPOS) and chunk label (``extra["chunk"]``), separated by spaces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NoReturn

from plait.data.document import UNSPECIFIED, Sentence
from plait.formats._columns import Splitter
from plait.formats.rows import UNWRITABLE, Place, check_row, is_writable, read_blocks, refuse, unexplained
from plait.formats.source import Source

NAMES = ("WORD", "TAG", "CHUNK")


def read_conll2000(source: Source) -> Iterator[Sentence]:
    """The sentences of a CoNLL-2000 source.

    >>> s = next(read_conll2000(Source(b"He PRP B-NP\\nreckons VBZ B-VP\\n\\n")))
    >>> s.forms, s.xpos, s.extra["chunk"]
    (['He', 'reckons'], ['PRP', 'VBZ'], ['B-NP', 'B-VP'])
    """
    return read_blocks(source, _parse_block)


def _parse_block(block: str, line: int, source: Source, splitter: Splitter) -> Sentence:
    columns = splitter.split(block.replace(" ", "\t"), 3, 0)
    if columns is None:
        _explain(block, line, source)
    words, tags, chunks = columns
    return Sentence(words, xpos=tags, extra={"chunk": chunks})


def write_conll2000(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Each sentence as CoNLL-2000; the tag is XPOS, or UPOS in a sentence without any XPOS."""
    for s in sentences:
        tags = s.xpos if any(tag != UNSPECIFIED for tag in s.xpos) else s.upos
        columns = [s.forms, tags, s.extra.get("chunk", [UNSPECIFIED] * len(s))]
        if not is_writable(columns, len(s), UNWRITABLE + " "):
            refuse(s, "conll2000", spaceless=("forms", "xpos", "upos", "chunk"))
        yield "\n".join([*map(" ".join, zip(*columns, strict=True)), "", ""])


def _explain(block: str, line: int, source: Source) -> NoReturn:
    place = Place(source, line, f"#{source.ordinal}")
    for at, row in place.rows(block.split("\n")):
        check_row(row, at, NAMES, tabs=False)
    raise unexplained(place)
