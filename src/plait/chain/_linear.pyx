"""Viterbi for the simplest chains, tags whose scores are sums over words: from forms to tags in one call.

    best(0, t) = start(t) + word(0, t)
    best(i, t) = word(i, t) + max over t' of best(i - 1, t') + step(t', t)

The same additions in the same order as ``_search.best``, so that both find the same tags and scores.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.stdlib cimport free

import numpy as np

from plait.chain._chart cimport Chart
from plait.chain._word_scores cimport WordScores
from plait.core._arrays cimport allocated
from plait.core._lattice cimport max_step


cdef class LinearDecoder:
    """The best tags of words; ``names`` are those of the tags of a chart with one segmentation label."""

    cdef WordScores words
    cdef Chart chart
    cdef tuple names, numbers

    def __cinit__(self, WordScores words not None, Chart chart not None, names):
        self.words, self.chart, self.names, self.numbers = words, chart, tuple(names), tuple(range(chart.T))
        if chart.S != 1 or chart.T != words.labels or chart.T != len(self.names):
            raise ValueError(f"{chart.S} x {chart.T} labels, {words.labels} scores and {len(self.names)} names")

    def best(self, forms):
        """(names of the tags, score); the score is -inf where no sequence of tags is allowed."""
        return self.decode(forms, self.names)

    def best_numbers(self, forms):
        """(numbers of the tags, score)."""
        found, score = self.decode(forms, self.numbers)
        return np.array(found, dtype=np.uint16), score

    cdef tuple decode(self, forms, tuple shown):
        """(the best tags as ``shown``, score)."""
        cdef Py_ssize_t n = len(forms), T = self.chart.T, i
        cdef double score
        cdef float *memory
        cdef int32_t *tags
        if n == 0:
            return [], 0.0
        memory = <float *> allocated((n + 1) * T * sizeof(float) + n * (T + 1) * sizeof(int32_t))
        tags = <int32_t *> (memory + (n + 1) * T)
        try:
            self.words.score(forms, memory)
            with nogil:
                score = viterbi(self.chart, memory, n, memory + n * T, tags + n, tags)
            return [shown[tags[i]] for i in range(n)], score
        finally:
            free(memory)


cdef double viterbi(Chart chart, float *word, Py_ssize_t n, float *before, int32_t *back, int32_t *tags) noexcept nogil:
    """``word`` [n][T] holds the scores of words and is overwritten by path scores; ``before`` [T] and ``back`` [n][T]
    are scratch."""
    cdef Py_ssize_t T = chart.T, i, t
    cdef float *here
    cdef int32_t best = -1
    for t in range(T):
        word[t] = <float> chart.start[t] + word[t]
    for i in range(1, n):
        for t in range(T):
            before[t] = word[(i - 1) * T + t] + <float> chart.sts[t]
        here = word + i * T
        # the previous row is no longer needed: it takes the maxima, to which the scores of the words are added
        max_step(here - T, back + i * T, before, NULL, chart.tst32, T)
        for t in range(T):
            here[t] = here[t - T] + here[t]
    here = word + (n - 1) * T
    for t in range(T):
        if chart.end[t] and (best < 0 or here[t] > here[best]):
            best = <int32_t> t
    if best < 0:
        for i in range(n):
            tags[i] = 0
        return -INFINITY
    tags[n - 1] = best
    for i in range(n - 1, 0, -1):
        tags[i - 1] = back[i * T + tags[i]]
    return here[best]
