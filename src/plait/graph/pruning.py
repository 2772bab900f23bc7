"""Pruning of tags by a tagger and of arcs by a first-order parser.

A tag or head is kept if its probability is at least a given fraction of that of the word's best one. The first-order
parser's best tree is never pruned, so there is always a tree.
"""

from __future__ import annotations

import numpy as np

from plait.arrays import Float64Array, Int32Array, UInt8Array
from plait.trees.guide import GuideTree

Keep = UInt8Array

MAX_TAGS = 3  # candidates of one word; the cost grows with the fourth power


def keep_tags(p: Float64Array, threshold: float, limit: int = MAX_TAGS) -> list[list[int]]:
    """For each word (row of ``p``) the tags at least ``threshold`` times as probable as the best, the best first.

    >>> keep_tags(np.array([[0.6, 0.1, 0.3], [0.999, 0.001, 0.0]]), 0.2)
    [[0, 2], [0]]
    """
    found = []
    for row in p:
        order = np.argsort(-row, kind="stable")[:limit]
        found.append([int(t) for k, t in enumerate(order) if k == 0 or row[t] >= threshold * row[order[0]]])
    return found


def keep_guide(keep: Keep, guide: GuideTree) -> None:
    """Keep the arcs of a guide as well; its tree need not be projective."""
    keep[guide.heads[1:], np.arange(1, len(guide.heads))] = 1


def keep_arcs(p: Float64Array, threshold: float, heads: Int32Array, limit: int = 0) -> Keep:
    """keep[h, m] for arcs at least ``threshold`` times as probable as the word's best head, and those of a tree.

    With ``limit`` a word keeps at most that many heads, the most probable ones (and its head in the tree).
    """
    keep: Keep = (p >= threshold * p.max(axis=0)).astype(np.uint8)
    if 0 < limit < len(p):
        less = np.argsort(-p, axis=0, kind="stable")[limit:]
        np.put_along_axis(keep, less, 0, axis=0)
    keep[heads[1:], np.arange(1, len(heads))] = 1
    keep[:, 0] = 0
    np.fill_diagonal(keep, 0)
    return keep
