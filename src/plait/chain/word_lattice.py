"""The lattice of candidate words of a sentence, according to a segmenter."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from plait.arrays import Float64Array
from plait.data.word_lattice import Candidate, WordLattice

LONGEST = 24  # units of a candidate word; the segmenter's own words may be longer


def likely_spans(begins: Float64Array, min_probability: float) -> Iterator[tuple[int, int]]:
    """The spans of units that can be words of this probability, given the probability that a word begins at each unit.

    A word is no more probable than its boundaries, and the absence of a boundary inside.

    >>> import numpy as np
    >>> list(likely_spans(np.array([1.0, 0.001, 0.5]), 0.01))
    [(0, 2), (0, 3), (2, 3)]
    """
    p = [*begins.tolist(), 1.0]
    n = len(p) - 1
    for a in range(n):
        if p[a] < min_probability:
            continue
        for b in range(a + 1, min(n, a + LONGEST) + 1):
            if p[b] >= min_probability:
                yield a, b
            if 1.0 - p[b] < min_probability:
                break


def connected(spans: Collection[tuple[int, int]], first: int, last: int) -> list[tuple[int, int]]:
    """The spans on any path from ``first`` to ``last``, sorted.

    >>> connected([(0, 1), (1, 3), (0, 2), (3, 4), (2, 4)], 0, 4)
    [(0, 1), (0, 2), (1, 3), (2, 4), (3, 4)]
    >>> connected([(0, 1), (1, 2), (0, 3), (3, 4)], 0, 4)
    [(0, 3), (3, 4)]
    """
    inside = sorted(span for span in spans if first <= span[0] and span[1] <= last)
    reached, leading = {first}, {last}
    for a, b in inside:
        if a in reached:
            reached.add(b)
    for a, b in reversed(inside):  # in descending order of start, so all paths from b are known
        if b in leading:
            leading.add(a)
    return [(a, b) for a, b in inside if a in reached and b in leading]


def sentence_lattice(
    own: Sequence[Candidate], others: Sequence[Candidate], kept: Collection[tuple[int, int]] = ()
) -> WordLattice:
    """The lattice of one sentence, whose words are ``own``.

    The words ``kept``, (start, end), have no competitors.
    """
    found = {(word.first, word.last): word for word in (*others, *own)}
    for word in own:
        if (word.start, word.end) in kept:
            crossing = [
                (a, b) for a, b in found if a < word.last and b > word.first and (a, b) != (word.first, word.last)
            ]
            for span in crossing:
                del found[span]
    words = tuple(found[span] for span in connected(found, own[0].first, own[-1].last))
    return WordLattice(words, frozenset((word.start, word.end) for word in own))
