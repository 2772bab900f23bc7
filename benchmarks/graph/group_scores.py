"""The score of an analysis by feature group: Figure 5 of Li et al. (2012)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from plait.graph._factors import FeatureFactors, factor_table
from plait.graph.chart import POS, SYN, ChartModel, Space
from plait.trees.tree import Tree


def group_scores(model: ChartModel, space: Space, tags: npt.NDArray[np.uint16], tree: Tree) -> dict[str, float]:
    """The scores of the tags and of the tree."""
    c = space.candidates
    nodes = c.nodes(tags.tolist())
    factors = model.features.factors(space.encoded, model.tables[SYN], c.token, c.tag)
    found = {SYN: tree_score(model, factors, nodes, tree)}
    if model.pos is not None:
        assert space.atoms is not None
        pu, pb = model.pos.scores(model.tables[POS], space.atoms, c)
        total = float(pu[nodes[1:]].sum())
        counts = np.diff(c.starts)
        at = 0
        for w in range(len(nodes) - 1):
            a, b = nodes[w] - c.starts[w], nodes[w + 1] - c.starts[w + 1]
            total += float(pb[at + a * counts[w + 1] + b])
            at += int(counts[w] * counts[w + 1])
        found[POS] = total
    return found


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
