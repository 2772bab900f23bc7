"""The best paths through a lattice, in order: exact, by best-first search from the end with exact estimates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from plait.arrays import AnyArray


def ranked_paths(lattice: Mapping[str, AnyArray]) -> Iterator[tuple[list[int], float]]:
    """(tags, score) from the best on; each tag sequence once. Arrays as explained in ``_lattice.pxd``.

    Going back from the last word, the best that can come before a state is known exactly, so that the first path to
    reach the first word is the next best one.
    """
    first, into, source = (lattice[name].tolist() for name in ("first", "into", "source"))
    score, edge = (lattice[name].astype(np.float64).tolist() for name in ("score", "edge"))
    tag = lattice["tag"].tolist()
    reached = [0.0] * first[-1]  # the best way up to and with a state
    for s in range(first[-1]):
        ways = (reached[source[e]] + edge[e] for e in range(into[s], into[s + 1]))
        reached[s] = score[s] + (max(ways, default=float("-inf")) if s >= first[1] else 0.0)
    # (−score of the best whole path with this ending, tie-breaker, state, score of what follows it, ending)
    heap: list[tuple[float, int, int, float, Any]] = [
        (-reached[s], k, s, 0.0, None) for k, s in enumerate(range(first[-2], first[-1]))
    ]
    heapify(heap)
    made = len(heap)
    while heap:
        total, _, s, behind, ending = heappop(heap)
        if total == float("inf"):
            return
        ending = (s, ending)
        if s < first[1]:
            tags = []
            while ending is not None:
                tags.append(tag[ending[0]])
                ending = ending[1]
            yield tags, -total
            continue
        for e in range(into[s], into[s + 1]):
            after = behind + score[s] + edge[e]
            heappush(heap, (-(reached[source[e]] + after), made, source[e], after, ending))
            made += 1
