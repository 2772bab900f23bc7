"""The candidate words of a sentence of raw text, from which a later search chooses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Candidate(NamedTuple):
    """Units ``first`` to ``last`` − 1 of a segmenter, which are the characters ``start`` to ``end`` − 1, as a word."""

    first: int
    last: int
    start: int
    end: int
    probability: float


class WordLattice(NamedTuple):
    """The candidate words of one sentence, sorted by start and end; each is part of an analysis."""

    words: tuple[Candidate, ...]
    best: frozenset[tuple[int, int]]  # (start, end) of the segmenter's own words
    tags: Mapping[tuple[int, int], str] = {}  # that a user's dictionary has for some of them
    whole: frozenset[tuple[int, int]] = frozenset()  # words of that dictionary, which are not split
