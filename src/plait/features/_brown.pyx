"""Brown clusters (Brown et al. 1992; Liang 2005): merge what costs the least mutual information of neighbours.

With n(a, b) how often cluster b follows a, N all pairs, n(a, .) and n(., b) the margins,

    q(a, b) = n(a, b) / N · log (n(a, b) · N / (n(a, .) · n(., b)))
    w(a, b) = q(a, b) + q(b, a), and q(a, a) once
    loss(a, b) = Σ over d not a, b of (w(a, d) + w(b, d) − w(a∪b, d)) + w(a, a) + w(b, b) + w(a, b) − w(a∪b, a∪b)

The k most frequent words start as separate clusters; each further word is added as a new cluster, and the pair with the
smallest loss is merged. All losses are stored, and after a merge or a new word each changes by a few terms.
"""

from libc.math cimport log
from libc.stdint cimport int64_t

import numpy as np

from plait.core._arrays cimport Arrays, free_arrays, new_array


cdef class Brown:
    cdef Py_ssize_t capacity    # clusters
    cdef int64_t *n             # [capacity][capacity]
    cdef int64_t *left          # [capacity]: n(a, .) over the whole text
    cdef int64_t *right         # [capacity]: n(., a)
    cdef double *w              # [capacity][capacity]
    cdef double *loss           # [capacity][capacity], a < b
    cdef bint *used             # [capacity]
    cdef double total
    cdef Arrays *arrays         # those above

    def __cinit__(self, Py_ssize_t capacity, int64_t total):
        self.capacity = capacity
        self.total = <double> total
        self.n = <int64_t *> new_array(&self.arrays, capacity * capacity * sizeof(int64_t))
        self.left = <int64_t *> new_array(&self.arrays, 2 * capacity * sizeof(int64_t))
        self.w = <double *> new_array(&self.arrays, capacity * capacity * sizeof(double))
        self.loss = <double *> new_array(&self.arrays, capacity * capacity * sizeof(double))
        self.used = <bint *> new_array(&self.arrays, capacity * sizeof(bint))
        self.right = self.left + capacity

    def __dealloc__(self):
        free_arrays(&self.arrays)

    cdef inline double q(self, int64_t n, int64_t left, int64_t right) noexcept nogil:
        if n == 0:
            return 0
        return n / self.total * log(n * self.total / (<double> left * <double> right))

    cdef double w_of(self, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
        cdef Py_ssize_t r = self.capacity
        cdef double one = self.q(self.n[a * r + b], self.left[a], self.right[b])
        return one if a == b else one + self.q(self.n[b * r + a], self.left[b], self.right[a])

    cdef inline double w_merged(self, Py_ssize_t a, Py_ssize_t b, Py_ssize_t d) noexcept nogil:
        """w(a∪b, d)"""
        cdef Py_ssize_t r = self.capacity
        cdef int64_t out = self.n[a * r + d] + self.n[b * r + d], into = self.n[d * r + a] + self.n[d * r + b]
        return (self.q(out, self.left[a] + self.left[b], self.right[d])
                + self.q(into, self.left[d], self.right[a] + self.right[b]))

    cdef double whole_loss(self, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
        cdef Py_ssize_t r = self.capacity, d
        cdef int64_t inside = self.n[a * r + a] + self.n[a * r + b] + self.n[b * r + a] + self.n[b * r + b]
        cdef double loss = self.w[a * r + a] + self.w[b * r + b] + self.w[a * r + b]
        loss -= self.q(inside, self.left[a] + self.left[b], self.right[a] + self.right[b])
        for d in range(r):
            if self.used[d] and d != a and d != b:
                loss += self.w[a * r + d] + self.w[b * r + d] - self.w_merged(a, b, d)
        return loss

    cdef void change_losses(self, Py_ssize_t d, double sign) noexcept nogil:
        """Add or subtract the terms of one cluster in the losses of all other pairs."""
        cdef Py_ssize_t r = self.capacity, a, b
        for a in range(r):
            if not self.used[a] or a == d:
                continue
            for b in range(a + 1, r):
                if self.used[b] and b != d:
                    self.loss[a * r + b] += sign * (self.w[a * r + d] + self.w[b * r + d] - self.w_merged(a, b, d))

    cdef void enter(self, Py_ssize_t c) noexcept nogil:
        """Activate a cluster whose counts are set."""
        cdef Py_ssize_t r = self.capacity, d
        self.used[c] = True
        for d in range(r):
            if self.used[d]:
                self.w[c * r + d] = self.w_of(c, d)
                self.w[d * r + c] = self.w[c * r + d]
        self.change_losses(c, 1)
        for d in range(r):
            if self.used[d] and d != c:
                self.loss[min(c, d) * r + max(c, d)] = self.whole_loss(min(c, d), max(c, d))

    cdef void merge(self, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
        """Merge b into a, and free its slot."""
        cdef Py_ssize_t r = self.capacity, d
        self.change_losses(a, -1)
        self.used[a] = False
        self.change_losses(b, -1)
        self.used[b] = False
        for d in range(r):
            self.n[a * r + d] += self.n[b * r + d]
            self.n[b * r + d] = 0
        for d in range(r):
            self.n[d * r + a] += self.n[d * r + b]
            self.n[d * r + b] = 0
        self.left[a] += self.left[b]
        self.right[a] += self.right[b]
        self.left[b] = 0
        self.right[b] = 0
        self.enter(a)

    cdef bint cheapest(self, Py_ssize_t *first, Py_ssize_t *second) noexcept nogil:
        cdef Py_ssize_t r = self.capacity, a, b
        cdef bint found = False
        for a in range(r):
            if not self.used[a]:
                continue
            for b in range(a + 1, r):
                if self.used[b] and (not found or self.loss[a * r + b] < self.loss[first[0] * r + second[0]]):
                    first[0] = a
                    second[0] = b
                    found = True
        return found


def brown_clusters(pairs, counts, Py_ssize_t words, Py_ssize_t clusters, track=None):
    """Bit strings of words 0 .. words − 1, which are numbered by falling frequency.

    ``pairs`` [m][2] are neighbours, each once, and ``counts`` [m] how often they were seen.
    """
    cdef const int64_t[:, ::1] pair = np.ascontiguousarray(pairs, dtype=np.int64)
    cdef const int64_t[::1] count = np.ascontiguousarray(counts, dtype=np.int64)
    cdef Py_ssize_t m = pair.shape[0], i, j, a = 0, b = 0, place
    cdef Brown brown = Brown(min(clusters, words) + 1, max(1, int(np.sum(counts))))
    cdef Py_ssize_t r = brown.capacity
    if m and (pair.shape[1] != 2 or count.shape[0] != m or np.min(pairs) < 0 or np.max(pairs) >= words):
        raise ValueError("pairs and counts of other words")
    of_word = [[] for _ in range(words)]
    for i in range(m):
        of_word[max(pair[i, 0], pair[i, 1])].append(i)      # counted when the later of the two words is added
    margins = np.zeros((2, words), dtype=np.int64)
    for side in range(2):
        np.add.at(margins[side], np.asarray(pairs, dtype=np.int64).reshape(-1, 2)[:, side], counts)
    cluster = np.full(words, -1, dtype=np.int64)
    cdef int64_t[::1] at = cluster
    for place in (range(words) if track is None else track(range(words), "clusters")):
        i = place
        a = 0
        while brown.used[a]:
            a += 1
        at[i] = a
        brown.left[a] = margins[0, i]
        brown.right[a] = margins[1, i]
        for j in of_word[i]:
            brown.n[at[pair[j, 0]] * r + at[pair[j, 1]]] += count[j]
        with nogil:
            brown.enter(a)
        if i >= clusters:
            with nogil:
                brown.cheapest(&a, &b)
                brown.merge(a, b)
            cluster[cluster == b] = a
    # the remaining clusters are merged into a binary tree, whose paths are the bit strings
    names = {int(c): [int(c)] for c in set(cluster.tolist())}
    bits = {c: "" for c in names}
    while brown.cheapest(&a, &b):
        brown.merge(a, b)
        for side, root in (("0", a), ("1", b)):
            for c in names[root]:
                bits[c] = side + bits[c]
        names[a] = names[a] + names.pop(b)
    return [bits[c] or "0" for c in cluster.tolist()]
