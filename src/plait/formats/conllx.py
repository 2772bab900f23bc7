"""CoNLL-X (2006): ten columns, several roots allowed; PHEAD and PDEPREL stand in ``extra``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plait.data._tree import find_fault
from plait.data.document import UNSPECIFIED, Sentence
from plait.formats._columns import Splitter
from plait.formats.numerals import ids, parse_heads, write_heads
from plait.formats.rows import UNWRITABLE, explain_words, is_writable, read_blocks, refuse
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
        if not is_writable(columns, len(s), UNWRITABLE) or find_fault(s.heads, False)[0]:
            refuse(s, "conllx", one_root=False, spaceless=(), unwritable=UNWRITABLE)
        yield "\n".join([*map("\t".join, zip(ids(len(s)), *columns, strict=True)), "", ""])


def _parse_block(block: str, line: int, source: Source, splitter: Splitter) -> Sentence:
    columns = splitter.split(block, 10, 0)
    if columns is None or columns[0] != ids(len(columns[0])):
        explain_words(block, line, source, NAMES)
    heads = parse_heads(columns[6])
    if heads is None or find_fault(heads, False)[0]:
        explain_words(block, line, source, NAMES)
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
