"""The predictions of a model on held-out data, word by word: scores to select an epoch, words to compare models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from plait.arrays import BoolArray

# measure: the columns in which a word must be right to count; all others are called as their column
MEASURES = {
    "accuracy": ("tags",),
    "alltags": ("tags",),
    "uas": ("heads",),
    "las": ("heads", "labels"),
    "tlas": ("tags", "heads", "labels"),
}

Words = BoolArray  # one entry for each held-out word


class Outcome:
    """Gold and predicted columns of held-out sentences, and the measures taken on them.

    >>> outcome = Outcome("las", "uas")
    >>> outcome.add(heads=([2, 0], [2, 0]), labels=(["nsubj", "root"], ["obj", "root"]))
    >>> outcome.scores
    {'las': 50.0, 'uas': 100.0}
    """

    def __init__(self, *measures: str) -> None:
        self.measures = measures
        self.lengths: list[int] = []  # of the sentences
        self.notes: dict[str, float] = {}  # further numbers for the training record
        self._gold: dict[str, list[Any]] = {}
        self._found: dict[str, list[Any]] = {}

    def add(self, **columns: tuple[Sequence[Any], Sequence[Any]]) -> None:
        """One more sentence: (gold, predicted) of its ``tags``, ``heads`` and ``labels``, as far as it has them."""
        lengths = {len(part) for pair in columns.values() for part in pair}
        if len(lengths) != 1:
            raise ValueError("gold and predicted columns of different lengths")
        self.lengths.append(lengths.pop())
        for name, (gold, found) in columns.items():
            self._gold.setdefault(name, []).extend(gold)
            self._found.setdefault(name, []).extend(found)

    @property
    def scores(self) -> dict[str, float]:
        """Every measure in per cent, and the notes."""
        words = max(sum(self.lengths), 1)
        return {name: 100.0 * int(self.right(name).sum()) / words for name in self.measures} | self.notes

    def right(self, measure: str) -> Words:
        """Which words count as right."""
        right = np.ones(sum(self.lengths), dtype=bool)
        for column in MEASURES.get(measure, (measure,)):
            pairs = zip(self._gold[column], self._found[column], strict=True)
            right &= np.fromiter((a == b for a, b in pairs), dtype=bool, count=len(right))
        return right

    def changed(self, other: Outcome) -> Words:
        """Which words the other model, measured on the same sentences, analyses differently in any column."""
        changed = np.zeros(sum(self.lengths), dtype=bool)
        for column, found in self._found.items():
            pairs = zip(found, other._found[column], strict=True)
            changed |= np.fromiter((a != b for a, b in pairs), dtype=bool, count=len(changed))
        return changed

    def halves(self) -> tuple[Words, Words]:
        """Two masks that share the words out, by turns of whole sentences: one to choose by, one to confirm."""
        first = np.repeat(np.arange(len(self.lengths)) % 2 == 0, self.lengths)
        return first, ~first
