"""Analyses in order of their scores, from a decoder that finds the best one under constraints (Lawler 1972).

An analysis is a sequence of choices: tags and heads, word by word. Once the best analysis is known, all others differ
from it in a first choice: those that share all choices before it, but not this one, are a problem of the same kind,
whose best analysis the decoder finds. The next best overall is the best of these. This is exact for every exact
decoder, costs one search for each open choice, and needs no second chart.

Labels are added afterwards: given tags and heads, the label of each arc is scored separately, so that the labellings of
a tree are enumerated in order without any search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from itertools import count
from typing import Any

import numpy as np

from plait.arrays import Float64Array, UInt16Array

Choices = tuple[int, ...]
Labels = UInt16Array
Rows = Float64Array
# of all that begins with some choices and does not go on with some others: the best and its score, or None
Solve = Callable[[Choices, frozenset[int]], tuple[float, Choices] | None]


def in_order(solve: Solve) -> Iterator[tuple[float, Choices]]:
    """All solutions, the best first.

    >>> words = [(3.0, (0, 0)), (1.0, (0, 1)), (2.0, (1, 0))]
    >>> def solve(prefix, banned):
    ...     k = len(prefix)
    ...     return max((w for w in words if w[1][:k] == prefix and w[1][k] not in banned), default=None)
    >>> [score for score, _ in in_order(solve)]
    [3.0, 2.0, 1.0]
    """
    turn = count()  # of equal scores the one found first
    waiting: list[tuple[float, int, Choices, int, frozenset[int]]] = []

    def put(prefix: Choices, banned: frozenset[int]) -> None:
        found = solve(prefix, banned)
        if found is not None:
            heappush(waiting, (-found[0], next(turn), found[1], len(prefix), banned))

    put((), frozenset())
    while waiting:
        score, _, choices, fixed, banned = heappop(waiting)
        yield -score, choices
        for i in range(fixed, len(choices)):
            put(choices[:i], banned | {choices[i]} if i == fixed else frozenset({choices[i]}))


def with_labels(structures: Iterable[tuple[float, Any, Rows, Labels]]) -> Iterator[tuple[float, Any, Labels]]:
    """(score, structure, labels) in order, from structures in the order of their score with the best labels.

    A structure comes with the scores of labels, [words][labels], −inf for forbidden ones, and its best labels.
    ``structures`` is consumed lazily.
    """
    turn = count()
    waiting: list[tuple[float, int, Any, Labels, Iterator[tuple[float, Labels]]]] = []

    def wait(structure: Any, others: Iterator[tuple[float, Labels]]) -> None:
        following = next(others, None)
        if following is not None:
            heappush(waiting, (-following[0], next(turn), structure, following[1], others))

    def take() -> tuple[float, Any, Labels]:
        score, _, structure, labels, others = heappop(waiting)
        wait(structure, others)
        return -score, structure, labels

    for score, structure, rows, best in structures:
        while waiting and -waiting[0][0] > score:
            yield take()
        yield score, structure, best
        wait(structure, _other_labels(score, rows, best))
    while waiting:
        yield take()


def _other_labels(score: float, rows: Rows, best: Labels) -> Iterator[tuple[float, Labels]]:
    """The labellings after the best one. A rank says how many labels of a word are better than the one it has."""
    order = [_ranked(row, int(label)) for row, label in zip(rows, best.tolist(), strict=True)]
    lost = [[float(row[order[w][0]] - row[label]) for label in order[w]] for w, row in enumerate(rows)]
    # ranks are raised at the last word that has one, or after it: so every labelling is reached in one way only
    waiting: list[tuple[float, tuple[int, ...], int]] = [(0.0, (0,) * len(order), 0)]
    while waiting:
        loss, ranks, last = heappop(waiting)
        if any(ranks):
            labels = np.array([order[w][rank] for w, rank in enumerate(ranks)], dtype=np.uint16)
            yield score - loss, labels
        for w in range(last, len(order)):
            rank = ranks[w] + 1
            if rank < len(order[w]):
                raised = (*ranks[:w], rank, *ranks[w + 1 :])
                heappush(waiting, (loss + lost[w][rank] - lost[w][rank - 1], raised, w))


def _ranked(row: Float64Array, best: int) -> list[int]:
    """The allowed labels of a word, by score; the decoder's choice first, even if rounding would order it otherwise."""
    order = [int(label) for label in np.argsort(-row, kind="stable") if row[label] > -np.inf and label != best]
    return [best, *order]
