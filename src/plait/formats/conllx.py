"""CoNLL-X (2006): ten columns, several roots allowed; PHEAD and PDEPREL are kept in ``extra``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plait.data.document import UNSPECIFIED, Sentence
from plait.formats._columns import Splitter
from plait.formats.numerals import write_heads
from plait.formats.rows import joined_words, read_blocks, split_words
from plait.formats.source import Source

NAMES = ("ID", "FORM", "LEMMA", "CPOSTAG", "POSTAG", "FEATS", "HEAD", "DEPREL", "PHEAD", "PDEPREL")
EXTRAS = ("phead", "pdeprel")


def read_conllx(source: Source) -> Iterator[Sentence]:
    """The sentences of a CoNLL-X source; CPOSTAG becomes UPOS and POSTAG becomes XPOS.

    >>> s = next(read_conllx(Source(b"1\\tHi\\thi\\tI\\tUH\\t_\\t0\\tROOT\\t0\\tROOT\\n\\n")))
    >>> s.upos, s.xpos, s.extra
    (['I'], ['UH'], {'phead': ['0'], 'pdeprel': ['ROOT']})
    """
    return read_blocks(source, _parse_block)


def write_conllx(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Each sentence as CoNLL-X; comments, multiword tokens, empty nodes, DEPS and MISC have no place there."""
    for s in sentences:
        blank = [UNSPECIFIED] * len(s)
        phead, pdeprel = (s.extra.get(name, blank) for name in EXTRAS)
        columns = [s.forms, s.lemmas, s.upos, s.xpos, s.feats, write_heads(s.heads), s.deprels, phead, pdeprel]
        yield joined_words(s, columns, "conllx")


def _parse_block(block: str, line: int, source: Source, splitter: Splitter) -> Sentence:
    columns, heads = split_words(block, line, source, splitter, NAMES, NAMES.index("HEAD"))
    _, forms, lemmas, cpostags, postags, feats, _, deprels, *extras = columns
    return Sentence(
        forms,
        lemmas=lemmas,
        upos=cpostags,
        xpos=postags,
        feats=feats,
        heads=heads,
        deprels=deprels,
        extra=given_columns(EXTRAS, extras),
    )


def given_columns(names: Iterable[str], columns: Iterable[list[str]]) -> dict[str, list[str]]:
    """The columns in which anything is given, under their names."""
    return {
        name: column for name, column in zip(names, columns, strict=True) if column.count(UNSPECIFIED) < len(column)
    }
