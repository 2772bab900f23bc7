"""Labellings in the order of their scores, one by one, for as long as they are asked for.

With completion(i, y), the best score that can be added after label y at item i, the best labelling that begins with a
given prefix is known at once. Every further labelling leaves an earlier one at some item for the next best successor
there (Lawler 1972): taking one labelling out of the queue puts in one candidate for each item after the place where it
left its own parent, and one for the next successor at that place. Nothing is ever scored twice, so the k best of n
items cost k n candidates, whatever the number of labels.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc, realloc

import numpy as np

from plait.chain._chart cimport Chart, Scores
from plait.chain._search cimport point


# The best labelling that goes along ``parent`` before ``item`` and takes the successor of this rank there.
cdef struct Candidate:
    double score        # of the whole labelling
    Py_ssize_t parent   # number of a labelling given out before; -1: none
    int32_t item
    int32_t rank


cdef class Ranking:
    """An iterator over (s labels, t labels, score), best first; empty when no labelling is allowed."""

    cdef Chart chart
    cdef Scores x
    cdef list keep              # what x points into
    cdef list paths             # the labellings given out, as states s * T + t
    cdef list prefixes          # their scores up to each item
    cdef dict successors        # (item, state before) -> (states, scores with completion), best first
    cdef double[:, ::1] completion
    cdef Candidate *heap
    cdef Py_ssize_t size, room, n
    cdef double last            # score of the labelling given out last

    def __cinit__(self, Chart chart not None, s, t, st=None, ss=None, tt=None):
        self.chart = chart
        self.keep = []
        self.paths = []
        self.prefixes = []
        self.successors = {}
        self.n = len(s)
        self.last = INFINITY
        self.room = 64
        self.heap = <Candidate *> malloc(self.room * sizeof(Candidate))
        if self.heap == NULL:
            raise MemoryError()
        if self.n == 0:
            self.push(Candidate(0.0, -1, 0, 0))
            return
        self.x = point(chart, s, t, st, ss, tt, self.keep)
        self.completion = np.full((self.n, chart.S * chart.T), -np.inf)
        self.complete()
        self.offer(-1, 0, 0)

    def __dealloc__(self):
        free(self.heap)

    def __iter__(self):
        return self

    def __next__(self):
        cdef Py_ssize_t n = self.n, T = self.chart.T, i, number = len(self.paths)
        cdef int32_t[::1] path
        cdef double[::1] prefix
        cdef Candidate taken
        if self.size == 0:
            raise StopIteration
        taken = self.pop()
        if n == 0:
            return np.zeros(0, np.int32), np.zeros(0, np.int32), 0.0
        states, scores = np.zeros(n, dtype=np.int32), np.zeros(n)
        path, prefix = states, scores
        if taken.parent >= 0:
            states[:taken.item] = self.paths[taken.parent][:taken.item]
            scores[:taken.item] = self.prefixes[taken.parent][:taken.item]
        for i in range(taken.item, n):
            found, totals = self.following(i, path[i - 1] if i > 0 else -1)
            path[i] = found[taken.rank if i == taken.item else 0]
            prefix[i] = totals[taken.rank if i == taken.item else 0] - self.completion[i, path[i]]
            prefix[i] += prefix[i - 1] if i > 0 else 0
        self.paths.append(states)
        self.prefixes.append(scores)
        self.offer(taken.parent, taken.item, taken.rank + 1)
        for i in range(taken.item + 1, n):
            self.offer(number, i, 1)
        self.last = min(self.last, taken.score)     # rounding must not turn the order of two round
        return states // T, states % T, self.last

    cdef complete(self):
        """completion(i - 1, (s', t')) = max over s of phi_i + max over t of psi_i + completion(i, (s, t))."""
        cdef Py_ssize_t S = self.chart.S, T = self.chart.T, n = self.n, i, a, b, r
        cdef Chart chart = self.chart
        cdef double[:, ::1] H = self.completion
        cdef double[::1] half = np.zeros(S * T)
        cdef double v
        for a in range(S * T):
            if chart.end[a]:
                H[n - 1, a] = 0
        with nogil:
            for i in range(n - 1, 0, -1):
                for a in range(S):
                    for r in range(T):
                        half[a * T + r] = -INFINITY
                        for b in range(r if chart.stays[a] else 0, r + 1 if chart.stays[a] else T):
                            if chart.triple[(a * T + r) * T + b]:
                                v = chart.psi(&self.x, i, r, a, b) + H[i, a * T + b]
                                if v > half[a * T + r]:
                                    half[a * T + r] = v
                for r in range(S):
                    for a in range(S):
                        if not chart.pair[r * S + a]:
                            continue
                        for b in range(T):
                            v = chart.phi(&self.x, i, r, b, a) + half[a * T + b]
                            if v > H[i - 1, r * T + b]:
                                H[i - 1, r * T + b] = v

    cdef tuple following(self, Py_ssize_t i, Py_ssize_t before):
        """The labels that may stand at item i after ``before``, best first, and their scores with completion."""
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
                totals[state] = self.chart.start[state] + self.x.s[a] + self.x.t[b]
                if self.x.st != NULL:
                    totals[state] += self.x.st[state]
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
            self.push(Candidate(score, parent, <int32_t> item, <int32_t> rank))

    cdef int push(self, Candidate new) except -1:
        cdef Candidate *larger
        cdef Py_ssize_t at = self.size, up
        if at == self.room:
            larger = <Candidate *> realloc(self.heap, 2 * self.room * sizeof(Candidate))
            if larger == NULL:
                raise MemoryError()
            self.heap = larger
            self.room *= 2
        self.size += 1
        while at > 0:
            up = (at - 1) // 2
            if not before(&new, &self.heap[up]):
                break
            self.heap[at] = self.heap[up]
            at = up
        self.heap[at] = new
        return 0

    cdef Candidate pop(self):
        cdef Candidate top = self.heap[0], last
        cdef Py_ssize_t at = 0, child
        self.size -= 1
        if self.size == 0:
            return top
        last = self.heap[self.size]
        while True:
            child = 2 * at + 1
            if child >= self.size:
                break
            if child + 1 < self.size and before(&self.heap[child + 1], &self.heap[child]):
                child += 1
            if not before(&self.heap[child], &last):
                break
            self.heap[at] = self.heap[child]
            at = child
        self.heap[at] = last
        return top


cdef inline bint before(const Candidate *a, const Candidate *b) noexcept nogil:
    """Equal scores: the older parent and the earlier item first, so that ties fall the same way always."""
    if a.score != b.score:
        return a.score > b.score
    if a.parent != b.parent:
        return a.parent < b.parent
    return a.item < b.item
