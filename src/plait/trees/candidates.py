"""Candidate tags: the k best of the tagger within α of its best, with their distance to the best.

A score is the probability of the tag, so α and the bins of 0.05 (Bohnet & Nivre 2012) are differences of probabilities.
With a CRF it is exact. Since a CRF's cost is quadratic in the number of tags, large tag sets use a perceptron tagger,
which considers a few tags for each word; a temperature fitted to held-out data turns its scores into probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from plait.trees.inner_tagger import Probabilities, Tags

BIN = 0.05
DEPTH = 64  # tags of a word that are remembered at most


class Candidates(NamedTuple):
    """The tags that each word of a sentence may take, best first."""

    tags: Tags  # [words][k]
    counts: Tags  # [words]: how many there are, at least 1
    bins: Tags  # [words][k]: score behind the best one, in steps of 0.05

    def choices(self, gold: Sequence[int]) -> list[int]:
        """The position of each gold tag among the candidates; 0, the tagger's best, if it is not a candidate."""
        found = []
        for row, count, tag in zip(self.tags.tolist(), self.counts.tolist(), gold, strict=True):
            found.append(row.index(tag, 0, count) if tag in row[:count] else 0)
        return found


class RankedTags(NamedTuple):
    """The most probable tags of each word of a sentence, best first."""

    tags: Tags  # [words][DEPTH or fewer]
    probabilities: Probabilities

    def within(self, k: int, alpha: float) -> Candidates:
        """Up to k tags of each word, none more than alpha below its best."""
        tags, scores = self.tags[:, :k], self.probabilities[:, :k]
        behind = np.maximum(scores[:, :1] - scores, 0.0)
        counts = np.maximum((behind <= alpha + 1e-9).sum(axis=1), 1)
        # from a number a hair larger, so that 0.7 − 0.2 falls where it should on any machine
        bins = np.floor(behind / BIN + 1e-6)
        bins[np.arange(tags.shape[1])[None, :] >= counts[:, None]] = 0
        return Candidates(np.ascontiguousarray(tags), counts.astype(np.uint16), bins.astype(np.uint16))


def ranked(probabilities: Probabilities, numbers: Tags | None = None) -> RankedTags:
    """The best tags of a [words][tags] table, ties in order. ``numbers`` are the tags of its columns."""
    # in 32 bits, so that what differs by rounding alone is equal on any machine
    rounded = probabilities.astype(np.float32)
    if rounded.shape[1] <= 4 * DEPTH:
        order = np.argsort(-rounded, axis=1, kind="stable")[:, :DEPTH]
    else:
        # Most of a thousand tags are impossible, and sorting them all would take longer than finding them: of a row's
        # first DEPTH, those that are 0 are among its first 2 * DEPTH, for at most DEPTH others stand before them.
        possible = np.asarray(rounded.any(axis=0))
        possible[: 2 * DEPTH] = True
        some = np.flatnonzero(possible)
        order = some[np.argsort(-rounded[:, some], axis=1, kind="stable")[:, :DEPTH]]
    tags = order.astype(np.uint16) if numbers is None else numbers[order]
    return RankedTags(tags, probabilities[np.arange(len(order))[:, None], order])


def best_tags(probabilities: Probabilities, k: int, alpha: float) -> Candidates:
    """Up to k tags of each word, none more than alpha below its best; equal ones in the order of the tag set.

    >>> c = best_tags(np.array([[0.2, 0.7, 0.1], [0.0, 1.0, 0.0]]), 2, 0.5)
    >>> c.tags.tolist(), c.counts.tolist(), c.bins.tolist()
    ([[1, 0], [1, 0]], [2, 1], [[0, 10], [0, 0]])
    """
    if k == 1:  # as most parsers ask: nothing to sort
        return given_tags(probabilities.astype(np.float32).argmax(axis=1))
    return ranked(probabilities).within(k, alpha)


def restricted(probabilities: Probabilities, agreeing: Sequence[Sequence[int]]) -> Probabilities:
    """The probabilities renormalized over the tags that agree with the given ones; all others are far below.

    >>> restricted(np.array([[0.2, 0.6, 0.2]]), [[0, 2]]).tolist()
    [[0.5, -9.0, 0.5]]
    """
    found = probabilities.copy()
    for row, tags in zip(found, agreeing, strict=True):
        if len(tags):
            kept = row[list(tags)]
            row[:] = -9.0
            row[list(tags)] = kept / kept.sum() if kept.sum() > 0 else 1.0 / len(tags)
    return found


def given_tags(numbers: Sequence[int] | npt.NDArray[np.intp]) -> Candidates:
    """One certain tag for each word."""
    tags = np.array(numbers, dtype=np.uint16).reshape(-1, 1)
    return Candidates(tags, np.ones(len(tags), dtype=np.uint16), np.zeros_like(tags))
