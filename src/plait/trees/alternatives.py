"""Alternatives: the first few analyses that read differently once they are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plait.data.document import Sentence


def distinct_sentences(analyses: Iterable[Sentence], count: int, columns: Sequence[str]) -> list[Sentence]:
    """The first ``count`` sentences that differ in some of the columns.

    Two trees of a search can become one when lifted arcs are lowered; the first one stays. No more analyses are asked
    for than are needed.

    >>> found = [Sentence(["a"], upos=[tag]) for tag in ("X", "X", "Y", "Z")]
    >>> [s.upos for s in distinct_sentences(found, 2, ["upos"])]
    [['X'], ['Y']]
    """
    found: dict[tuple[tuple[str, ...], ...], Sentence] = {}
    for sentence in analyses:
        found.setdefault(tuple(tuple(getattr(sentence, column)) for column in columns), sentence)
        if len(found) == count:
            break
    return list(found.values())
