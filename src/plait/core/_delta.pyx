"""Sparse feature vectors and their differences, one per feature group; the learners' only view of a model."""

from libc.stdlib cimport free, qsort

import numpy as np

from plait.core._arrays cimport enlarged
from plait.core._memory cimport KeyMap, free_map, insert
from plait.core._types cimport uint64_t


cdef int by_key_and_label(const void *a, const void *b) noexcept nogil:
    cdef const Entry *x = <const Entry *> a
    cdef const Entry *y = <const Entry *> b
    if x.key != y.key:
        return -1 if x.key < y.key else 1
    if x.label != y.label:
        return -1 if x.label < y.label else 1
    return 0


cdef class Delta:
    """Features with their counts: gold ones are added with +1, predicted ones with −1, and the rest is Δf.

    >>> delta = Delta()
    >>> delta.add(7, 0, 1.0); delta.add(7, 0, -1.0); delta.add(9, 1, 1.0)
    >>> delta.items(), delta.norm2()
    ([(9, 1, 1.0)], 1.0)
    """

    def __dealloc__(self):
        free(self.entries)

    cdef int put(self, key_t key, label_t label, double value) except -1 nogil:
        if key == 0:
            return 0
        if self.size == self.capacity:
            self.entries = <Entry *> enlarged(self.entries, &self.capacity, sizeof(Entry))
        self.entries[self.size].key = key
        self.entries[self.size].label = label
        self.entries[self.size].value = value
        self.size += 1
        self.merged = False
        return 0

    cdef int put_all(self, const key_t *keys, Py_ssize_t n, label_t label, double value) except -1 nogil:
        cdef Py_ssize_t i
        for i in range(n):
            self.put(keys[i], label, value)
        return 0

    cdef void merge(self) noexcept nogil:
        cdef Py_ssize_t i, kept = 0
        if self.merged:
            return
        if self.size > 0:
            qsort(self.entries, self.size, sizeof(Entry), by_key_and_label)
        i = 0
        while i < self.size:
            self.entries[kept] = self.entries[i]
            i += 1
            while i < self.size and by_key_and_label(&self.entries[kept], &self.entries[i]) == 0:
                self.entries[kept].value += self.entries[i].value
                i += 1
            if self.entries[kept].value != 0:
                kept += 1
        self.size = kept
        self.merged = True

    def __len__(self):
        self.merge()
        return self.size

    def clear(self):
        """Remove all entries, but keep the memory."""
        self.size = 0
        self.merged = True

    def add(self, uint64_t key, label_t label, double value):
        """Add one feature."""
        self.put(key, label, value)

    def items(self):
        """(key, label, value), merged and in order."""
        self.merge()
        return [(self.entries[i].key, self.entries[i].label, self.entries[i].value) for i in range(self.size)]

    def norm2(self):
        """The squared length of Δf."""
        cdef double total = 0
        cdef Py_ssize_t i
        self.merge()
        for i in range(self.size):
            total += self.entries[i].value * self.entries[i].value
        return total

    def dot(self, Trainable weights not None):
        """w · Δf under the current weights."""
        cdef double total = 0
        cdef Py_ssize_t i
        self.merge()
        self.check(weights)
        for i in range(self.size):
            total += self.entries[i].value * weights.weight(self.entries[i].key, self.entries[i].label)
        return total

    cdef int check(self, Trainable weights) except -1:
        cdef Py_ssize_t i
        for i in range(self.size):
            if self.entries[i].label >= weights.labels:
                raise IndexError(f"label {self.entries[i].label} of {weights.labels}")
        return 0

    def apply(self, Trainable weights not None, double step):
        """w += step · Δf."""
        cdef Py_ssize_t i
        self.merge()
        self.check(weights)
        for i in range(self.size):
            weights.change(self.entries[i].key, self.entries[i].label, step * self.entries[i].value)


cdef class UpdateCutoff:
    """A feature cut-off for online training: it removes features with too few updates so far from a Δf.

    Goldberg & Elhadad (2011), "Learning sparser perceptron models": features with few updates are mostly noise. Here
    the first updates of a feature are discarded, so that it has no row until it passes, and scoring needs no further
    lookup.

    >>> cutoff = UpdateCutoff(2)
    >>> def update(*keys):
    ...     delta = Delta()
    ...     for key in keys:
    ...         delta.add(key, 0, 1.0)
    ...     cutoff.filter(delta)
    ...     return [key for key, _, _ in delta.items()]
    >>> update(7, 8), update(7, 9), update(7)
    ([], [7], [7])
    """

    cdef KeyMap counts          # updates of each feature so far, at most ``needed``
    cdef readonly int needed    # the update from which on a feature has weights

    def __cinit__(self, int needed):
        if needed < 1:
            raise ValueError(f"{needed} updates are needed; expected at least 1")
        self.needed = needed

    def __dealloc__(self):
        free_map(&self.counts)

    def __len__(self):
        return self.counts.count

    def filter(self, Delta delta not None):
        """Count the features of an update, each once, and keep only those with enough updates."""
        cdef Py_ssize_t i, kept = 0
        cdef key_t last = 0
        cdef bint passes = False
        cdef uint64_t *count = NULL
        delta.merge()
        for i in range(delta.size):
            if delta.entries[i].key != last:  # the labels of a feature are adjacent
                last = delta.entries[i].key
                count = &insert(&self.counts, last).value.number
                if count[0] < <uint64_t> self.needed:
                    count[0] += 1
                passes = count[0] == <uint64_t> self.needed
            if passes:
                delta.entries[kept] = delta.entries[i]
                kept += 1
        delta.size = kept

    def export(self):
        """(keys, counts), in order of key."""
        cdef uint64_t s
        cdef Py_ssize_t k = 0
        keys = np.empty(self.counts.count, dtype=np.uint64)
        counts = np.empty(self.counts.count, dtype=np.uint64)
        cdef uint64_t[::1] key_view = keys, count_view = counts
        for s in range(self.counts.mask + 1 if self.counts.count > 0 else 0):
            if self.counts.slots[s].key != 0:
                key_view[k] = self.counts.slots[s].key
                count_view[k] = self.counts.slots[s].value.number
                k += 1
        order = np.argsort(keys)
        return keys[order], counts[order]

    @classmethod
    def restore(cls, int needed, const uint64_t[::1] keys not None, const uint64_t[::1] counts not None):
        """The inverse of ``export``; a ValueError for invalid arrays."""
        cdef UpdateCutoff cutoff = cls(needed)
        cdef Py_ssize_t i
        if keys.shape[0] != counts.shape[0]:
            raise ValueError("updates that do not belong to the features")
        for i in range(keys.shape[0]):
            if keys[i] == 0 or (i > 0 and keys[i] <= keys[i - 1]) or not 1 <= counts[i] <= <uint64_t> needed:
                raise ValueError("features out of order, or updated more often than is counted")
            insert(&cutoff.counts, keys[i]).value.number = counts[i]
        return cutoff
