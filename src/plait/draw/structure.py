"""The parts of a sentence that drawings need: whether there is a tree, the displayed tags, and the parents."""

from __future__ import annotations

from collections.abc import Sequence

from plait.data.document import UNSPECIFIED, Sentence

NO_PARENT = -1


def shown_tags(sentence: Sentence) -> list[str]:
    """UPOS, or XPOS in a sentence without any; empty where nothing is given."""
    for column in (sentence.upos, sentence.xpos):
        if any(tag != UNSPECIFIED for tag in column):
            return ["" if tag == UNSPECIFIED else tag for tag in column]
    return [""] * len(sentence)


def shown_labels(sentence: Sentence) -> list[str]:
    """The labels of the arcs; empty where nothing is given."""
    return ["" if label == UNSPECIFIED else label for label in sentence.deprels]


def has_tree(sentence: Sentence) -> bool:
    """Whether any word has a head."""
    return any(0 <= head <= len(sentence) for head in sentence.heads)


def parents(heads: Sequence[int]) -> list[int]:
    """The index of each word's parent, from 0, or ``NO_PARENT``; invalid trees are turned into a forest.

    Roots, unknown heads and heads out of range have no parent, and each cycle is opened at its first word.

    >>> parents([2, 0, 2]), parents([2, 3, 1]), parents([9, -1])
    ([1, -1, 1], [-1, 2, 0], [-1, -1])
    """
    n = len(heads)
    parent = [head - 1 if 0 < head <= n else NO_PARENT for head in heads]
    reached = [0] * n  # the walk that came here first
    for start in range(n):
        node = start
        while node != NO_PARENT and not reached[node]:
            reached[node] = start + 1
            node = parent[node]
        if node != NO_PARENT and reached[node] == start + 1:  # the walk bit its own tail
            cycle = [node]
            while (following := parent[cycle[-1]]) != node:
                cycle.append(following)
            parent[min(cycle)] = NO_PARENT
    return parent
