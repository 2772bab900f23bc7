"""Viterbi for the simplest chains, tags whose scores are sums over words: from forms to tags in one call.

    best(0, t) = start(t) + word(0, t)
    best(i, t) = word(i, t) + max over t' of best(i - 1, t') + step(t', t)

The same additions in the same order as ``_search.best``, so that both find the same tags and scores.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint16_t
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
    cdef tuple names

    def __cinit__(self, WordScores words not None, Chart chart not None, names):
        self.words, self.chart, self.names = words, chart, tuple(names)
        if chart.S != 1 or chart.T != words.labels or chart.T != len(self.names):
            raise ValueError(f"{chart.S} x {chart.T} labels, {words.labels} scores and {len(self.names)} names")

    def best(self, forms):
        """(names of the tags, score); the score is -inf where no sequence of tags is allowed."""
        cdef Py_ssize_t n = len(forms), i
        cdef list found = []
        cdef double score = 0
        cdef int32_t *tags = NULL
        cdef float *memory
        if n == 0:
            return found, score
        memory = self.decode(forms, n, &tags, &score)
        for i in range(n):
            found.append(self.names[tags[i]])
        free(memory)
        return found, score

    def best_numbers(self, forms):
        """(numbers of the tags, score)."""
        cdef Py_ssize_t n = len(forms), i
        cdef double score = 0
        cdef int32_t *tags = NULL
        cdef float *memory
        found = np.zeros(n, dtype=np.uint16)
        cdef uint16_t[::1] view = found
        if n == 0:
            return found, score
        memory = self.decode(forms, n, &tags, &score)
        for i in range(n):
            view[i] = <uint16_t> tags[i]
        free(memory)
        return found, score

    cdef float *decode(self, forms, Py_ssize_t n, int32_t **tags, double *score) except NULL:
        """Decode into newly allocated memory, which the caller must free; sets ``tags`` to the tags in it."""
        cdef Py_ssize_t T = self.chart.T
        cdef float *memory = <float *> allocated((n + 1) * T * sizeof(float) + n * (T + 1) * sizeof(int32_t))
        tags[0] = <int32_t *> (memory + (n + 1) * T)
        try:
            self.words.score(forms, memory)
        except BaseException:
            free(memory)
            raise
        with nogil:
            score[0] = viterbi(self.chart, memory, n, memory + n * T, tags[0] + n, tags[0])
        return memory


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
