"""First-order trees of any shape: the maximum spanning tree, and the sum over all of them by the matrix-tree theorem.

Words count from 1 and 0 is the root, which has exactly one child.
"""

from __future__ import annotations

import numpy as np

from plait.arrays import Float64Array


def best_spanning_tree(score: Float64Array) -> tuple[list[int], float]:
    """(heads of the words 1, 2, ..., score) of the best tree (Chu & Liu 1965, Edmonds 1967); −inf forbids an arc.

    Arcs of the root are penalized so much that only one is used. The score is −inf if there is no tree.

    >>> best_spanning_tree(np.array([[0, 1, 2.0], [0, 0, 3], [0, 4, 0]]))
    ([2, 0], 6.0)
    """
    n = len(score)
    if n == 1:
        return [], 0.0
    dear = score.copy()
    np.fill_diagonal(dear, -np.inf)
    dear[:, 0] = -np.inf
    finite = dear[np.isfinite(dear)]
    if finite.size == 0:
        return [0] * (n - 1), -np.inf
    dear[0] -= 1.0 + (n + 1) * (float(finite.max()) - float(finite.min()))
    heads = _contract(dear)
    if heads is None or sum(h == 0 for h in heads[1:]) != 1:
        return [0] * (n - 1), -np.inf
    total = sum(float(score[h, m]) for m, h in enumerate(heads[1:], 1))
    return heads[1:], total


def _contract(score: Float64Array) -> list[int] | None:
    """Best heads, contracting one cycle at a time; None if some word can have no head."""
    n = len(score)
    heads = [-1, *(int(h) for h in score[:, 1:].argmax(axis=0))]
    if not all(np.isfinite(score[heads[m], m]) for m in range(1, n)):
        return None
    cycle = _cycle(heads)
    if not cycle:
        return heads
    inside = np.zeros(n, dtype=bool)
    inside[cycle] = True
    outside = [i for i in range(n) if not inside[i]]  # 0 is never in a cycle
    kept = score[[heads[m] for m in cycle], cycle]
    enter = score[np.ix_(outside, cycle)] - kept  # what it costs to break the cycle at each of its words
    leave = score[np.ix_(cycle, outside)]
    k = len(outside)
    smaller = np.full((k + 1, k + 1), -np.inf)
    smaller[:k, :k] = score[np.ix_(outside, outside)]
    smaller[:k, k] = enter.max(axis=1)
    smaller[k, :k] = leave.max(axis=0)
    smaller[k, 0] = -np.inf
    found = _contract(smaller)
    if found is None:
        return None
    new = list(heads)
    for at, m in enumerate(outside):
        if m == 0:
            continue
        new[m] = outside[found[at]] if found[at] < k else cycle[int(leave[:, at].argmax())]
    broken = int(enter[found[k]].argmax())
    new[cycle[broken]] = outside[found[k]]
    return new


def _cycle(heads: list[int]) -> list[int]:
    seen = [0] * len(heads)
    for start in range(1, len(heads)):
        at = start
        while at > 0 and seen[at] == 0:
            seen[at] = start
            at = heads[at]
        if at > 0 and seen[at] == start:
            cycle = [at]
            while heads[cycle[-1]] != at:
                cycle.append(heads[cycle[-1]])
            return cycle
    return []


def spanning_marginals(score: Float64Array) -> tuple[float, Float64Array]:
    """(log Z, P[h, m]) over all trees (Koo et al. 2007): the Laplacian with the root's arcs in its first row."""
    n = len(score) - 1
    if n == 0:
        return 0.0, np.zeros((1, 1))
    shifted = score.copy()
    np.fill_diagonal(shifted, -np.inf)
    top = shifted[:, 1:].max(axis=0)
    if not np.isfinite(top).all():
        return -np.inf, np.zeros_like(score)
    weight = np.exp(shifted[:, 1:] - top)  # each word's arcs by its best: determinants stay near 1
    root, arcs = weight[0], weight[1:]
    laplacian = np.diag(arcs.sum(axis=0)) - arcs
    laplacian[0] = root
    sign, value = np.linalg.slogdet(laplacian)
    if sign <= 0 or not np.isfinite(value):
        return -np.inf, np.zeros_like(score)
    inverse = np.linalg.inv(laplacian)
    p = np.zeros_like(score)
    p[0, 1:] = root * inverse[:, 0]
    diagonal = np.diag(inverse).copy()
    diagonal[0] = 0.0  # the first row of the Laplacian is taken by the root, and so is its column of derivatives
    others = inverse.T.copy()
    others[0] = 0.0
    p[1:, 1:] = arcs * (diagonal - others)
    return float(value + top.sum()), np.clip(p, 0.0, 1.0)
