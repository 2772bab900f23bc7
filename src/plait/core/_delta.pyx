"""Sparse feature vectors and their differences, one per feature group; the learners' only view of a model."""

from libc.stdlib cimport free, qsort, realloc

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
    """Features with their counts: gold ones are put with +1, predicted ones with −1, and what is left is Δf.

    >>> delta = Delta()
    >>> delta.add(7, 0, 1.0); delta.add(7, 0, -1.0); delta.add(9, 1, 1.0)
    >>> delta.items(), delta.norm2()
    ([(9, 1, 1.0)], 1.0)
    """

    def __dealloc__(self):
        free(self.entries)

    cdef int put(self, key_t key, label_t label, double value) except -1 nogil:
        cdef Entry *larger
        cdef Py_ssize_t room
        if key == 0:
            return 0
        if self.size == self.room:
            room = 256 if self.room == 0 else 2 * self.room
            larger = <Entry *> realloc(self.entries, room * sizeof(Entry))
            if larger == NULL:
                with gil:
                    raise MemoryError()
            self.entries = larger
            self.room = room
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
        """Forget all entries and keep the memory."""
        self.size = 0
        self.merged = True

    def add(self, uint64_t key, label_t label, double value):
        """Put one feature."""
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
