"""Which labels of arcs occur between which tags."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from plait.transition._filter import LabelFilter

ROOT = -1  # as the class of a head


def build_filter(classes: int, labels: int, seen: Iterable[tuple[int, int, int]]) -> LabelFilter:
    """A filter from the (class of the head, class of the dependent, label) of arcs; the root's class is −1.

    >>> build_filter(2, 2, [(0, 1, 0), (-1, 0, 1)]).labels_of(0, 1)
    [0]
    """
    root, anything, any_dependent = classes, classes + 1, classes
    cells: dict[tuple[int, int], set[int]] = {}
    for head, dependent, label in seen:
        general = root if head == ROOT else anything
        for cell in ((root if head == ROOT else head, dependent), (general, dependent), (general, any_dependent)):
            cells.setdefault(cell, set()).add(label)
    for row in (root, anything):  # data of one-word sentences
        cells.setdefault((row, any_dependent), set(range(labels)))
    lists = [sorted(cells.get((h, d), ())) for h in range(classes + 2) for d in range(classes + 1)]
    starts = np.cumsum([0, *map(len, lists)], dtype=np.int32)
    return LabelFilter(classes, labels, starts, np.array([x for known in lists for x in known], dtype=np.uint16))


def arcs_between(classes: Sequence[int], heads: Sequence[int], labels: Sequence[int]) -> set[tuple[int, int, int]]:
    """(class of the head, class of the dependent, label) of the arcs of one tree; ``classes`` of its words."""
    return {
        (ROOT if head == 0 else classes[head - 1], own, label)
        for own, head, label in zip(classes, heads, labels, strict=True)
    }
