"""Arc labels: their numbers, which of them are allowed for arcs of the root, and the marks of lifted arcs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from plait.arrays import Float32Array
from plait.data.document import UNSPECIFIED, Sentence
from plait.data.projectivity import deprojectivize, is_marked, not_lifted, projectivize, without_marks
from plait.system.modelparts import open_labels
from plait.trees.tree import Tree

ROOT = "root"


@dataclass(frozen=True)
class ArcLabels:
    """The label set of a treebank.

    Arcs of the root have the labels seen there, other arcs those seen elsewhere. If labels of roots are not predicted
    (``at_root`` is empty), they are all ``root``. For a projective model non-projective trees are lifted, with marks in
    their labels (Nivre & Nilsson 2005), and ``write`` lowers them again: unlike rearranging arcs after decoding, this
    keeps the decoder exact.
    """

    names: tuple[str, ...]
    at_root: frozenset[int]
    elsewhere: frozenset[int]
    root: str  # the most frequent label of roots
    labelled: bool  # if not, the names do not matter
    projective: bool

    @classmethod
    def read(
        cls, sentences: Iterable[Sentence], *, labelled: bool, projective: bool, search_roots: bool = True
    ) -> Self:
        """All labels of some trees; with ``search_roots`` false those of roots are not predicted."""
        roots: Counter[str] = Counter()
        others: set[str] = set()
        for sentence in sentences:
            for head, label in zip(*_shape(sentence, projective), strict=True):
                if head == 0:
                    roots[label] += 1
                else:
                    others.add(label)
        root = min(roots, key=lambda label: (-roots[label], label)) if roots else ROOT
        if not search_roots:
            names = (sorted(others) or ["dep"]) if labelled else []
            return cls(tuple(names), frozenset(), frozenset(range(len(names))), root, labelled, projective)
        if not labelled:
            return cls((UNSPECIFIED,), frozenset({0}), frozenset({0}), root, False, projective)
        names = sorted(others | set(roots))
        at_root, elsewhere = (frozenset(i for i, n in enumerate(names) if n in part) for part in (roots, others))
        return cls(tuple(names), at_root, elsewhere or frozenset(range(len(names))), root, True, projective)

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each label."""
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def unmarked(self) -> frozenset[str]:
        """The labels without marks of lifting."""
        return frozenset(map(without_marks, self.names))

    @cached_property
    def marked(self) -> frozenset[int]:
        """The numbers of the labels with marks of lifting."""
        return frozenset(i for i, name in enumerate(self.names) if is_marked(name))

    @cached_property
    def mask(self) -> Float32Array:
        """[arcs of the root, other arcs][label]: 0, or −inf where the label is not allowed."""
        mask = np.full((2, len(self.names)), -np.inf, dtype=np.float32)
        mask[0, sorted(self.at_root)] = 0
        mask[1, sorted(self.elsewhere)] = 0
        return mask

    def gold(self, sentence: Sentence) -> Tree:
        """The tree of a training sentence."""
        heads, labels = _shape(sentence, self.projective)
        numbers = [0] * (len(heads) + 1)
        for m, (head, label) in enumerate(zip(heads, labels, strict=True), 1):
            if self.labelled and (head != 0 or self.at_root):
                numbers[m] = self.number[label]
        return Tree(np.array([0, *heads], dtype=np.int32), np.array(numbers, dtype=np.uint16))

    def write(
        self, sentence: Sentence, heads: Sequence[int], labels: Sequence[int], fixed: Sequence[bool] | None = None
    ) -> None:
        """Give the sentence its tree; lifted arcs are lowered, but for the words that are ``fixed``."""
        if not self.labelled:
            sentence.set_tree(heads, [self.root if head == 0 else UNSPECIFIED for head in heads])
            return
        known = self.names
        if self.at_root:
            names = [known[label] for label in labels]
        else:
            names = [self.root if head == 0 else known[label] for head, label in zip(heads, labels, strict=True)]
        if not self.projective or self.marked.isdisjoint(labels):
            sentence.set_tree(heads, names)
            return
        if fixed is not None:
            names = [not_lifted(name) if stays else name for name, stays in zip(names, fixed, strict=True)]
        sentence.set_tree(*deprojectivize(heads, names))

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
            raise ValueError("an arc label is not in the list of labels")
        (root,) = open_labels([header["root"]])
        return cls(names, at_root, elsewhere, root, bool(header["labelled"]), bool(header["projective"]))

    def short_header(self) -> dict[str, Any]:
        """For the file of a projective model whose roots all have one label."""
        return {"labels": list(self.names), "root_label": self.root}

    @classmethod
    def from_short_header(cls, header: Mapping[str, Any]) -> Self:
        """The inverse of ``short_header``; no names: unlabelled."""
        names, (root,) = tuple(open_labels(header["labels"])), open_labels([header["root_label"]])
        return cls(names, frozenset(), frozenset(range(len(names))), root, bool(names), True)

    @classmethod
    def of_any_arc(cls, names: Any) -> Self:
        """The labels of a model of non-projective trees in which any arc may have any label, from a header."""
        every = frozenset(range(len(opened := open_labels(names))))
        return cls(tuple(opened), every, every, ROOT, True, False)


def _shape(sentence: Sentence, projective: bool) -> tuple[list[int], list[str]]:
    if projective:
        return projectivize(sentence.heads, sentence.deprels)
    return list(sentence.heads), list(sentence.deprels)
