# The hash kernel (Bohnet 2010): no keys are stored; the key determines the position of its row in one fixed array.

from plait.core._types cimport key_t, label_t, score_t, uint64_t
from plait.core._weights cimport Scorer, Trainable


cdef class HashKernel(Trainable):
    cdef readonly Py_ssize_t size   # a power of two; the row of a key starts at w[key & (size - 1)]
    cdef score_t[::1] w             # [size + labels]
    cdef double[::1] u              # [size + labels], as in Weights


cdef class FrozenKernel(Scorer):
    cdef readonly int bits
    cdef readonly double scale
    cdef readonly Py_ssize_t size
    cdef readonly object values     # int8, int16 or float32 [size + labels]
    cdef const void *_values
