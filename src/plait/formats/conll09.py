"""CoNLL-2009: gold and predicted columns side by side, then predicates and their arguments, kept in ``extra``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count

from plait.data.document import UNSPECIFIED, Sentence
from plait.formats._columns import Splitter
from plait.formats.conllx import given_columns
from plait.formats.numerals import write_heads
from plait.formats.rows import joined_words, read_blocks, split_words
from plait.formats.source import Source

NAMES = (
    *("ID", "FORM", "LEMMA", "PLEMMA", "POS", "PPOS", "FEAT", "PFEAT"),
    *("HEAD", "PHEAD", "DEPREL", "PDEPREL", "FILLPRED", "PRED"),
)
EXTRAS = {3: "plemma", 5: "ppos", 7: "pfeat", 9: "phead", 11: "pdeprel", 12: "fillpred", 13: "pred"}


def read_conll09(source: Source) -> Iterator[Sentence]:
    """The sentences of a CoNLL-2009 source; POS becomes XPOS, the argument columns ``apred1``, ``apred2``, ...

    >>> row = "1\\tHi\\thi\\thi\\tUH\\tUH\\t_\\t_\\t0\\t0\\tROOT\\tROOT\\tY\\thi.01\\tA0\\n\\n"
    >>> s = next(read_conll09(Source(row.encode())))
    >>> s.xpos, s.extra["pred"], s.extra["apred1"]
    (['UH'], ['hi.01'], ['A0'])
    """
    return read_blocks(source, _parse_block)


def write_conll09(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Each sentence as CoNLL-2009; POS is XPOS, or UPOS in a sentence without any XPOS."""
    for s in sentences:
        blank = [UNSPECIFIED] * len(s)
        tags = s.xpos if any(tag != UNSPECIFIED for tag in s.xpos) else s.upos
        given = {1: s.forms, 2: s.lemmas, 4: tags, 6: s.feats, 8: write_heads(s.heads), 10: s.deprels}
        columns = [given[c] if c in given else s.extra.get(EXTRAS[c], blank) for c in range(1, len(NAMES))]
        columns += apreds(s)
        yield joined_words(s, columns, "conll09")


def apreds(sentence: Sentence) -> list[list[str]]:
    """The argument columns, one per predicate, in their order."""
    columns = []
    for k in count(1):
        column = sentence.extra.get(f"apred{k}")
        if column is None:
            break
        columns.append(column)
    return columns


def _parse_block(block: str, line: int, source: Source, splitter: Splitter) -> Sentence:
    given = block.partition("\n")[0].count("\t") + 1 - len(NAMES)
    arguments = max(0, min(given, block.count("\n") + 1))  # a column for each predicate: no more than words
    names = (*NAMES, *(f"APRED{k}" for k in range(1, arguments + 1)))
    columns, heads = split_words(block, line, source, splitter, names, NAMES.index("HEAD"))
    extra = given_columns(EXTRAS.values(), [columns[c] for c in EXTRAS])
    extra.update((f"apred{k}", column) for k, column in enumerate(columns[len(NAMES) :], 1))
    return Sentence(
        columns[1],
        lemmas=columns[2],
        xpos=columns[4],
        feats=columns[6],
        heads=heads,
        deprels=columns[10],
        extra=extra,
    )
