"""The first-order CRF parser: a probability for every tree, projective or of any shape.

log P(tree) = sum over arcs of w · f(h, m, label) − log Z, with Z by inside-outside (Eisner 2000; Paskin 2001) or by
the matrix-tree theorem (Koo et al. 2007).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from plait.arrays import Float64Array, Int32Array, UInt8Array, UInt16Array
from plait.core._weights import Scorer
from plait.graph._crf import arc_scores
from plait.graph._eisner import best_tree, marginals
from plait.graph.features import Encoded, GraphFeatures
from plait.graph.kbest import Choices, Labels, Rows, in_order, with_labels
from plait.graph.spanning import best_spanning_tree, spanning_marginals
from plait.trees.arc_labels import ArcLabels
from plait.trees.tree import OPEN, Tree


@dataclass(frozen=True)
class ArcCrf:
    """A first-order model under some weights."""

    features: GraphFeatures
    labels: ArcLabels
    weights: Scorer

    def best(
        self, encoded: Encoded, keep: UInt8Array | None = None, fixed: Int32Array | None = None
    ) -> tuple[Tree, float]:
        """The best tree and its score, −inf if ``keep`` or ``fixed`` allow none."""
        score, label, _ = self.arcs(encoded, keep, fixed)
        return self._tree(score, label)

    def probabilities(
        self, encoded: Encoded, keep: UInt8Array | None = None, fixed: Int32Array | None = None
    ) -> tuple[Tree, float, Float64Array]:
        """(best tree, score, P[h, m]): with the marginals of arcs."""
        score, label, total = self.arcs(encoded, keep, fixed, sums=True)
        assert total is not None
        tree, value = self._tree(score, label)
        return tree, value, self.arc_marginals(total)

    def best_in_order(
        self, encoded: Encoded, keep: UInt8Array | None, fixed: Int32Array, on_search: Callable[[], None] = lambda: None
    ) -> Iterator[tuple[Tree, float]]:
        """All trees and their scores, best first, beginning with that of ``best``; ``on_search`` as in the chart."""
        factors = self.features.one_best(encoded, self.weights)
        score, label, _ = arc_scores(factors, self.labels.mask, fixed, keep)
        n = len(encoded)

        def solve(prefix: Choices, banned: frozenset[int]) -> tuple[float, Choices] | None:
            """Choices are the heads of the words."""
            on_search()
            left = score.copy()
            for m, h in enumerate(prefix, 1):
                left[:, m] = -np.inf
                left[h, m] = score[h, m]
            left[list(banned), len(prefix) + 1] = -np.inf
            heads, value = self.find(left)
            return (value, tuple(heads)) if value > -np.inf else None

        def structures() -> Iterator[tuple[float, Int32Array, Rows, Labels]]:
            for value, choices in in_order(solve):
                heads = np.array([0, *choices], dtype=np.int32)
                rows = np.array([factors.scores_of(h, m) for m, h in enumerate(choices, 1)], dtype=np.float64)
                rows += self.labels.mask[np.minimum(heads[1:], 1)]
                given = fixed[1:, None]
                rows[(given >= 0) & (given != np.arange(rows.shape[1]))] = -np.inf
                yield value, heads, rows, label[heads[1:], np.arange(1, n + 1)]

        for value, heads, labels in with_labels(structures()):
            yield Tree(heads, np.array([0, *labels.tolist()], dtype=np.uint16)), value

    def label_probabilities(self, encoded: Encoded, tree: Tree) -> Float64Array:
        """P(label | arc) for the arcs of a tree, words 1, 2, ..."""
        factors = self.features.one_best(encoded, self.weights)
        found = []
        for m, (h, label) in enumerate(zip(tree.heads.tolist(), tree.labels.tolist(), strict=True)):
            if m > 0:
                row = self.weights.scores(np.array(factors.keys_of(h, m), dtype=np.uint64)).astype(np.float64)
                row += self.labels.mask[0 if h == 0 else 1]
                found.append(float(np.exp(row[label] - np.logaddexp.reduce(row))))
        return np.array(found)

    def arcs(
        self, encoded: Encoded, keep: UInt8Array | None = None, fixed: Int32Array | None = None, *, sums: bool = False
    ) -> tuple[Float64Array, UInt16Array, Float64Array | None]:
        """For each kept arc the score of its best label, and the label; with ``sums`` also the log-sum over labels."""
        factors = self.features.one_best(encoded, self.weights)
        free = np.full(len(encoded) + 1, OPEN, dtype=np.int32) if fixed is None else fixed
        return arc_scores(factors, self.labels.mask, free, keep, sums=sums)

    def arc_marginals(self, total: Float64Array) -> Float64Array:
        """P[h, m] out of the log-sums of arcs."""
        return (marginals if self.labels.projective else spanning_marginals)(np.ascontiguousarray(total))[1]

    def find(self, score: Float64Array) -> tuple[list[int], float]:
        """Heads and score of the best tree under scores of arcs."""
        score = np.ascontiguousarray(score)
        return (best_tree if self.labels.projective else best_spanning_tree)(score)

    def _tree(self, score: Float64Array, label: UInt16Array) -> tuple[Tree, float]:
        heads, value = self.find(score)
        full = np.array([0, *heads], dtype=np.int32)
        labels = label[full, np.arange(len(full))]
        labels[0] = 0
        return Tree(full, labels), value
