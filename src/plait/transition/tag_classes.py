"""The parts of tags: their classes, used by the label filter and for neighbours, and their FEATS."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plait.arrays import UInt16Array
from plait.data.tags import JOINT, TagColumns


def tag_classes(tags: Sequence[str]) -> UInt16Array:
    """The class of each tag: its first part, numbered; plain tags are classes of their own.

    >>> tag_classes(["NOUN\\tCase=Acc", "NOUN\\tCase=Nom", "VERB\\t_"]).tolist()
    [0, 0, 1]
    """
    firsts = [tag.split(JOINT, 1)[0] for tag in tags]
    number = {first: i for i, first in enumerate(sorted(set(firsts)))}
    return np.array([number[first] for first in firsts], dtype=np.uint16)


def feats_of_tags(tags: Sequence[str], columns: TagColumns) -> list[str] | None:
    """The FEATS of each tag; None where tags have none.

    >>> feats_of_tags(["NOUN\\tCase=Acc", "PUNCT\\t_"], TagColumns("upos+feats"))
    ['Case=Acc', '_']
    """
    if "feats" not in columns.columns:
        return None
    at = columns.columns.index("feats")
    return [tag.split(JOINT)[at] for tag in tags]
