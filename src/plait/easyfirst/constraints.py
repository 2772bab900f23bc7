"""Constraints of easy-first systems: the tags that words may take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from plait.data.document import Sentence
from plait.data.tags import TagColumns

FREE = 2  # nothing is given for the word: the dictionary decides, as ever


def allowed_tags(sentence: Sentence, columns: TagColumns, tags: Sequence[str]) -> npt.NDArray[np.uint8]:
    """[words][tags]: 1 for the tags that agree with what a word has, ``FREE`` where it has nothing."""
    found = np.full((len(sentence), len(tags)), FREE, dtype=np.uint8)
    for row, agreeing in zip(found, columns.agreeing(sentence, tags), strict=True):
        if agreeing:
            row[:] = 0
            row[agreeing] = 1
    return found
