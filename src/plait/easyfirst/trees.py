"""Trees for easy-first training and out of its decisions: numbers of labels, projective gold, the way back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from plait.data.document import Sentence
from plait.data.projectivity import deprojectivize, projectivize
from plait.system.modelparts import open_labels


@dataclass(frozen=True)
class GoldTree:
    """A projective tree in numbers."""

    heads: npt.NDArray[np.int32]  # from 0; −1 the root
    labels: npt.NDArray[np.uint16]


@dataclass(frozen=True)
class ArcLabels:
    """The labels of arcs, marks of lifted arcs included; the root has one of its own that is never in doubt."""

    names: tuple[str, ...]  # empty: unlabelled
    root: str

    @classmethod
    def read(cls, sentences: Iterable[Sentence], labelled: bool) -> Self:
        """All labels below the root, sorted, and the most frequent label of roots."""
        names: set[str] = set()
        roots: Counter[str] = Counter()
        for sentence in sentences:
            _, labels = projectivize(sentence.heads, sentence.deprels)
            names.update(label for label, head in zip(labels, sentence.heads, strict=True) if head != 0)
            roots.update(label for label, head in zip(sentence.deprels, sentence.heads, strict=True) if head == 0)
        root = min(roots, key=lambda label: (-roots[label], label)) if roots else "root"
        return cls(tuple(sorted(names)) or ("dep",) if labelled else (), root)

    def gold(self, sentence: Sentence) -> GoldTree:
        """The sentence's tree, made projective."""
        heads, labels = projectivize(sentence.heads, sentence.deprels)
        number = {label: i for i, label in enumerate(self.names)}
        return GoldTree(
            np.array(heads, dtype=np.int32) - 1,
            np.array(
                [number.get(label, 0) if head != 0 else 0 for label, head in zip(labels, heads, strict=True)],
                dtype=np.uint16,
            ),
        )

    def write(self, sentence: Sentence, heads: npt.NDArray[np.int32], labels: npt.NDArray[np.uint16]) -> None:
        """Give the sentence its tree; lifted arcs are lowered again."""
        found = (heads + 1).tolist()
        if not self.names:
            sentence.set_tree(found, [self.root if head == 0 else "_" for head in found])
            return
        names = [self.root if h == 0 else self.names[k] for h, k in zip(found, labels.tolist(), strict=True)]
        sentence.set_tree(*deprojectivize(found, names))

    @property
    def measures(self) -> tuple[str, ...]:
        """The scores of trees, the one that decides first: LAS when labelled, else UAS."""
        return ("las", "uas") if self.names else ("uas",)

    def compared(
        self, gold: Sentence, heads: npt.NDArray[np.int32], labels: npt.NDArray[np.uint16]
    ) -> dict[str, tuple[Sequence[Any], Sequence[Any]]]:
        """Gold and predicted columns for an ``Outcome``."""
        copy = Sentence(gold.forms)
        self.write(copy, heads, labels)
        return {"heads": (gold.heads, copy.heads), "labels": (gold.deprels, copy.deprels)}

    def header(self) -> dict[str, Any]:
        """For the model file."""
        return {"labels": list(self.names), "root_label": self.root}

    @classmethod
    def from_header(cls, header: Any) -> Self:
        """The inverse of ``header``."""
        return cls(tuple(open_labels(header["labels"])), *open_labels([header["root_label"]]))
