"""The first-order CRF parser in the core: sums over labels, and the gradient of the likelihood.

P(tree) is proportional to exp of the sum over arcs of s(h, m, l); with one node for each word. Only features that gold
arcs show, with the labels they show them with, have weights: that is a tenth of all.
"""

from libc.math cimport INFINITY, exp, log, sqrt
from libc.stdlib cimport calloc, free, malloc

import numpy as np

from plait.core._types cimport key_t, prefetch, score_t, uint16_t, uint32_t, uint64_t
from plait.core._weights cimport Scorer
from plait.graph._factors cimport FeatureFactors


cdef enum:
    BATCH = 32          # keys looked up together, so that their cache misses overlap


cdef struct Row:
    key_t key           # 0: free
    uint32_t start      # of its labels and weights
    uint16_t count
    int number


cdef inline uint64_t filter_bit(key_t key, uint64_t mask) noexcept nogil:
    return (key >> 20) & (4 * mask + 3)


cdef class GoldRows(Scorer):
    """The weights of a fixed set of features, their gradient and the squares that AdaGrad keeps (Duchi et al. 2011).

    Row r has the labels ``codes[starts[r]:starts[r + 1]]``; ``w``, ``gradient`` and ``squares`` lie beside them.
    """

    cdef readonly object keys, starts, codes, w, gradient, squares
    cdef const uint64_t[::1] _keys
    cdef const long long[::1] _starts
    cdef const unsigned short[::1] _codes
    cdef float[::1] _w
    cdef double[::1] _gradient
    cdef float[::1] _squares
    cdef Row *slots             # [mask + 1], open addressing
    cdef uint64_t mask
    # [4 (mask + 1)] bits, one set for each key: nine of ten keys have no row, and this sees most of them without a
    # look at the slots, which lie outside the caches
    cdef uint64_t *filter
    cdef int *touched           # rows whose gradient is not zero
    cdef unsigned char *marked
    cdef Py_ssize_t touched_count

    def __cinit__(self, keys, starts, codes, Py_ssize_t labels):
        cdef Py_ssize_t r
        cdef uint64_t at, size = 1024
        self.labels = labels
        self.keys, self.starts, self.codes = keys, starts, codes
        self.w = np.zeros(len(codes) + 1, dtype=np.float32)
        self.gradient = np.zeros(len(codes) + 1)
        self.squares = np.zeros(len(codes) + 1, dtype=np.float32)
        self._keys, self._starts, self._codes = keys, starts, codes
        self._w, self._gradient, self._squares = self.w, self.gradient, self.squares
        if len(starts) != len(keys) + 1 or starts[len(keys)] != len(codes) or (len(codes) and codes.max() >= labels):
            raise ValueError("rows, starts and labels do not belong together")
        while size < 2 * <uint64_t> len(keys):
            size *= 2
        self.mask = size - 1
        if len(codes) > 0xffffffff or labels > 0xffff:
            raise ValueError("too many weights or labels for one table")
        self.slots = <Row *> calloc(size, sizeof(Row))
        self.filter = <uint64_t *> calloc(size // 16, sizeof(uint64_t))
        self.touched = <int *> malloc((len(keys) + 1) * sizeof(int))
        self.marked = <unsigned char *> calloc(len(keys) + 1, 1)
        if self.slots == NULL or self.filter == NULL or self.touched == NULL or self.marked == NULL:
            raise MemoryError()
        for r in range(len(keys)):
            at = self._keys[r] & self.mask
            while self.slots[at].key != 0:
                at = (at + 1) & self.mask
            self.slots[at].key = self._keys[r]
            self.filter[filter_bit(self._keys[r], self.mask) >> 6] |= <uint64_t> 1 << (
                filter_bit(self._keys[r], self.mask) & 63)
            self.slots[at].start = <uint32_t> self._starts[r]
            self.slots[at].count = <uint16_t> (self._starts[r + 1] - self._starts[r])
            self.slots[at].number = <int> r

    def __dealloc__(self):
        free(self.slots)
        free(self.filter)
        free(self.touched)
        free(self.marked)

    cdef Py_ssize_t find(self, const key_t *keys, Py_ssize_t n, const Row **found) noexcept nogil:
        """The rows of up to BATCH keys, those that have one; their labels and weights are on the way."""
        cdef Py_ssize_t k, rows = 0, some = 0
        cdef uint64_t at, bit
        cdef key_t known[BATCH]
        for k in range(n):
            bit = filter_bit(keys[k], self.mask)
            if keys[k] != 0 and self.filter[bit >> 6] >> (bit & 63) & 1:
                known[some] = keys[k]
                some += 1
                prefetch(&self.slots[keys[k] & self.mask])
        for k in range(some):
            at = known[k] & self.mask
            while self.slots[at].key != 0 and self.slots[at].key != known[k]:
                at = (at + 1) & self.mask
            if self.slots[at].key != 0:
                found[rows] = &self.slots[at]
                prefetch(&self._codes[self.slots[at].start])
                prefetch(&self._w[self.slots[at].start])
                rows += 1
        return rows

    cdef void add(self, const key_t *keys, Py_ssize_t n, score_t *scores) noexcept nogil:
        cdef const Row *found[BATCH]
        cdef Py_ssize_t first = 0, rows, k
        cdef uint32_t j
        while first < n:
            rows = self.find(keys + first, min(<Py_ssize_t> BATCH, n - first), found)
            for k in range(rows):
                for j in range(found[k].start, found[k].start + found[k].count):
                    scores[self._codes[j]] += self._w[j]
            first += BATCH

    cdef void collect(self, const key_t *keys, Py_ssize_t n, const double *by_label) noexcept nogil:
        """gradient += by_label for every key."""
        cdef const Row *found[BATCH]
        cdef Py_ssize_t first = 0, rows, k
        cdef uint32_t j
        while first < n:
            rows = self.find(keys + first, min(<Py_ssize_t> BATCH, n - first), found)
            for k in range(rows):
                if not self.marked[found[k].number]:
                    self.marked[found[k].number] = 1
                    self.touched[self.touched_count] = found[k].number
                    self.touched_count += 1
                for j in range(found[k].start, found[k].start + found[k].count):
                    self._gradient[j] += by_label[self._codes[j]]
            first += BATCH

    def step(self, double rate, double decay):
        """One AdaGrad step down the gradient of the loss, on the rows that have one; the gradient is zero after it."""
        cdef Py_ssize_t k, r
        cdef long long j
        cdef double g
        with nogil:
            for k in range(self.touched_count):
                r = self.touched[k]
                self.marked[r] = 0
                for j in range(self._starts[r], self._starts[r + 1]):
                    g = self._gradient[j] + decay * self._w[j]
                    self._gradient[j] = 0
                    if g != 0:
                        self._squares[j] += <float> (g * g)
                        self._w[j] -= <float> (rate * g / (sqrt(self._squares[j]) + 1e-8))
            self.touched_count = 0


cdef inline void bar(score_t *row, const float[:, ::1] bars, Py_ssize_t h, int fixed) noexcept nogil:
    cdef Py_ssize_t y
    for y in range(bars.shape[1]):
        if bars[0 if h == 0 else 1, y] != 0 or (fixed >= 0 and fixed != y):
            row[y] = -INFINITY


cdef double log_sum(const score_t *row, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t y
    cdef double top = -INFINITY, total = 0
    for y in range(n):
        top = max(top, <double> row[y])
    if top == -INFINITY:
        return top
    for y in range(n):
        total += exp(row[y] - top)
    return top + log(total)


cdef int check(FeatureFactors factors, const float[:, ::1] bars, const int[::1] fixed) except -1:
    if bars.shape[0] != 2 or bars.shape[1] != factors.labels or fixed.shape[0] != factors.nodes:
        raise ValueError("bars or given labels of another size than labels and words")
    return 0


def arc_scores(FeatureFactors factors not None, const float[:, ::1] bars not None, const int[::1] fixed not None,
               keep=None, bint sums=False):
    """(score, label, total): for each arc its best label and the score with it; with ``sums`` the log-sum over labels.

    score[h, m] is −inf for arcs that ``keep`` (when given) forbids, and on the diagonal.
    """
    cdef Py_ssize_t n = factors.nodes, L = factors.labels, h, m, y, top
    check(factors, bars, fixed)
    score_array = np.full((n, n), -np.inf)
    label_array = np.zeros((n, n), dtype=np.uint16)
    total_array = np.full((n, n), -np.inf) if sums else np.zeros((1, 1))
    row_array = np.zeros(L, dtype=np.float32)
    cdef double[:, ::1] score = score_array
    cdef unsigned short[:, ::1] label = label_array
    cdef double[:, ::1] total = total_array
    cdef float[::1] row = row_array
    cdef const unsigned char[:, ::1] kept
    cdef bint pruned = keep is not None
    kept = keep if pruned else np.zeros((1, 1), dtype=np.uint8)
    if pruned and (kept.shape[0] != n or kept.shape[1] != n):
        raise ValueError("kept arcs of another size than the sentence")
    with nogil:
        for h in range(n):
            for m in range(1, n):
                if h == m or (pruned and not kept[h, m]):
                    continue
                factors.arc(h, m, &row[0])
                bar(&row[0], bars, h, fixed[m])
                top = 0
                for y in range(1, L):
                    if row[y] > row[top]:
                        top = y
                score[h, m] = row[top]
                label[h, m] = <unsigned short> top
                if sums:
                    total[h, m] = log_sum(&row[0], L)
    return score_array, label_array, (total_array if sums else None)


def gold_features(FeatureFactors factors not None, const int[::1] heads not None):
    """(keys, words): the features of the arcs of a tree, and the word below each; heads[0] is not looked at."""
    cdef Py_ssize_t m, n, k
    found, owners = [], []
    for m in range(1, factors.nodes):
        if not 0 <= heads[m] < factors.nodes:
            raise ValueError(f"head {heads[m]} of {factors.nodes - 1} words")
        n = factors.arc_keys(heads[m], m)
        keys = np.empty(n, dtype=np.uint64)
        for k in range(n):
            keys[k] = factors.keys[k]
        keys = keys[keys != 0]
        found.append(keys)
        owners.append(np.full(len(keys), m, dtype=np.int32))
    if not found:
        return np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int32)
    return np.concatenate(found), np.concatenate(owners)


def add_gradient(GoldRows rows not None, FeatureFactors factors not None, const double[:, ::1] p not None,
                 const int[::1] heads not None, const unsigned short[::1] labels not None,
                 const float[:, ::1] bars not None, double threshold):
    """Add the gradient of −log P(tree) to the rows; arcs less probable than ``threshold`` are passed over.

    ``p[h, m]`` are the marginals of the arcs under the current weights.
    """
    cdef Py_ssize_t n = factors.nodes, L = factors.labels, h, m, y, k
    cdef double z
    fixed = np.full(n, -1, dtype=np.intc)
    check(factors, bars, fixed)
    if not (p.shape[0] == p.shape[1] == heads.shape[0] == labels.shape[0] == n):
        raise ValueError("marginals and tree of another size than the sentence")
    row_array = np.zeros(L, dtype=np.float32)
    change_array = np.zeros(L)
    cdef float[::1] row = row_array
    cdef double[::1] change = change_array
    with nogil:
        for h in range(n):
            for m in range(1, n):
                if h == m or (p[h, m] <= threshold and heads[m] != h):
                    continue
                k = factors.arc_keys(h, m)
                factors.sum_keys(k, &row[0])
                bar(&row[0], bars, h, -1)
                z = log_sum(&row[0], L)
                for y in range(L):
                    change[y] = p[h, m] * exp(row[y] - z) if row[y] > -INFINITY else 0
                if heads[m] == h:
                    change[labels[m]] -= 1
                rows.collect(factors.keys, k, &change[0])
