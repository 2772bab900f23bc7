"""All trees of short sentences, for tests that search them one by one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

from plait.data.projectivity import is_projective
from plait.data.trees import is_tree


@cache
def trees(n: int, projective: bool = True) -> tuple[tuple[int, ...], ...]:
    """Every tree with one root over n words."""
    found = (heads for heads in product(range(n + 1), repeat=n) if is_tree(list(heads)))
    return tuple(heads for heads in found if not projective or is_projective(list(heads)))


def arcs(heads: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    for m, h in enumerate(heads, 1):
        yield h, m
