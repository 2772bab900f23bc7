"""Chunk labels of a file as labels of a chain, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plait.arrays import Int32Array
from plait.chain.labels import LabelSpace, hybrid_space, linear_space
from plait.chain.options import TWO_STAGES
from plait.data.schemes import BIO, OUTSIDE, Scheme, Span, split


class ChunkLabels:
    """Chunk labels of a file as numbers of a label space, and back. Words outside chunks are spans of type O."""

    def __init__(self, structure: str, scheme: Scheme, types: Sequence[str], hard: bool) -> None:
        self.structure = structure
        self.scheme = BIO if structure == "linear" else scheme
        self.types = (*types, OUTSIDE)
        self.space: LabelSpace
        if structure == "hybrid":
            self.space = hybrid_space(self.scheme.marks, self.types, self.scheme, hard=hard)
        elif structure in TWO_STAGES:
            self.space = linear_space(self.scheme.marks, self.scheme if hard else None)
        else:
            self.space = linear_space(self.scheme.labels(types), self.scheme if hard else None)
        self.mark = {mark: i for i, mark in enumerate(self.space.marks)}
        self.type = {type: i for i, type in enumerate(self.space.types)}

    def encode(self, labels: Sequence[str]) -> tuple[Int32Array, Int32Array]:
        """Marks and types of a gold sentence; what is not a legal sequence is read as conlleval reads it."""
        written = self.scheme.encode(len(labels), self.scheme.decode(labels))
        alone = self.scheme.single or self.scheme.begin[0]
        pairs = [split(label) if label != OUTSIDE else (alone, OUTSIDE) for label in written]
        if self.structure == "hybrid":
            marks = [self.mark[mark] for mark, _ in pairs]
            types = [self.type[type] for _, type in pairs]
        else:
            marks = [0] * len(written)
            types = [self.type[mark] for mark, _ in pairs] if self.structure in TWO_STAGES else [
                self.type[label] for label in written
            ]  # fmt: skip
        return np.array(marks, dtype=np.int32), np.array(types, dtype=np.int32)

    def spans(self, marks: Int32Array, types: Int32Array) -> list[Span]:
        """The chunks of a labelling; of two stages, all spans without a type."""
        if self.structure != "hybrid":
            return self.scheme.decode([self.space.types[t] for t in types])
        names = [(self.space.marks[s], self.space.types[t]) for s, t in zip(marks, types, strict=True)]
        return self.scheme.decode([OUTSIDE if type == OUTSIDE else f"{mark}-{type}" for mark, type in names])

    def all_spans(self, labels: Sequence[str]) -> list[Span]:
        """The gold spans of a sentence, those outside included."""
        chunks = {s.start: s for s in self.scheme.decode(labels)}
        covered = {i for s in chunks.values() for i in range(s.start, s.end)}
        return [chunks.get(i, Span(i, i + 1, OUTSIDE)) for i in range(len(labels)) if i in chunks or i not in covered]
