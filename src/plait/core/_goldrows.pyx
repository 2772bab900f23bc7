"""Rows of weights for the features and labels that occur in gold data: a tenth of all."""

from libc.math cimport sqrt
from libc.stdint cimport uint16_t, uint32_t

import numpy as np

from plait.core._arrays cimport free_arrays, new_array
from plait.core._memory cimport Slot, find, free_map, insert, reserve
from plait.core._rows cimport BATCH, prefetch
from plait.core._types cimport score_t


cdef inline uint64_t filter_bit(key_t key, uint64_t mask) noexcept nogil:
    return (key >> 20) & (4 * mask + 3)


cdef class GoldRows(Scorer):
    """The weights of a fixed set of features, their gradient and AdaGrad's sums of squares (Duchi et al. 2011).

    Row r has the labels ``codes[starts[r]:starts[r + 1]]``; ``w``, ``gradient`` and ``squares`` are parallel to them.
    """

    def __cinit__(self, keys, starts, codes, Py_ssize_t labels):
        cdef Py_ssize_t r
        cdef uint64_t bit
        cdef Slot *slot
        self.labels = labels
        self.keys, self.starts, self.codes = keys, starts, codes
        self.w = np.zeros(len(codes) + 1, dtype=np.float32)
        self.gradient = np.zeros(len(codes) + 1)
        self.squares = np.zeros(len(codes) + 1, dtype=np.float32)
        self._keys, self._starts, self._codes = keys, starts, codes
        self._w, self._gradient, self._squares = self.w, self.gradient, self.squares
        if len(starts) != len(keys) + 1 or starts[len(keys)] != len(codes) or (len(codes) and codes.max() >= labels):
            raise ValueError("rows, starts and labels do not belong together")
        if len(codes) > 0xffffffff or labels > 0xffff:
            raise ValueError("too many weights or labels for one table")
        reserve(&self.rows, max(len(keys), 512))
        self.filter = <uint64_t *> new_array(&self.arrays, (self.rows.mask + 1) // 16 * sizeof(uint64_t))
        self.changed = <Row *> new_array(&self.arrays, len(keys) * sizeof(Row))
        self.marked = <unsigned char *> new_array(&self.arrays, len(codes))
        for r in range(len(keys)):
            if self._starts[r] == self._starts[r + 1]:
                continue
            slot = insert(&self.rows, self._keys[r])
            slot.value.row.start = <uint32_t> self._starts[r]
            slot.value.row.count = <uint16_t> (self._starts[r + 1] - self._starts[r])
            bit = filter_bit(self._keys[r], self.rows.mask)
            self.filter[bit >> 6] |= <uint64_t> 1 << (bit & 63)

    def __dealloc__(self):
        free_map(&self.rows)
        free_arrays(&self.arrays)

    cdef Py_ssize_t find_rows(self, const key_t *keys, Py_ssize_t *at, Py_ssize_t n, const Row **found) noexcept nogil:
        """The rows of the next BATCH keys that have one; advances ``at`` and prefetches labels and weights."""
        cdef Py_ssize_t k, rows = 0, some = 0, first = at[0]
        cdef uint64_t bit
        cdef key_t known[BATCH]
        cdef const Slot *slot
        at[0] = min(first + <Py_ssize_t> BATCH, n)
        for k in range(first, at[0]):
            bit = filter_bit(keys[k], self.rows.mask)
            if keys[k] != 0 and self.filter[bit >> 6] >> (bit & 63) & 1:
                known[some] = keys[k]
                some += 1
                prefetch(&self.rows.slots[keys[k] & self.rows.mask])
        for k in range(some):
            slot = find(&self.rows, known[k])
            if slot.key != 0:
                found[rows] = &slot.value.row
                prefetch(&self._codes[slot.value.row.start])
                prefetch(&self._w[slot.value.row.start])
                rows += 1
        return rows

    cdef void add(self, const key_t *keys, Py_ssize_t n, score_t *scores) noexcept nogil:
        cdef const Row *found[BATCH]
        cdef Py_ssize_t at = 0, k
        cdef uint32_t j
        while at < n:
            for k in range(self.find_rows(keys, &at, n, found)):
                for j in range(found[k].start, found[k].start + found[k].count):
                    scores[self._codes[j]] += self._w[j]

    cdef void collect(self, const key_t *keys, Py_ssize_t n, const double *by_label) noexcept nogil:
        """gradient += by_label for every key."""
        cdef const Row *row
        cdef const Row *found[BATCH]
        cdef Py_ssize_t at = 0, k
        cdef uint32_t j
        while at < n:
            for k in range(self.find_rows(keys, &at, n, found)):
                row = found[k]
                if not self.marked[row.start]:
                    self.marked[row.start] = 1
                    self.changed[self.changed_count] = row[0]
                    self.changed_count += 1
                for j in range(row.start, row.start + row.count):
                    self._gradient[j] += by_label[self._codes[j]]

    def step(self, double rate, double decay):
        """One AdaGrad step on the rows with a gradient, which is cleared."""
        cdef Py_ssize_t k
        cdef uint32_t j
        cdef double g
        with nogil:
            for k in range(self.changed_count):
                self.marked[self.changed[k].start] = 0
                for j in range(self.changed[k].start, self.changed[k].start + self.changed[k].count):
                    g = self._gradient[j] + decay * self._w[j]
                    self._gradient[j] = 0
                    if g != 0:
                        self._squares[j] += <float> (g * g)
                        self._w[j] -= <float> (rate * g / (sqrt(self._squares[j]) + 1e-8))
            self.changed_count = 0
