"""Keys of features → their numbers, while the features of a training are laid out."""

from libc.stdint cimport int32_t, int64_t

import numpy as np

from plait.core._hashing cimport finish
from plait.core._types cimport uint64_t


cdef class KeyNumbers:
    """The places of some keys in ascending order.

    >>> numbers = KeyNumbers(np.array([3, 9], dtype=np.uint64))
    >>> numbers.find(np.array([[9, 0, 3], [4, 4, 9]], dtype=np.uint64))
    (array([2, 1]), array([1, 0, 1], dtype=int32))
    """

    cdef readonly object keys
    cdef uint64_t[::1] table    # open addressing, at most half full; 0: free
    cdef int32_t[::1] number
    cdef uint64_t mask

    def __cinit__(self, keys):
        cdef uint64_t size = 16, at
        cdef Py_ssize_t k
        cdef const uint64_t[::1] view = keys
        self.keys = keys
        while size < 2 * <uint64_t> view.shape[0]:
            size *= 2
        self.mask = size - 1
        self.table, self.number = np.zeros(size, dtype=np.uint64), np.zeros(size, dtype=np.int32)
        for k in range(view.shape[0]):
            if view[k] == 0 or (k > 0 and view[k] <= view[k - 1]):
                raise ValueError("keys out of order")
            at = finish(view[k]) & self.mask
            while self.table[at] != 0:
                at = (at + 1) & self.mask
            self.table[at] = view[k]
            self.number[at] = <int32_t> k

    def __len__(self):
        return len(self.keys)

    def find(self, const uint64_t[:, ::1] keys not None):
        """(how many of each row are known, their numbers row after row)."""
        cdef Py_ssize_t i, k, found = 0, before
        cdef uint64_t at
        out = np.empty(keys.shape[0] * keys.shape[1], dtype=np.int32)
        counts = np.zeros(keys.shape[0], dtype=np.int64)
        cdef int32_t[::1] numbers = out
        cdef int64_t[::1] count = counts
        for i in range(keys.shape[0]):
            before = found
            for k in range(keys.shape[1]):
                if keys[i, k] == 0:
                    continue
                at = finish(keys[i, k]) & self.mask
                while self.table[at] != 0 and self.table[at] != keys[i, k]:
                    at = (at + 1) & self.mask
                if self.table[at] != 0:
                    numbers[found] = self.number[at]
                    found += 1
            count[i] = found - before
        return counts, out[:found].copy()
