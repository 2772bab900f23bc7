"""N-best lists: the first few analyses that differ."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from plait.data.document import Sentence

T = TypeVar("T")


def distinct(
    analyses: Iterable[T], identity: Callable[[T], Hashable], count: int, patience: int | None = None
) -> Iterator[T]:
    """Up to ``count`` analyses, in order, without duplicates; no more than ``patience`` for each are looked at.

    >>> list(distinct([3, 1, 3, 2, 1], lambda x: x, 3))
    [3, 1, 2]
    """
    seen: set[Hashable] = set()
    for analysis in islice(analyses, None if patience is None else patience * count):
        key = identity(analysis)
        if key in seen:
            continue
        seen.add(key)
        yield analysis
        if len(seen) == count:
            return


def distinct_sentences(analyses: Iterable[Sentence], count: int, columns: Sequence[str]) -> list[Sentence]:
    """The first ``count`` sentences that differ in some of the columns: lifted arcs may be the same once lowered.

    >>> found = [Sentence(["a"], upos=[tag]) for tag in ("X", "X", "Y", "Z")]
    >>> [s.upos for s in distinct_sentences(found, 2, ["upos"])]
    [['X'], ['Y']]
    """
    return list(distinct(analyses, lambda s: tuple(tuple(getattr(s, column)) for column in columns), count))
