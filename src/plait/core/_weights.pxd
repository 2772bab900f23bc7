# Rows of weights, found by key: what a decoder sees (Scorer), and the table that grows in training (Weights).
# The read-only tables of finished models are in _frozen, the fixed-size hash kernel is in _kernel.

from plait.core._types cimport key_t, label_t, score_t, uint16_t, uint32_t, uint64_t


cdef class Scorer:
    cdef readonly Py_ssize_t labels     # weights per row

    # scores[l] += sum over the keys of weight(key, l), l < labels; absent keys and key 0 add nothing
    cdef void add(self, const key_t *keys, Py_ssize_t n, score_t *scores) noexcept nogil

    # the same with a target for each key: sums[k][l] += weight(keys[k], l); many sums share the wait for memory
    cdef void add_each(self, const key_t *keys, Py_ssize_t n, score_t **sums) noexcept nogil


cdef class Trainable(Scorer):
    # Examples seen so far. A change made at time c stands after the examples c + 1, c + 2, ..., so with u the sum of
    # c * change the mean of a weight over all of them is w - u / clock: averaging costs nothing until it is asked for.
    cdef readonly double clock

    cdef int change(self, key_t key, label_t label, double amount) except -1    # w += amount, u += clock * amount
    cdef double weight(self, key_t key, label_t label) noexcept nogil


cdef struct Slot:
    key_t key           # 0: free
    uint32_t block      # where the row's block begins in the arena, in units of 8 bytes
    uint16_t count      # weights in use
    uint16_t capacity   # weights there is room for; DENSE: one per label, and no label list


# A row is a sparse list of (label, weight) until the dense form is no longer larger: most features meet few labels.
# A block of capacity c is   float w[c]; label_t label[c]; double u[c]   each padded to 8 bytes, no labels if dense.
cdef class Weights(Trainable):
    cdef Slot *slots            # [mask + 1], open addressing, linear probing, at most half full
    cdef uint64_t mask
    cdef readonly Py_ssize_t rows
    cdef uint64_t *arena        # [arena_size] units of 8 bytes, of which arena_used are in use
    cdef size_t arena_size
    cdef size_t arena_used
    cdef dict spare             # capacity -> blocks of that capacity that grew out of use

    cdef Slot *find(self, key_t key) noexcept nogil
    cdef void add_row(self, const Slot *slot, score_t *scores) noexcept nogil
    cdef int double_index(self) except -1
    cdef uint32_t new_block(self, Py_ssize_t capacity) except? 0xffffffff
    cdef int grow_row(self, Slot *slot) except -1
    cdef Py_ssize_t entry(self, key_t key, label_t label) except -1
