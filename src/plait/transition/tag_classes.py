"""Classes of tags: what the filter of labels and the neighbours of a word see of a tag."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from plait.data.tags import JOINT


def tag_classes(tags: Sequence[str]) -> npt.NDArray[np.uint16]:
    """The class of each tag: its first part, numbered; plain tags are classes of their own.

    >>> tag_classes(["NOUN\\tCase=Acc", "NOUN\\tCase=Nom", "VERB\\t_"]).tolist()
    [0, 0, 1]
    """
    firsts = [tag.split(JOINT, 1)[0] for tag in tags]
    number = {first: i for i, first in enumerate(sorted(set(firsts)))}
    return np.array([number[first] for first in firsts], dtype=np.uint16)
