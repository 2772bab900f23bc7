"""Constraints of easy-first systems: the tags, heads and labels of a sentence as the search wants them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from plait.data.document import Sentence
from plait.data.given import Given
from plait.data.tags import TagColumns
from plait.easyfirst.trees import ArcLabels

FREE = 2  # nothing is given for the word: the dictionary decides, as ever


def allowed_tags(sentence: Sentence, columns: TagColumns, tags: Sequence[str]) -> npt.NDArray[np.uint8]:
    """[words][tags]: 1 for the tags that agree with what a word has, ``FREE`` where it has nothing."""
    found = np.full((len(sentence), len(tags)), FREE, dtype=np.uint8)
    for row, agreeing in zip(found, columns.agreeing(sentence, tags), strict=True):
        if agreeing:
            row[:] = 0
            row[agreeing] = 1
    return found


def given_heads(given: Given) -> npt.NDArray[np.int32]:
    """From 0; −1 is the root, −2 open."""
    return np.array([-2 if head < 0 else head - 1 for head in given.heads], dtype=np.int32)


def given_labels(given: Given, labels: ArcLabels) -> npt.NDArray[np.int32]:
    """Their numbers; −1 is open, as is a label that the model does not know."""
    number = {name: i for i, name in enumerate(labels.names)}
    return np.array([number.get(label, -1) for label in given.labels], dtype=np.int32)
