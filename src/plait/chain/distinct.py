"""The first of many analyses, without repetitions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")

PATIENCE = (
    20  # analyses looked at for each that is wanted: labels that are not bound may say the same in very many ways
)


def distinct(analyses: Iterable[T], identity: Callable[[T], Hashable], count: int) -> Iterator[T]:
    """Up to ``count`` analyses, in order; what is like an earlier one is left out.

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
