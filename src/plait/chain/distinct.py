"""N-best lists without duplicates."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 20  # candidates per analysis: without hard constraints very many labellings mean the same analysis


def distinct(analyses: Iterable[T], identity: Callable[[T], Hashable], count: int) -> Iterator[T]:
    """Up to ``count`` analyses, in order, without duplicates.

    >>> list(distinct([3, 1, 3, 2, 1], lambda x: x, 3))
    [3, 1, 2]
    """
    seen: set[Hashable] = set()
    for analysis in islice(analyses, PATIENCE * count):
        key = identity(analysis)
        if key in seen:
            continue
        seen.add(key)
        yield analysis
        if len(seen) == count:
            return
