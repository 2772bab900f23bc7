"""One document as flat columns, with the position of every word in the text: the input of all measures.

Words are numbered through the whole document from 0. A head is the number of a word, or one of the constants below.
Positions count characters of the concatenated surface tokens, without spaces.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import chain

import numpy as np

from plait.arrays import BoolArray, Int64Array
from plait.data.document import UNSPECIFIED, Sentence

ROOT = -1  # the word is the root of its sentence
NO_HEAD = -2  # the head is unknown, or points outside the sentence
UNPAIRED = -3  # as the partner of a word: there is none


class Spans:
    """Where words, surface tokens and sentences begin and end; the words of a multiword token share its span."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.starts: list[int] = []  # of each word
        self.ends: list[int] = []
        self.multiword: list[bool] = []  # is the word part of a multiword token?
        self.tokens: list[tuple[int, int]] = []
        self.sentences: list[tuple[int, int]] = []
        pieces: list[str] = []
        at = 0
        for sentence in sentences:
            begin = at
            for first, last, form, _ in sentence.surface_tokens():
                piece = form if form.isalnum() else _without_spaces(form)
                pieces.append(piece)
                end = at + len(piece)
                self.tokens.append((at, end))
                count = last - first + 1
                self.starts += [at] * count
                self.ends += [end] * count
                # a range over a single word is a multiword token, too
                inside = bool(sentence.ranges) and any(r.start <= first <= r.end for r in sentence.ranges)
                self.multiword += [inside] * count
                at = end
            self.sentences.append((begin, at))
        self.text = "".join(pieces)


class Words:
    """The words of some sentences in one row, column by column."""

    def __init__(
        self, sentences: Sequence[Sentence], name: str | None = None, found: frozenset[str] | None = None
    ) -> None:
        self.sentences = sentences
        self.name = name  # of the file they came from, for messages
        self.predicted_columns = found  # the columns that a model found; None where that is not known
        lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
        self.first: Int64Array = np.concatenate(([0], np.cumsum(lengths)))  # [sentences + 1], first word of each
        self.sentence: Int64Array = np.repeat(np.arange(len(sentences)), lengths)  # [words], the sentence of each
        self._columns: dict[str, list[str]] = {}

    def __len__(self) -> int:
        return int(self.first[-1])

    @property
    def forms(self) -> list[str]:
        """Every word as written."""
        return self.column("forms")

    def column(self, name: str) -> list[str]:
        """A text column by its name in the sentence; a column of ``extra`` is unspecified where it is absent."""
        if name not in self._columns:
            if name in Sentence.__slots__:
                parts = (getattr(s, name) for s in self.sentences)
            else:
                parts = (s.extra.get(name) or [UNSPECIFIED] * len(s) for s in self.sentences)
            self._columns[name] = list(chain.from_iterable(parts))
        return self._columns[name]

    @cached_property
    def heads(self) -> Int64Array:
        """[words], the head of each: a word's number, ROOT or NO_HEAD."""
        own = np.fromiter(chain.from_iterable(s.heads for s in self.sentences), np.int64, len(self))
        length = np.diff(self.first)[self.sentence]
        flat = np.where(own == 0, ROOT, own - 1 + self.first[self.sentence])
        flat[(own < 0) | (own > length)] = NO_HEAD
        return flat

    @cached_property
    def arc_lengths(self) -> Int64Array:
        """[words], the distance to the head; 0 for roots and unknown heads."""
        return np.where(self.heads >= 0, np.abs(np.arange(len(self)) - self.heads), 0)

    @cached_property
    def punctuation(self) -> BoolArray:
        """[words], is it punctuation: UPOS is PUNCT or, where there is no UPOS, all characters are Unicode's P*."""
        pairs = zip(self.column("upos"), self.forms, strict=True)
        return np.fromiter((is_punctuation(tag, form) for tag, form in pairs), np.bool_, len(self))

    @cached_property
    def spans(self) -> Spans:
        """The position of everything in the text."""
        return Spans(self.sentences)

    def given(self, name: str) -> BoolArray:
        """[words], is there a value in the column?"""
        return np.fromiter((value != UNSPECIFIED for value in self.column(name)), np.bool_, len(self))

    def has(self, name: str) -> bool:
        """Whether the column is given anywhere."""
        if name == "heads":
            return bool((self.heads != NO_HEAD).any())
        return any(value != UNSPECIFIED for value in self.column(name))


def is_punctuation(upos: str, form: str) -> bool:
    """Whether the word is punctuation by its tag or, without one, by its characters."""
    if upos != UNSPECIFIED:
        return upos == "PUNCT"
    return form != "" and all(unicodedata.category(c).startswith("P") for c in form)


def encode(
    gold: Sequence[str], predicted: Sequence[str], key: Callable[[str], str] | None = None
) -> tuple[Int64Array, Int64Array]:
    """Both columns as numbers, equal exactly where the values (or what ``key`` makes of them) are equal."""
    names: dict[str, int] = {}
    codes = {value: names.setdefault(key(value) if key else value, len(names)) for value in {*gold, *predicted}}
    return (
        np.fromiter(map(codes.__getitem__, gold), np.int64, len(gold)),
        np.fromiter(map(codes.__getitem__, predicted), np.int64, len(predicted)),
    )


def _without_spaces(form: str) -> str:
    return "".join(c for c in form if unicodedata.category(c) != "Zs")
