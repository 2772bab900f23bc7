# Rows of weights by key: the interface for decoders (Scorer), and the growing table of training (Weights).
# The read-only tables of trained models are in _frozen, the fixed-size hash kernel is in _kernel.

from plait.core._memory cimport KeyMap, Row
from plait.core._types cimport key_t, label_t, score_t, uint32_t, uint64_t


cdef class Scorer:
    cdef readonly Py_ssize_t labels     # weights per row

    # scores[l] += sum over the keys of weight(key, l), l < labels; absent keys and key 0 add nothing
    cdef void add(self, const key_t *keys, Py_ssize_t n, score_t *scores) noexcept nogil

    # the same with a target for each key: sums[k][l] += weight(keys[k], l); memory accesses of many sums overlap
    cdef void add_each(self, const key_t *keys, Py_ssize_t n, score_t **sums) noexcept nogil


cdef class Trainable(Scorer):
    # Examples seen so far. A change at time c takes effect from example c + 1 on, so with u the sum of c * change the
    # mean of a weight over all examples is w - u / clock: averaging is free until it is requested.
    cdef readonly double clock

    cdef int change(self, key_t key, label_t label, double amount) except -1    # w += amount, u += clock * amount
    cdef double weight(self, key_t key, label_t label) noexcept nogil


# A row is a sparse list of (label, weight) until the dense form is no larger: most features occur with few labels.
# A block of capacity c is   float w[c]; label_t label[c]; double u[c]   each padded to 8 bytes; with capacity DENSE it
# has one weight per label, and no labels.
cdef class Weights(Trainable):
    cdef KeyMap rows            # key → where its block begins, in units of 8 bytes; weights in use; capacity
    cdef uint64_t *blocks       # [size] units of 8 bytes, of which ``used`` are in use
    cdef size_t size
    cdef size_t used
    cdef dict spare             # capacity -> unused blocks of that capacity

    cdef void add_rows(self, const key_t *keys, Py_ssize_t n, score_t *scores, score_t **sums) noexcept nogil
    cdef void add_row(self, const Row *row, score_t *scores) noexcept nogil
    cdef uint32_t new_block(self, Py_ssize_t capacity) except? 0xffffffff
    cdef int grow_row(self, Row *row) except -1
    cdef Row *entry(self, key_t key, label_t label, Py_ssize_t *at) except NULL
    cdef double *sums_of(self, const Row *row) noexcept nogil
