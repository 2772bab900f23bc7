"""The chart as the online loop sees it: decode in the pruned space, compare with the gold standard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from plait.arrays import UInt16Array
from plait.core._weights import Trainable
from plait.graph.chart import POS, SYN, ChartModel, Space
from plait.learn.divergence import check_score
from plait.learn.learners import Violation
from plait.learn.online import OnlineModel
from plait.trees.tree import Tree


@dataclass(frozen=True)
class Example:
    """A training sentence: its space, gold tags and gold tree, both within the space."""

    space: Space
    tags: UInt16Array
    tree: Tree


@dataclass
class ChartInTraining(ChartModel, OnlineModel[Example]):
    """The same with weights that move."""

    tables: Mapping[str, Trainable]
    augment: bool = False

    def violation(self, example: Example) -> Violation | None:
        """Decode; where something is wrong, Δf and the errors by group: 1 for a tag or a head, 0.5 for a label."""
        gold = example.tree
        losses = (gold, example.tags) if self.augment else (None, None)
        tags, tree, score, factors = self._decode(example.space, *losses)
        check_score(score)  # the space holds the gold tree
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
