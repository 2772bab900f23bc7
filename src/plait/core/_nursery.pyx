"""A feature cut-off for online training: a feature takes part once it was corrected often enough.

Goldberg & Elhadad (2011), "Learning sparser perceptron models": what few updates ask for is mostly noise. Here the
first updates of a feature are not kept, so that it has no row until it takes part, and scoring needs no further look.
"""

from libc.stdlib cimport calloc, free

import numpy as np

from plait.core._delta cimport Delta
from plait.core._types cimport key_t, uint64_t

cdef struct Young:
    key_t key           # 0: free
    uint64_t count      # updates that asked for it so far, at most as many as it needs


cdef class Nursery:
    """Counts the updates of features, and takes those out of a Δf that had too few.

    >>> from plait.core._delta import Delta
    >>> nursery = Nursery(2)
    >>> def update(*keys):
    ...     delta = Delta()
    ...     for key in keys:
    ...         delta.add(key, 0, 1.0)
    ...     nursery.admit(delta)
    ...     return [key for key, _, _ in delta.items()]
    >>> update(7, 8), update(7, 9), update(7)
    ([], [7], [7])
    """

    cdef Young *slots           # [mask + 1], open addressing, linear probing, at most half full
    cdef uint64_t mask
    cdef Py_ssize_t used
    cdef readonly int needed    # updates after which a feature takes part; the last of them counts

    def __cinit__(self, int needed):
        if needed < 1:
            raise ValueError(f"{needed} updates are needed; expected at least 1")
        self.needed = needed
        self.mask = 1023
        self.slots = <Young *> calloc(self.mask + 1, sizeof(Young))
        if self.slots == NULL:
            raise MemoryError()

    def __dealloc__(self):
        free(self.slots)

    def __len__(self):
        return self.used

    cdef Young *find(self, key_t key) noexcept nogil:
        cdef uint64_t at = key & self.mask
        while self.slots[at].key != key and self.slots[at].key != 0:
            at = (at + 1) & self.mask
        return &self.slots[at]

    cdef Young *place(self, key_t key) except NULL:
        """The slot of a key, made when absent."""
        cdef Young *slot = self.find(key)
        if slot.key == 0:
            if 2 * (self.used + 1) > <Py_ssize_t> (self.mask + 1):
                self.double()
                slot = self.find(key)
            slot.key = key
            self.used += 1
        return slot

    cdef int double(self) except -1:
        cdef Young *old = self.slots
        cdef uint64_t size = self.mask + 1, i
        cdef Young *new = <Young *> calloc(2 * size, sizeof(Young))
        if new == NULL:
            raise MemoryError()
        self.slots = new
        self.mask = 2 * size - 1
        for i in range(size):
            if old[i].key != 0:
                self.find(old[i].key)[0] = old[i]
        free(old)
        return 0

    def admit(self, Delta delta not None):
        """One more update: count its features, each once, and leave in it those that now have enough."""
        cdef Py_ssize_t i, kept = 0
        cdef key_t last = 0
        cdef bint takes_part = False
        cdef Young *slot
        delta.merge()
        for i in range(delta.size):
            if delta.entries[i].key != last:  # a feature with several labels stands together
                last = delta.entries[i].key
                slot = self.place(last)
                if slot.count < <uint64_t> self.needed:
                    slot.count += 1
                takes_part = slot.count == <uint64_t> self.needed
            if takes_part:
                delta.entries[kept] = delta.entries[i]
                kept += 1
        delta.size = kept

    def export(self):
        """(keys, counts), in order of key."""
        cdef uint64_t s
        cdef Py_ssize_t k = 0
        keys = np.empty(self.used, dtype=np.uint64)
        counts = np.empty(self.used, dtype=np.uint64)
        cdef uint64_t[::1] key_view = keys, count_view = counts
        for s in range(self.mask + 1):
            if self.slots[s].key != 0:
                key_view[k] = self.slots[s].key
                count_view[k] = self.slots[s].count
                k += 1
        order = np.argsort(keys)
        return keys[order], counts[order]

    @classmethod
    def restore(cls, int needed, const uint64_t[::1] keys not None, const uint64_t[::1] counts not None):
        """The inverse of ``export``; a ValueError for arrays that it cannot have given."""
        cdef Nursery nursery = cls(needed)
        cdef Py_ssize_t i
        if keys.shape[0] != counts.shape[0]:
            raise ValueError("updates that do not belong to the features")
        for i in range(keys.shape[0]):
            if keys[i] == 0 or (i > 0 and keys[i] <= keys[i - 1]) or not 1 <= counts[i] <= <uint64_t> needed:
                raise ValueError("features out of order, or updated more often than is counted")
            nursery.place(keys[i]).count = counts[i]
        return nursery
