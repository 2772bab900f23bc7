"""The chart of second-order and joint models: exact decoding within the pruned search space."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from plait.arrays import Float32Array, Int32Array, UInt16Array, UInt64Array
from plait.core._frozen import FrozenWeights
from plait.core._weights import Scorer
from plait.graph._chart import best_parse
from plait.graph._factors import FeatureFactors, factor_table
from plait.graph.features import Encoded, GraphFeatures
from plait.graph.kbest import Choices, Labels, Rows, in_order, with_labels
from plait.graph.nodes import Candidates
from plait.graph.pos_features import PosFeatures
from plait.graph.pruning import Keep
from plait.trees.arc_labels import ArcLabels
from plait.trees.tree import Tree

POS, SYN = "pos", "syn"  # the feature groups of Li et al. (2012)


@dataclass(frozen=True)
class Space:
    """A sentence and its pruned search space."""

    encoded: Encoded
    candidates: Candidates
    keep: Keep
    atoms: UInt64Array | None = None  # of the POS features, in a joint model
    fixed: Int32Array | None = None  # labels that are given, −1 elsewhere

    @property
    def given_labels(self) -> Int32Array:
        """The given labels, −1 elsewhere; entry 0 is the root's."""
        return np.full(len(self.encoded) + 1, -1, dtype=np.int32) if self.fixed is None else self.fixed


@dataclass
class ChartModel:
    """Features, labels and weights of a second-order or joint model, and its exact decoder."""

    features: GraphFeatures
    labels: ArcLabels
    pos: PosFeatures | None
    tables: Mapping[str, Scorer]

    def __post_init__(self) -> None:
        table = self.tables[SYN]
        if isinstance(table, FrozenWeights):
            table.filter_unknown()  # most of the factors that a chart scores are of no tree

    def decode(self, space: Space) -> tuple[UInt16Array, Tree, float]:
        """(tags, tree, score) of the best analysis; the score is −inf when the space holds no tree."""
        tags, tree, score, _ = self._decode(space)
        return tags, tree, score

    def _decode(
        self, space: Space, gold: Tree | None = None, gold_tags: UInt16Array | None = None
    ) -> tuple[UInt16Array, Tree, float, FeatureFactors]:
        """The same, loss-augmented if gold is given; and the factors, which the update needs."""
        c = space.candidates
        factors, pu, pb = self._scores(space)
        if gold_tags is not None:
            pu[1:] += c.tag[1:] != gold_tags[c.token[1:] - 1]
        losses = (None, None) if gold is None else (gold.heads, gold.labels)
        nodes, heads, labels, score = best_parse(
            factors, c.starts, space.keep, self.labels.mask, space.given_labels, pu, pb, *losses
        )
        return c.tag[nodes[1:]], Tree(heads, labels), score, factors

    def _scores(self, space: Space) -> tuple[FeatureFactors, Float32Array, Float32Array]:
        """The scores of a sentence's chart: factors, tags, pairs of tags."""
        c = space.candidates
        factors = self.features.factors(space.encoded, self.tables[SYN], c.token, c.tag)
        if self.pos is not None:
            assert space.atoms is not None
            return factors, *self.pos.scores(self.tables[POS], space.atoms, c)
        counts = np.diff(c.starts)
        pairs = int((counts[:-1] * counts[1:]).sum())
        return factors, np.zeros(len(c.tag), dtype=np.float32), np.zeros(pairs, dtype=np.float32)

    def decode_all(
        self, space: Space, on_search: Callable[[], None] = lambda: None
    ) -> Iterator[tuple[UInt16Array, Tree, float]]:
        """(tags, tree, score) of all analyses in the space, best first, beginning with that of ``decode``.

        ``on_search`` is called before each search.
        """
        c, n = space.candidates, len(space.encoded)
        factors, pu, pb = self._scores(space)
        best_labels: dict[Choices, Labels] = {}

        def solve(prefix: Choices, banned: frozenset[int]) -> tuple[float, Choices] | None:
            """Choices are the nodes of all words, then their heads."""
            on_search()
            open_pu, keep = pu.copy(), space.keep.copy()
            for word, node in enumerate(prefix[:n], 1):
                of_word = slice(c.starts[word], c.starts[word + 1])
                open_pu[of_word] = -np.inf
                open_pu[node] = pu[node]
            for word, head in enumerate(prefix[n:], 1):
                keep[:, word] = 0
                keep[head, word] = 1
            if len(prefix) < n:
                word = len(prefix) + 1
                open_pu[list(banned)] = -np.inf
                if not np.isfinite(open_pu[c.starts[word] : c.starts[word + 1]]).any():
                    return None
            else:
                word = len(prefix) - n + 1
                keep[list(banned), word] = 0
                if not keep[:, word].any():
                    return None
            nodes, heads, labels, score = best_parse(
                factors, c.starts, keep, self.labels.mask, space.given_labels, open_pu, pb
            )
            if score == -np.inf:
                return None
            choices = (*nodes[1:].tolist(), *heads[1:].tolist())
            best_labels[choices] = labels
            return score, choices

        def structures() -> Iterator[tuple[float, tuple[Int32Array, Int32Array], Rows, Labels]]:
            for score, choices in in_order(solve):
                nodes, heads = (np.array([0, *part], dtype=np.int32) for part in (choices[:n], choices[n:]))
                rows = self._label_scores(factors, nodes, heads, space.given_labels)
                yield score, (nodes, heads), rows, best_labels.pop(choices)[1:]

        for score, (nodes, heads), labels in with_labels(structures()):
            yield c.tag[nodes[1:]], Tree(heads, np.array([0, *labels.tolist()], dtype=np.uint16)), score

    def _label_scores(self, factors: FeatureFactors, nodes: Int32Array, heads: Int32Array, given: Int32Array) -> Rows:
        """[words][labels]: the score of each arc of a tree with each label, −inf for forbidden labels."""
        rows = np.zeros((len(heads) - 1, len(self.labels.names)))
        for m, (h, v, s, left, right) in enumerate(factor_table(nodes, heads).tolist()):
            if m == 0:
                continue
            row = rows[m - 1]
            row += factors.scores_of(h, v)
            if self.features.second:
                row += factors.scores_of(h, v, sibling=s)
                for g in (left, right):
                    if g >= 0:
                        row += factors.scores_of(h, v, grandchild=g)
            row += self.labels.mask[0 if heads[m] == 0 else 1]
            if given[m] >= 0:
                row[np.arange(len(row)) != given[m]] = -np.inf
        return rows
