"""A table that counts the lookups of a decoder: keys, and keys that have a row."""

from libc.stdlib cimport free
from libc.string cimport memset

from plait.core._arrays cimport allocated
from plait.core._types cimport key_t, score_t
from plait.core._weights cimport Scorer


cdef class CountingScorer(Scorer):
    """Scores like another table, one key at a time; for measurements only."""

    cdef readonly Scorer table
    cdef readonly long long keys    # of templates that fired
    cdef readonly long long rows    # keys that have a row with a nonzero weight
    cdef score_t *row

    def __cinit__(self, Scorer table not None):
        self.table = table
        self.labels = table.labels
        self.row = <score_t *> allocated((self.labels + 1) * sizeof(score_t))

    def __dealloc__(self):
        free(self.row)

    def reset(self):
        """Count from 0 again."""
        self.keys = self.rows = 0

    cdef void add_each(self, const key_t *keys, Py_ssize_t n, score_t **sums) noexcept nogil:
        cdef Py_ssize_t k, y
        cdef bint found
        for k in range(n):
            if keys[k] == 0:
                continue
            memset(self.row, 0, self.labels * sizeof(score_t))
            self.table.add(keys + k, 1, self.row)
            found = False
            for y in range(self.labels):
                found |= self.row[y] != 0
                sums[k][y] += self.row[y]
            self.keys += 1
            self.rows += found
