"""Constraints: the given heads and labels of an input, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from plait.arrays import Int32Array, UInt8Array
from plait.data.document import UNSPECIFIED
from plait.data.projectivity import is_marked
from plait.errors import DataError
from plait.trees.arc_labels import ArcLabels
from plait.trees.tree import OPEN


class ArcConstraints(NamedTuple):
    """The head and the label number of each word, or ``OPEN``."""

    heads: Int32Array
    labels: Int32Array

    @classmethod
    def none(cls, words: int) -> ArcConstraints:
        """Everything is open."""
        return cls(np.full(words, OPEN, dtype=np.int32), np.full(words, OPEN, dtype=np.int32))

    @classmethod
    def of(
        cls, heads: Sequence[int], deprels: Sequence[str], labels: ArcLabels, *, strict: bool = False
    ) -> ArcConstraints:
        """The constraints of a sentence. An unknown label is open; with ``strict`` it is a DataError."""
        numbers = np.full(len(heads), OPEN, dtype=np.int32)
        for i, label in enumerate(deprels if labels.labelled else ()):
            if label == UNSPECIFIED:
                continue
            if strict and (label not in labels.number or (labels.projective and is_marked(label))):
                seen = "occurs only with crossing arcs" if label in labels.unmarked else "does not occur"
                raise DataError(f'given label "{label}" {seen} in the training data; leave it unspecified')
            numbers[i] = labels.number.get(label, OPEN)
        return cls(np.array(heads, dtype=np.int32), numbers)

    def allowed_arcs(self) -> UInt8Array | None:
        """[heads][words], the root first: the arcs that the given heads allow; None if no head is given.

        >>> ArcConstraints(np.array([2, -1]), np.array([-1, -1])).allowed_arcs().tolist()
        [[1, 0, 1], [1, 0, 1], [1, 1, 1]]
        """
        n = len(self.heads)
        if (self.heads < 0).all():
            return None
        allowed = np.ones((n + 1, n + 1), dtype=np.uint8)
        for m, h in enumerate(self.heads.tolist(), 1):
            if h >= 0:
                allowed[:, m] = 0
                allowed[h, m] = 1
        return allowed
