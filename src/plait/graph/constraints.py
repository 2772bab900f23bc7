"""Constraints: the tags, heads and labels that an input fixes beforehand, as the graph-based decoders want them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.data.document import UNSPECIFIED, Sentence
from plait.data.projectivity import is_marked
from plait.errors import DataError
from plait.graph.trees import ArcLabels

OPEN = -1

Ints = npt.NDArray[np.int32]
Keep = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Constraints:
    """Numbers of the words 1, 2, ..., or ``OPEN``."""

    tags: npt.NDArray[np.int64]
    heads: npt.NDArray[np.int64]
    labels: Ints  # entry 0 is the root's

    def allowed_arcs(self) -> Keep | None:
        """[heads][words]: the arcs that the given heads leave; None when no head is given."""
        n = len(self.heads)
        if (self.heads < 0).all():
            return None
        allowed = np.ones((n + 1, n + 1), dtype=np.uint8)
        for m, h in enumerate(self.heads.tolist(), 1):
            if h >= 0:
                allowed[:, m] = 0
                allowed[h, m] = 1
        return allowed


def no_constraints(n: int) -> Constraints:
    """Everything is open."""
    return Constraints(np.full(n, OPEN), np.full(n, OPEN), np.full(n + 1, OPEN, dtype=np.int32))


def open_tags(tags: Sequence[str], columns: int) -> npt.NDArray[np.bool_]:
    """Which words have no tag in any of their columns."""
    unspecified = "\t".join([UNSPECIFIED] * columns)
    return np.array([tag == unspecified for tag in tags])


def given_labels(sentence: Sentence, labels: ArcLabels) -> Ints:
    """The labels that a sentence gives; one that the model does not know is a DataError."""
    found = np.full(len(sentence) + 1, OPEN, dtype=np.int32)
    number = {name: i for i, name in enumerate(labels.names)}
    for m, label in enumerate(sentence.deprels if labels.labelled else (), 1):
        if label != UNSPECIFIED:
            if label not in number or (labels.projective and is_marked(label)):
                raise DataError(f'given label "{label}" was never seen in training; leave it open')
            found[m] = number[label]
    return found
