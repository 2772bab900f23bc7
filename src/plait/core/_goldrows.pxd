# The weights of the features that occur in gold data, for training a CRF over trees.

from plait.core._arrays cimport Arrays
from plait.core._memory cimport KeyMap, Row
from plait.core._types cimport key_t, uint64_t
from plait.core._weights cimport Scorer


cdef class GoldRows(Scorer):
    cdef readonly object keys, starts, codes, w, gradient, squares
    cdef const uint64_t[::1] _keys
    cdef const long long[::1] _starts
    cdef const unsigned short[::1] _codes
    cdef float[::1] _w
    cdef double[::1] _gradient
    cdef float[::1] _squares
    cdef KeyMap rows            # key → where its labels and weights begin, and how many there are
    # [4 (mask + 1)] bits, one per key: nine of ten keys have no row, and most of them are rejected here without
    # accessing the slots, which do not fit the cache
    cdef uint64_t *filter
    cdef Row *changed           # rows whose gradient is not zero
    cdef Py_ssize_t changed_count
    cdef unsigned char *marked  # [weights]: 1 at the first weight of a changed row
    cdef Arrays *arrays         # these three

    cdef Py_ssize_t find_rows(self, const key_t *keys, Py_ssize_t *at, Py_ssize_t n, const Row **found) noexcept nogil
    cdef void collect(self, const key_t *keys, Py_ssize_t n, const double *by_label) noexcept nogil
