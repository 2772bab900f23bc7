"""Voting: the value with the highest total weight, and the tree whose arcs have the highest total weight.

Heads cannot be elected word by word, since the winners need not form a tree. They are decoded instead: the score of an
arc is the weight of the members that predict it, and the maximum spanning tree wins (Sagae & Lavie 2006). Arcs without
a vote are excluded; the others always contain a tree, since every member voted for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from plait.arrays import Float64Array
from plait.graph._eisner import best_tree
from plait.graph.spanning import best_spanning_tree

V = TypeVar("V")


def elect(values: Sequence[V], weights: Sequence[float]) -> tuple[V, float]:
    """The value with the highest weight, and its share; ties go to the earlier member.

    >>> elect(["NOUN", "VERB", "VERB"], [0.9, 0.4, 0.8])[0]
    'VERB'
    >>> elect(["NOUN", "VERB"], [1, 1])
    ('NOUN', 0.5)
    """
    behind: dict[V, float] = {}
    for value, weight in zip(values, weights, strict=True):
        behind[value] = behind.get(value, 0.0) + weight
    winner = max(behind, key=lambda value: behind[value])  # the first of equals
    total = sum(behind.values())
    return winner, behind[winner] / total if total > 0 else 1.0 / len(behind)


def elect_tree(heads: Sequence[Sequence[int]], weights: Float64Array, *, projective: bool = False) -> list[int]:
    """The tree whose arcs have the most weight behind them; ``weights`` are [members][words].

    ``heads`` are the members' trees: words count from 1, 0 is the root. With ``projective``, arcs that no member voted
    for are taken only where no projective tree is left without them.

    >>> elect_tree([[2, 0, 2], [2, 0, 2], [3, 3, 0]], np.ones((3, 3)))
    [2, 0, 2]
    >>> elect_tree([[2, 0, 2], [0, 1, 2]], np.array([[1.0, 1, 1], [1.5, 1.5, 1.5]]))
    [0, 1, 2]
    """
    n = len(heads[0])
    votes = np.zeros((n + 1, n + 1))
    voted = np.zeros((n + 1, n + 1), dtype=bool)
    for row, of_member in zip(heads, weights, strict=True):
        votes[list(row), np.arange(1, n + 1)] += of_member
        voted[list(row), np.arange(1, n + 1)] = True
    if projective:
        votes[~voted] = -1.0 - n * float(weights.sum(axis=0).max())
        return best_tree(votes)[0]
    votes[~voted] = -np.inf
    return best_spanning_tree(votes)[0]
