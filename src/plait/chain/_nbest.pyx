"""Labellings in order of their scores, computed lazily.

With completion(i, y), the best score that can be added after label y at item i, the best labelling that begins with a
given prefix is known immediately. Every further labelling deviates from an earlier one at some item, with the next best
successor there (Lawler 1972): removing a labelling from the queue inserts one candidate for each item after its own
deviation, and one for the next successor at that item. Nothing is scored twice, so the k best of n items cost k n
candidates, whatever the number of labels.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.stdlib cimport free

import numpy as np

from plait.chain._chart cimport Chart, Scores
from plait.chain._search cimport as_scores
from plait.core._arrays cimport enlarged
from plait.core._memory cimport Ranked, pop, push


cdef class Ranking:
    """An iterator over (s labels, t labels, score), best first; empty when no labelling is allowed."""

    cdef Chart chart
    cdef Scores x
    cdef list keep              # keeps the arrays of x alive
    cdef list paths             # the labellings returned so far, as states s * T + t
    cdef list prefixes          # their scores up to each item
    cdef dict successors        # (item, state before) -> (states, scores with completion), best first
    cdef double[:, ::1] completion
    # A candidate is the best labelling that follows a parent, the number of an earlier labelling (-1: none), up to an
    # item and deviates there with the successor of some rank; its number is ((parent + 1) * n + item) * labels + rank.
    cdef Ranked *heap
    cdef Py_ssize_t size, capacity, n, labels
    cdef double last            # score of the labelling returned last

    def __cinit__(self, Chart chart not None, dict scores not None):
        self.chart = chart
        self.keep = []
        self.paths = []
        self.prefixes = []
        self.successors = {}
        self.n = len(scores["s"])
        self.last = INFINITY
        self.labels = chart.S * chart.T
        if self.n == 0:
            self.enqueue(0.0, -1, 0, 0)
            return
        self.x = as_scores(chart, scores, self.keep)
        self.completion = np.full((self.n, self.labels), -np.inf)
        cdef double[::1] half = np.zeros(self.labels)
        chart.complete(&self.x, self.n, &self.completion[0, 0], &half[0])
        self.offer(-1, 0, 0)

    def __dealloc__(self):
        free(self.heap)

    def __iter__(self):
        return self

    def __next__(self):
        cdef Py_ssize_t n = self.n, T = self.chart.T, i, number = len(self.paths), parent, item, rank
        cdef int32_t[::1] path
        cdef double[::1] prefix
        cdef Ranked taken
        if self.size == 0:
            raise StopIteration
        taken = pop(self.heap, self.size)
        self.size -= 1
        if n == 0:
            return np.zeros(0, np.int32), np.zeros(0, np.int32), 0.0
        rank = taken.number % self.labels
        item = taken.number // self.labels % n
        parent = taken.number // (self.labels * n) - 1
        states, scores = np.zeros(n, dtype=np.int32), np.zeros(n)
        path, prefix = states, scores
        if parent >= 0:
            states[:item] = self.paths[parent][:item]
            scores[:item] = self.prefixes[parent][:item]
        for i in range(item, n):
            found, totals = self.following(i, path[i - 1] if i > 0 else -1)
            path[i] = found[rank if i == item else 0]
            prefix[i] = totals[rank if i == item else 0] - self.completion[i, path[i]]
            prefix[i] += prefix[i - 1] if i > 0 else 0
        self.paths.append(states)
        self.prefixes.append(scores)
        self.offer(parent, item, rank + 1)
        for i in range(item + 1, n):
            self.offer(number, i, 1)
        self.last = min(self.last, taken.score)     # rounding must not reverse the order
        return states // T, states % T, self.last

    cdef tuple following(self, Py_ssize_t i, Py_ssize_t before):
        """The labels allowed at item i after ``before``, best first, and their scores with completion."""
        cdef Py_ssize_t S = self.chart.S, T = self.chart.T, N = S * T, state, a, b
        cdef double[::1] totals
        key = i * N + before
        known = self.successors.get(key)
        if known is not None:
            return known
        scores = np.full(N, -np.inf)
        totals = scores
        for state in range(N):
            a, b = state // T, state % T
            if self.completion[i, state] == -INFINITY:
                continue
            if i == 0:
                totals[state] = self.chart.first_score(&self.x, a, b)
            elif self.chart.pair[(before // T) * S + a] and self.chart.triple[(a * T + before % T) * T + b]:
                totals[state] = (self.chart.phi(&self.x, i, before // T, before % T, a)
                                 + self.chart.psi(&self.x, i, before % T, a, b))
            totals[state] += self.completion[i, state]
        order = np.argsort(-scores, kind="stable")[:int(np.count_nonzero(scores > -np.inf))].astype(np.int32)
        self.successors[key] = order, scores[order]
        return self.successors[key]

    cdef offer(self, Py_ssize_t parent, Py_ssize_t item, Py_ssize_t rank):
        """Put a candidate into the queue, if there is a successor of this rank."""
        cdef Py_ssize_t before = -1 if item == 0 else self.paths[parent][item - 1]
        cdef double score
        _, totals = self.following(item, before)
        if rank < len(totals):
            score = totals[rank]
            if item > 0:
                score += self.prefixes[parent][item - 1]
            self.enqueue(score, parent, item, rank)

    cdef int enqueue(self, double score, Py_ssize_t parent, Py_ssize_t item, Py_ssize_t rank) except -1:
        """Ties: the older parent and the earlier item first, so that the order is deterministic."""
        if self.size == self.capacity:
            self.heap = <Ranked *> enlarged(self.heap, &self.capacity, sizeof(Ranked))
        push(self.heap, self.size, Ranked(score, ((parent + 1) * self.n + item) * self.labels + rank))
        self.size += 1
        return 0
