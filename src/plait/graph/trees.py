"""Trees as the charts see them: numbers of labels, which of them the root's arcs may have, and the way back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from plait.data.document import Sentence
from plait.data.projectivity import deprojectivize, not_lifted, projectivize
from plait.system.modelparts import open_labels

Heads = npt.NDArray[np.int32]
Labels = npt.NDArray[np.uint16]


@dataclass(frozen=True)
class Tree:
    """Heads and labels of the words 1, 2, ...; entry 0 stands for the root and is 0."""

    heads: Heads
    labels: Labels


@dataclass(frozen=True)
class ArcLabels:
    """The labels of a treebank; one that stands for all when ``labelled`` is false.

    Arcs of the root have the labels seen there, other arcs those seen elsewhere. A projective model sees
    non-projective trees lifted, with marks in their labels (Nivre & Nilsson 2005), and ``write`` lowers them again:
    unlike an exchange of arcs after decoding, that leaves the decoder exact.
    """

    names: tuple[str, ...]
    at_root: frozenset[int]
    elsewhere: frozenset[int]
    root: str  # the most frequent label of roots
    labelled: bool
    projective: bool

    @classmethod
    def read(cls, sentences: Iterable[Sentence], *, labelled: bool, projective: bool) -> Self:
        """All labels of the trees."""
        at_root: Counter[str] = Counter()
        elsewhere: set[str] = set()
        for sentence in sentences:
            heads, labels = _shape(sentence, projective)
            at_root.update(label for label, head in zip(labels, heads, strict=True) if head == 0)
            elsewhere.update(label for label, head in zip(labels, heads, strict=True) if head != 0)
        root = min(at_root, key=lambda label: (-at_root[label], label)) if at_root else "root"
        if not labelled:
            return cls(("_",), frozenset({0}), frozenset({0}), root, False, projective)
        names = tuple(sorted(elsewhere | set(at_root)))
        number = {name: i for i, name in enumerate(names)}
        others = frozenset(number[name] for name in elsewhere) or frozenset(range(len(names)))
        return cls(names, frozenset(number[name] for name in at_root), others, root, True, projective)

    @property
    def bars(self) -> npt.NDArray[np.float32]:
        """[arcs of the root, other arcs][label]: 0, or −inf where the label may not be."""
        bars = np.full((2, len(self.names)), -np.inf, dtype=np.float32)
        bars[0, sorted(self.at_root)] = 0
        bars[1, sorted(self.elsewhere)] = 0
        return bars

    def gold(self, sentence: Sentence) -> Tree:
        """The tree of a training sentence."""
        heads, labels = _shape(sentence, self.projective)
        number = {label: i for i, label in enumerate(self.names)}
        numbers = [number[label] for label in labels] if self.labelled else [0] * len(labels)
        return Tree(np.array([0, *heads], dtype=np.int32), np.array([0, *numbers], dtype=np.uint16))

    def write(self, sentence: Sentence, tree: Tree, fixed: npt.NDArray[np.bool_] | None = None) -> None:
        """Give the sentence its tree; lifted arcs are lowered, but for the words (from 1) that are ``fixed``."""
        heads = tree.heads[1:].tolist()
        if not self.labelled:
            sentence.set_tree(heads, [self.root if head == 0 else "_" for head in heads])
            return
        labels = [self.names[label] for label in tree.labels[1:].tolist()]
        if fixed is not None:
            labels = [
                not_lifted(label) if stays else label for label, stays in zip(labels, fixed.tolist(), strict=True)
            ]
        sentence.set_tree(*deprojectivize(heads, labels))

    def header(self) -> dict[str, Any]:
        """For the model file."""
        return {
            "names": list(self.names),
            "at_root": sorted(self.at_root),
            "elsewhere": sorted(self.elsewhere),
            "root": self.root,
            "labelled": self.labelled,
            "projective": self.projective,
        }

    @classmethod
    def from_header(cls, header: Mapping[str, Any]) -> Self:
        """The inverse of ``header``."""
        names = tuple(open_labels(header["names"]))
        at_root, elsewhere = (frozenset(int(i) for i in header[side]) for side in ("at_root", "elsewhere"))
        if not names or not at_root or not elsewhere or not (at_root | elsewhere) <= frozenset(range(len(names))):
            raise ValueError("labels of arcs that are not listed")
        (root,) = open_labels([header["root"]])
        return cls(names, at_root, elsewhere, root, bool(header["labelled"]), bool(header["projective"]))


def _shape(sentence: Sentence, projective: bool) -> tuple[list[int], list[str]]:
    if projective:
        return projectivize(sentence.heads, sentence.deprels)
    return list(sentence.heads), list(sentence.deprels)
