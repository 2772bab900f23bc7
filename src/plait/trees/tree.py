"""Trees as numbers, as used by decoders and in training.

Words count from 1. A head of 0 is the root, a head of −1 is open, that is not given; a label of −1 is open too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

OPEN = -1

Heads = npt.NDArray[np.int32]
Labels = npt.NDArray[np.uint16]


class Tree(NamedTuple):
    """Heads and labels of the words 1, 2, ...; entry 0 represents the root and is 0."""

    heads: Heads
    labels: Labels
