"""The guide of a parser: a parser of another family whose heads and labels the templates see (Nivre & McDonald 2008).

It is part of the parser's model file. In training, templates see the trees of such parsers that were not trained on the
sentence (Torres Martins et al. 2008): see ``trees.training.guide``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from plait.arrays import AnyArray, Int32Array, UInt64Array
from plait.core._hashing import text_hash
from plait.data.document import Sentence
from plait.options import Needs
from plait.system import Parts, System, find_system
from plait.system.modelparts import nested_parts, open_nested

# the systems that can guide; a committee is left out, for each of its members would be jackknifed
GUIDES = (
    "easyfirst-parser",
    "easyfirst-joint",
    "transition-parser",
    "transition-joint",
    "graph-parser",
    "graph-joint",
)
GUIDE = "guide"  # in the header
GUIDE_HELP = (
    'stacking: another parser whose heads and labels the templates use, a system with its options ("graph-joint '
    'epochs=5") or a MODEL'
)
GUIDE_FOLDS_HELP = "number of folds for jackknifing the trees of the guide"
NEEDS_GUIDE = Needs("--guide", lambda options: bool(options.guide))


class GuideTree(NamedTuple):
    """The guide's tree of a sentence."""

    heads: Int32Array  # [words + 1], 0 the root; entry 0 is -1
    labels: UInt64Array  # [words + 1]: hashes of the labels; entry 0 is 0

    @classmethod
    def of(cls, sentence: Sentence) -> GuideTree:
        """The tree of an analysed sentence."""
        return cls(
            np.array([-1, *sentence.heads], dtype=np.int32),
            np.array([0, *map(text_hash, sentence.deprels)], dtype=np.uint64),
        )


class Guide:
    """A parser inside another one."""

    def __init__(self, system: System) -> None:
        self.system = system

    def tree(self, sentence: Sentence) -> GuideTree:
        """Its tree of a sentence, which is not modified."""
        twin = sentence.copy() if self.system.takes else sentence.bare()
        self.system.annotate(twin)
        return GuideTree.of(twin)

    def parts(self) -> Parts:
        """The whole guide for the model file of the parser."""
        return nested_parts(GUIDE, self.system, with_system=True)


def open_guide(options: Any, header: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> Guide | None:
    """The inverse of ``Guide.parts``, if the options specify a guide; ValueError if the file has no valid one."""
    if not options.guide:
        return None
    name = header[GUIDE]["system"]
    if name not in GUIDES:
        raise ValueError(f"{name!r} cannot be a guide")
    if header[GUIDE]["options"].get("guide"):
        raise ValueError("the guide has a guide itself")
    return Guide(open_nested(GUIDE, find_system(name), header, arrays))
