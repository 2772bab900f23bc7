# The difference of two feature vectors, which an update adds to the weights.

from plait.core._types cimport key_t, label_t
from plait.core._weights cimport Trainable


cdef struct Entry:
    key_t key
    label_t label
    double value


cdef class Delta:
    cdef Entry *entries
    cdef Py_ssize_t size, capacity
    cdef bint merged            # sorted by (key, label), duplicates summed, zeros removed

    cdef int put(self, key_t key, label_t label, double value) except -1 nogil
    cdef int put_all(self, const key_t *keys, Py_ssize_t n, label_t label, double value) except -1 nogil
    cdef void merge(self) noexcept nogil
    cdef int check(self, Trainable weights) except -1    # every label fits a row of these weights
