"""Training data as numbers: the features of every item as row numbers, found once and used in every iteration."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc, realloc

import numpy as np

from plait.core._memory cimport KeyMap, clear, free_map, insert, reserve


cdef class Encoder:
    """Numbers the features of one view as they come; ``finish`` drops the rare ones and renumbers the rest."""

    cdef KeyMap numbers         # key → its number, from 1
    cdef int64_t *times         # [capacity]: how often each was seen
    cdef size_t capacity
    cdef int32_t *ids           # [used]: the features of all items, one after the other
    cdef Py_ssize_t used, ids_capacity
    cdef list starts

    def __cinit__(self):
        self.capacity = 1 << 15
        self.ids_capacity = 1 << 16
        self.times = <int64_t *> malloc(self.capacity * sizeof(int64_t))
        self.ids = <int32_t *> malloc(self.ids_capacity * sizeof(int32_t))
        if self.times == NULL or self.ids == NULL:
            raise MemoryError()
        reserve(&self.numbers, self.capacity)
        self.starts = [np.zeros(1, dtype=np.int64)]

    def __dealloc__(self):
        free_map(&self.numbers)
        free(self.times)
        free(self.ids)

    def add(self, const uint64_t[:, ::1] keys not None):
        """The keys of some items, [items][templates]; 0 is a template that did not fire."""
        cdef Py_ssize_t n = keys.shape[0], width = keys.shape[1], i, k
        cdef int32_t number
        ends = np.zeros(n, dtype=np.int64)
        cdef int64_t[::1] end = ends
        if self.used + n * width > self.ids_capacity:
            self.ids_capacity = max(2 * self.ids_capacity, self.used + n * width)
            self.ids = <int32_t *> resized(self.ids, self.ids_capacity * sizeof(int32_t))
        for i in range(n):
            for k in range(width):
                if keys[i, k] == 0:
                    continue
                number = self.find(keys[i, k])
                self.times[number] += 1
                self.ids[self.used] = number
                self.used += 1
            end[i] = self.used
        self.starts.append(ends)

    cdef int32_t find(self, uint64_t key) except -1:
        """The number of a feature, a new one where it is new."""
        cdef uint64_t *number = &insert(&self.numbers, key).value.number
        if number[0] == 0:
            if self.numbers.count >= 2147483647:
                raise MemoryError("more than 2^31 features")
            if self.numbers.count > self.capacity:
                self.times = <int64_t *> resized(self.times, 2 * self.capacity * sizeof(int64_t))
                self.capacity *= 2
            self.times[self.numbers.count - 1] = 0
            number[0] = self.numbers.count
        return <int32_t> (number[0] - 1)

    def finish(self, Py_ssize_t cutoff):
        """(keys, times, ids, starts) of the features seen at least ``cutoff`` times.

        Frequent features come first, so that the rows that are needed most lie together; ``ids[starts[i]]`` to
        ``ids[starts[i + 1] - 1]`` are the features of item i. The encoder is empty afterwards.
        """
        cdef Py_ssize_t i, j, n, kept_ids = 0, count = self.numbers.count
        cdef uint64_t slot
        keys, times = np.zeros(count, dtype=np.uint64), np.zeros(count, dtype=np.int64)
        cdef uint64_t[::1] key_view = keys
        cdef int64_t[::1] times_view = times
        for slot in range(self.numbers.mask + 1):
            if self.numbers.slots[slot].key != 0:
                key_view[self.numbers.slots[slot].value.number - 1] = self.numbers.slots[slot].key
        for i in range(count):
            times_view[i] = self.times[i]
        order = np.lexsort((keys, -times))
        order = order[times[order] >= cutoff]
        renumbered = np.full(count + 1, -1, dtype=np.int32)
        renumbered[order] = np.arange(len(order), dtype=np.int32)
        cdef int32_t[::1] new = renumbered
        starts = np.concatenate(self.starts)
        cdef int64_t[::1] start = starts
        n = len(starts) - 1
        cdef int64_t first = 0, last
        for i in range(n):
            last = start[i + 1]
            for j in range(first, last):
                if new[self.ids[j]] >= 0:
                    self.ids[kept_ids] = new[self.ids[j]]
                    kept_ids += 1
            first = last
            start[i + 1] = kept_ids
        ids = np.zeros(kept_ids, dtype=np.int32)
        cdef int32_t[::1] out = ids
        for j in range(kept_ids):
            out[j] = self.ids[j]
        self.used = 0
        clear(&self.numbers)
        return keys[order], times[order], ids, starts


cdef void *resized(void *old, size_t size) except NULL:
    cdef void *new = realloc(old, size)
    if new == NULL:
        raise MemoryError()
    return new


def seen_labels(const int32_t[::1] ids, const int64_t[::1] starts, const int32_t[::1] codes, Py_ssize_t rows,
                Py_ssize_t width):
    """(starts, codes): for each row the label codes that it was seen with, ascending. A code of -1 is none."""
    cdef Py_ssize_t i, j, n = codes.shape[0]
    flags = np.zeros((rows, width), dtype=np.uint8)
    cdef uint8_t[:, ::1] seen = flags
    for i in range(n):
        if codes[i] >= 0:
            for j in range(starts[i], starts[i + 1]):
                seen[ids[j], codes[i]] = 1
    counts = np.count_nonzero(flags, axis=1) if rows else np.zeros(0, dtype=np.int64)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), np.nonzero(flags)[1].astype(np.int32)
