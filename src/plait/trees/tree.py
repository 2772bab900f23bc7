"""Trees as numbers, as used by decoders and in training.

Words count from 1. A head of 0 is the root, a head of −1 is open, that is not given; a label of −1 is open too.
"""

from __future__ import annotations

from typing import NamedTuple

from plait.arrays import Int32Array, UInt16Array

OPEN = -1

Heads = Int32Array
Labels = UInt16Array


class Tree(NamedTuple):
    """Heads and labels of the words 1, 2, ...; entry 0 represents the root and is 0."""

    heads: Heads
    labels: Labels
