"""The labels of a segmenter: encoding words over units as labels of a chain, decoding, constraints and bonuses.

A segmentation label is a mark of the scheme (B, M, E, S ...); the last unit of a sentence carries it with a full stop
(``E.``, ``S.``) where sentences are learnt as well.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from plait.arrays import Float32Array, Float64Array, Int32Array
from plait.chain._tokens import read_labels
from plait.chain.crf import Bonuses, Mask
from plait.chain.labels import LabelSpace, hybrid_space, linear_space
from plait.data.schemes import Scheme

FINAL = "."


Rule = tuple[frozenset[str] | None, str]  # marks and type that a unit may have; None and "": any
FREE: Rule = (None, "")


class Token(NamedTuple):
    """Units ``start`` to ``end`` − 1 as one surface token."""

    start: int
    end: int
    type: str
    final: bool


class SegmentLabels:
    """Words, and types if there are any, as labels of one structure: hybrid, cross-product, or words only."""

    def __init__(
        self, structure: str, scheme: Scheme, types: Sequence[str], *, finals: bool, hard: bool = True
    ) -> None:
        self.scheme = scheme
        self.structure = structure  # hybrid, cross-product, linear
        marks = list(scheme.marks)
        self.finals = finals
        self.hard = hard
        if finals:
            marks += [mark + FINAL for mark in scheme.marks if mark in (scheme.end, scheme.single)]
        self.marks = tuple(marks)
        self.types = tuple(types)
        self.space: LabelSpace
        if structure == "hybrid":
            self.space = hybrid_space(marks, types, scheme, hard=hard, finals=FINAL)
        else:
            typed = types if structure == "cross-product" else [""]
            labels = [f"{mark}-{type}" if type else mark for type in typed for mark in marks]
            self.space = linear_space(labels, scheme if hard else None, finals=FINAL)
        if finals and hard:  # a text ends where a sentence ends
            names = marks if structure == "hybrid" else [label.partition("-")[0] for label in self.space.types]
            stops = np.array([name.endswith(FINAL) for name in names])
            self.space.end[:] &= stops[:, None] if structure == "hybrid" else stops[None, :]
        self._label = {label: i for i, label in enumerate(self.space.types)}
        self._mark = {mark: i for i, mark in enumerate(self.marks)}
        self._begins = [scheme.may_follow("", mark.removesuffix(FINAL)) for mark in self.marks]
        # the same as arrays, for reading labellings back
        self._starts = np.array(self._begins)
        ends = np.array([mark.removesuffix(FINAL) in (scheme.end, scheme.single) for mark in self.marks])
        self._stops = np.array([mark.endswith(FINAL) for mark in self.marks])
        self._flags = (self._starts.astype(np.uint8), ends.astype(np.uint8), self._stops.astype(np.uint8))
        pairs = [self._names(0, t) for t in range(len(self.space.types))]
        self._type_of = [type for _, type in pairs]
        self._mark_of = np.array([self._mark.get(mark, 0) for mark, _ in pairs], dtype=np.int32)
        self._patterns = self._pattern_rows()
        self.beginnings = frozenset(
            mark.removesuffix(FINAL) for mark, ok in zip(marks, self._begins, strict=True) if ok
        )
        self._rule_masks: dict[Rule, tuple[Float32Array, Float32Array]] = {}  # few: marks by type

    def code(self, mark: str, type: str) -> tuple[int, int]:
        """(mark number, type number) in the chart."""
        if self.structure == "hybrid":
            return self._mark[mark], self._label[type]
        return 0, self._label[f"{mark}-{type}" if self.structure == "cross-product" and type else mark]

    def encode(self, n: int, tokens: Iterable[Token]) -> tuple[Int32Array, Int32Array]:
        """Gold labels of n units; all types must be known."""
        marks, types = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32)
        for token in tokens:
            for k, (s, t) in enumerate(self.path(token), token.start):
                marks[k], types[k] = s, t
        return marks, types

    def path(self, token: Token) -> list[tuple[int, int]]:
        """The labels of one token."""
        names = self.scheme.marks_of(token.end - token.start)
        if token.final and self.finals:
            names[-1] += FINAL
        return [self.code(name, token.type) for name in names]

    def decode(self, marks: Int32Array, types: Int32Array) -> list[Token]:
        """The tokens of a labelling; an illegal one (with soft constraints) is split wherever a word may begin."""
        mark = marks if self.structure == "hybrid" else self._mark_of[types]
        return read_labels(Token, mark, types, *self._flags, self._type_of)

    def beginning(self, probabilities: Mapping[str, Float64Array]) -> Float64Array:
        """The probability that a word begins at each unit, from the probabilities of labels."""
        if self.structure == "hybrid":
            found: Float64Array = probabilities["s"][:, self._starts].sum(axis=1)
        else:
            found = probabilities["t"][:, self._starts[self._mark_of]].sum(axis=1)
        return found

    def _names(self, s: int, t: int) -> tuple[str, str]:
        if self.structure == "hybrid":
            return self.marks[s], self.space.types[t]
        mark, _, type = self.space.types[t].partition("-")
        return mark, type

    def mask(self, allowed: Sequence[Rule]) -> Mask:
        """The rules of all units, (marks without full stop or None for all, type or "" for all), as 0 and −inf."""
        n = len(allowed)
        s = np.zeros((n, len(self.space.marks)), dtype=np.float32)
        t = np.zeros((n, len(self.space.types)), dtype=np.float32)
        places: dict[Rule, list[int]] = {}
        for i, rule in enumerate(allowed):
            if rule is not FREE and rule != FREE:
                places.setdefault(rule, []).append(i)
        for rule, items in places.items():
            found = self._rule_masks.get(rule)
            if found is None:
                found = self._rule_masks[rule] = self._rule_mask(*rule)
            s[items], t[items] = found
        return {"s": s, "t": t}

    def forbid_sentence_ends(self, mask: Mask) -> None:
        """No sentence ends before the last unit."""
        if self.structure == "hybrid":
            mask["s"][:-1, self._stops] = -np.inf
        else:
            mask["t"][:-1, self._stops[self._mark_of]] = -np.inf

    def _rule_mask(self, marks: frozenset[str] | None, type: str) -> tuple[Float32Array, Float32Array]:
        def fits(mark: str) -> bool:
            return marks is None or mark.removesuffix(FINAL) in marks

        if self.structure == "hybrid":
            s = [fits(mark) for mark in self.marks]
            t = [not type or name == type for name in self.space.types]
        else:
            s = [True]
            pairs = [self._names(0, k) for k in range(len(self.space.types))]
            t = [fits(mark) and (not type or self.structure == "linear" or name == type) for mark, name in pairs]
        return tuple(np.where(flags, 0, -np.inf).astype(np.float32) for flags in (s, t))  # type: ignore[return-value]

    def rules(self, token: Token, type: str = "") -> list[Rule]:
        """The rules of the units of a token that must be one word."""
        return [(frozenset({mark}), type) for mark in self.scheme.marks_of(token.end - token.start)]

    def allow_types(self, mask: Mask, start: int, end: int, types: Collection[str]) -> None:
        """Restrict the units from ``start`` to ``end`` − 1 to these types."""
        flags = np.array([name in types for name in self._type_of])
        mask["t"][start:end, ~flags] = -np.inf

    def bonuses(self, words: Iterable[tuple[int, int, str, float]]) -> Bonuses | None:
        """Bonuses for words (start, end, type or "" for any, value); None if there are none."""
        each = 2 if self.finals else 1
        places = {type: (each * k, each * k + each) for k, type in enumerate(self.word_types)}
        everything = (0, each * len(places))
        starts, ends, values = array("i"), array("i"), array("f")  # there may be very many
        first, past = array("i"), array("i")
        for start, end, type, value in words:
            a, b = places.get(type, everything)
            starts.append(start)
            ends.append(end)
            first.append(a)
            past.append(b)
            values.append(value)
        return Bonuses(self._patterns, (starts, ends, first, past, values)) if starts else None

    @property
    def word_types(self) -> Sequence[str]:
        """The types that words may have; the empty one if the labels have none."""
        return ("",) if self.structure == "linear" else self.types

    def _pattern_rows(self) -> Int32Array:
        """The label patterns of words of any length, by type, and for words that end a sentence or do not."""
        heads = len(self.scheme.begin)
        marks = self.scheme.marks_of(heads + 2)  # head, one inside, last
        (single,) = self.scheme.marks_of(1)
        rows = []
        for type in self.word_types:
            for suffix in ("", FINAL) if self.finals else ("",):
                names = [single + suffix, marks[heads], marks[-1] + suffix, *marks[:heads]]
                rows.append([s * len(self.space.types) + t for s, t in (self.code(name, type) for name in names)])
        return np.array(rows, dtype=np.int32)
