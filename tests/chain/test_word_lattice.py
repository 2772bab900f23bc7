"""Candidate words of a segmenter: what may be a word, what lies on a way through the sentence, what stays alone."""

from random import Random

import numpy as np

from plait.chain.word_lattice import connected, likely_spans, sentence_lattice
from plait.data.word_lattice import Candidate


def ways(spans: set[tuple[int, int]], at: int, last: int) -> list[list[tuple[int, int]]]:
    if at == last:
        return [[]]
    return [[span, *rest] for span in spans if span[0] == at for rest in ways(spans, span[1], last)]


def test_connected_spans_are_those_of_some_segmentation() -> None:
    random = Random(1)
    for _ in range(200):
        n = random.randint(1, 6)
        every = [(a, b) for a in range(n) for b in range(a + 1, n + 1)]
        spans = {span for span in every if random.random() < 0.4}
        first, last = sorted(random.sample(range(n + 1), 2))
        inside = {(a, b) for a, b in spans if first <= a and b <= last}
        expected = {span for way in ways(inside, first, last) for span in way}
        assert connected(spans, first, last) == sorted(expected)


def test_no_likely_word_is_left_out() -> None:
    """A word is no more probable than its borders, and than that there is no border inside."""
    random = Random(2)
    for _ in range(100):
        n = random.randint(1, 7)
        begins = [1.0, *(random.choice([0.0, 0.001, 0.3, 0.999, 1.0]) for _ in range(n - 1))]
        p = [*begins, 1.0]
        min_probability = 0.01
        expected = [
            (a, b)
            for a in range(n)
            for b in range(a + 1, n + 1)
            if min(p[a], p[b]) >= min_probability and all(1.0 - p[c] >= min_probability for c in range(a + 1, b))
        ]
        assert list(likely_spans(np.array(begins), min_probability)) == expected


def test_a_word_of_the_user_has_no_rivals() -> None:
    def word(a: int, b: int) -> Candidate:
        return Candidate(a, b, a, b, 0.5)

    own = [word(0, 2), word(2, 3), word(3, 4)]
    others = [word(0, 1), word(1, 2), word(1, 3), word(2, 4), word(0, 2)]
    free = sentence_lattice(own, others)
    assert [(w.first, w.last) for w in free.words] == [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4)]
    assert free.best == {(0, 2), (2, 3), (3, 4)}
    bound = sentence_lattice(own, others, {(2, 3)})
    assert [(w.first, w.last) for w in bound.words] == [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)]
