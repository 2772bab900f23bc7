"""Second-order and joint models as the online loop sees them: decode in the pruned space, compare with gold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.core._weights import Scorer, Trainable
from plait.graph._chart import best_parse
from plait.graph._factors import FeatureFactors, factor_table
from plait.graph.features import Encoded, GraphFeatures
from plait.graph.pruning import Candidates, Keep
from plait.graph.tagging import Atoms, PosFeatures
from plait.graph.trees import ArcLabels, Tree
from plait.learn.learners import Violation

POS, SYN = "pos", "syn"  # the feature groups of Li et al. (2012)

Tags = npt.NDArray[np.uint16]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Space:
    """A sentence and what pruning left of its analyses."""

    encoded: Encoded
    candidates: Candidates
    keep: Keep
    atoms: Atoms | None = None  # of the POS features, in a joint model
    fixed: npt.NDArray[np.int32] | None = None  # labels that are given, −1 elsewhere


@dataclass(frozen=True)
class Example:
    """A training sentence: its space, gold tags and gold tree, both within the space."""

    space: Space
    tags: Tags
    tree: Tree


class ChartModel:
    """Features, labels and weights of a second-order or joint model, and its exact decoder."""

    def __init__(
        self, features: GraphFeatures, labels: ArcLabels, pos: PosFeatures | None, tables: Mapping[str, Scorer]
    ) -> None:
        self.features = features
        self.labels = labels
        self.pos = pos
        self.tables = tables
        self.bars = labels.bars

    def decode(self, space: Space) -> tuple[Tags, Tree, float]:
        """(tags, tree, score) of the best analysis; the score is −inf when the space holds no tree."""
        tags, tree, score, _ = self._decode(space)
        return tags, tree, score

    def _decode(
        self, space: Space, gold: Tree | None = None, gold_tags: Tags | None = None
    ) -> tuple[Tags, Tree, float, FeatureFactors]:
        """The same with losses added where gold is given; and the factors, which the update needs again."""
        c = space.candidates
        factors = self.features.factors(space.encoded, self.tables[SYN], c.token, c.tag)
        if self.pos is not None:
            assert space.atoms is not None
            pu, pb = self.pos.scores(self.tables[POS], space.atoms, c)
        else:
            counts = np.diff(c.starts)
            pu = np.zeros(len(c.tag), dtype=np.float32)
            pb = np.zeros(int((counts[:-1] * counts[1:]).sum()), dtype=np.float32)
        if gold_tags is not None:
            pu[1:] += c.tag[1:] != gold_tags[c.token[1:] - 1]
        fixed = np.full(len(space.encoded) + 1, -1, dtype=np.int32) if space.fixed is None else space.fixed
        losses = (None, None) if gold is None else (gold.heads, gold.labels)
        nodes, heads, labels, score = best_parse(factors, c.starts, space.keep, self.bars, fixed, pu, pb, *losses)
        return c.tag[nodes[1:]], Tree(heads, labels), score, factors

    def group_scores(self, space: Space, tags: Tags, tree: Tree) -> dict[str, float]:
        """The score of an analysis by feature group (Figure 5 of Li et al. 2012)."""
        c = space.candidates
        nodes = c.nodes(tags.tolist())
        factors = self.features.factors(space.encoded, self.tables[SYN], c.token, c.tag)
        found = {SYN: tree_score(self, factors, nodes, tree)}
        if self.pos is not None:
            assert space.atoms is not None
            pu, pb = self.pos.scores(self.tables[POS], space.atoms, c)
            total = float(pu[nodes[1:]].sum())
            counts = np.diff(c.starts)
            at = 0
            for w in range(len(nodes) - 1):
                a, b = nodes[w] - c.starts[w], nodes[w + 1] - c.starts[w + 1]
                total += float(pb[at + a * counts[w + 1] + b])
                at += int(counts[w] * counts[w + 1])
            found[POS] = total
        return found


class ChartInTraining(ChartModel):
    """The same with weights that move."""

    tables: Mapping[str, Trainable]

    def __init__(
        self,
        features: GraphFeatures,
        labels: ArcLabels,
        pos: PosFeatures | None,
        tables: Mapping[str, Trainable],
        augment: bool = False,
    ) -> None:
        super().__init__(features, labels, pos, tables)
        self.augment = augment

    def violation(self, example: Example) -> Violation | None:
        """Decode; where something is wrong, Δf and the errors by group: 1 for a tag or a head, 0.5 for a label."""
        gold = example.tree
        losses = (gold, example.tags) if self.augment else (None, None)
        tags, tree, _, factors = self._decode(example.space, *losses)
        wrong_tags = int((tags != example.tags).sum())
        wrong_heads = tree.heads[1:] != gold.heads[1:]
        wrong_labels = ~wrong_heads & (tree.labels[1:] != gold.labels[1:])
        wrong_arcs = float(wrong_heads.sum()) + 0.5 * float(wrong_labels.sum())
        if wrong_tags == 0 and wrong_arcs == 0:
            return None
        c = example.space.candidates
        delta = {
            SYN: factors.tree_delta(
                c.nodes(example.tags.tolist()), gold.heads, gold.labels,
                c.nodes(tags.tolist()), tree.heads, tree.labels, self.features.second,
            )
        }  # fmt: skip
        errors = {SYN: wrong_arcs}
        if self.pos is not None:
            assert example.space.atoms is not None
            delta[POS] = self.pos.delta(example.space.atoms, example.tags, tags)
            errors[POS] = float(wrong_tags)
        return Violation(delta, errors)


def tree_score(model: ChartModel, factors: FeatureFactors, nodes: npt.NDArray[np.int32], tree: Tree) -> float:
    """The sum of a tree's factors, found one by one."""
    total = 0.0
    for m, (h, v, s, left, right) in enumerate(factor_table(nodes, tree.heads).tolist()):
        if m == 0:
            continue
        keys = factors.keys_of(h, v)
        if model.features.second:
            keys += factors.keys_of(h, v, sibling=s)
            keys += [key for g in (left, right) if g >= 0 for key in factors.keys_of(h, v, grandchild=g)]
        total += float(factors.weights.scores(np.array(keys, dtype=np.uint64))[tree.labels[m]])
    return total
