"""Training data as numbers: the features of every item as row numbers, found once and used in every iteration."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

import numpy as np


cdef class Encoder:
    """Numbers the features of one view as they come; ``finish`` drops the rare ones and numbers the rest anew."""

    cdef uint64_t *keys         # [mask + 1], 0 is free
    cdef int32_t *numbers       # [mask + 1]
    cdef uint64_t mask
    cdef uint64_t *key_of       # [count]
    cdef int64_t *times         # [count]
    cdef Py_ssize_t count, count_room
    cdef int32_t *ids           # [used]: the features of all items, one after the other
    cdef Py_ssize_t used, ids_room
    cdef list starts

    def __cinit__(self):
        self.mask = (1 << 16) - 1
        self.count_room = 1 << 15
        self.ids_room = 1 << 16
        self.keys = <uint64_t *> malloc((self.mask + 1) * sizeof(uint64_t))
        self.numbers = <int32_t *> malloc((self.mask + 1) * sizeof(int32_t))
        self.key_of = <uint64_t *> malloc(self.count_room * sizeof(uint64_t))
        self.times = <int64_t *> malloc(self.count_room * sizeof(int64_t))
        self.ids = <int32_t *> malloc(self.ids_room * sizeof(int32_t))
        if (self.keys == NULL or self.numbers == NULL or self.key_of == NULL or self.times == NULL
                or self.ids == NULL):
            raise MemoryError()
        memset(self.keys, 0, (self.mask + 1) * sizeof(uint64_t))
        self.starts = [np.zeros(1, dtype=np.int64)]

    def __dealloc__(self):
        free(self.keys)
        free(self.numbers)
        free(self.key_of)
        free(self.times)
        free(self.ids)

    def add(self, const uint64_t[:, ::1] keys not None):
        """The keys of some items, [items][templates]; 0 is a template that did not fire."""
        cdef Py_ssize_t n = keys.shape[0], width = keys.shape[1], i, k
        cdef int32_t number
        ends = np.zeros(n, dtype=np.int64)
        cdef int64_t[::1] end = ends
        if self.used + n * width > self.ids_room:
            self.ids_room = max(2 * self.ids_room, self.used + n * width)
            self.ids = <int32_t *> resized(self.ids, self.ids_room * sizeof(int32_t))
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
        cdef uint64_t at = key & self.mask
        while self.keys[at] != 0:
            if self.keys[at] == key:
                return self.numbers[at]
            at = (at + 1) & self.mask
        if self.count == self.count_room:
            self.count_room *= 2
            self.key_of = <uint64_t *> resized(self.key_of, self.count_room * sizeof(uint64_t))
            self.times = <int64_t *> resized(self.times, self.count_room * sizeof(int64_t))
        if self.count >= 2147483647:
            raise MemoryError("more than 2^31 features")
        self.keys[at] = key
        self.numbers[at] = <int32_t> self.count
        self.key_of[self.count] = key
        self.times[self.count] = 0
        self.count += 1
        if <uint64_t> self.count * 3 > self.mask * 2:
            self.double_index()
        return <int32_t> (self.count - 1)

    cdef int double_index(self) except -1:
        cdef uint64_t at, key
        cdef Py_ssize_t k
        self.mask = self.mask * 2 + 1
        self.keys = <uint64_t *> resized(self.keys, (self.mask + 1) * sizeof(uint64_t))
        self.numbers = <int32_t *> resized(self.numbers, (self.mask + 1) * sizeof(int32_t))
        memset(self.keys, 0, (self.mask + 1) * sizeof(uint64_t))
        for k in range(self.count):
            key = self.key_of[k]
            at = key & self.mask
            while self.keys[at] != 0:
                at = (at + 1) & self.mask
            self.keys[at] = key
            self.numbers[at] = <int32_t> k
        return 0

    def finish(self, Py_ssize_t cutoff):
        """(keys, times, ids, starts) of the features seen at least ``cutoff`` times.

        Frequent features come first, so that the rows that are needed most lie together; ``ids[starts[i]]`` to
        ``ids[starts[i + 1] - 1]`` are the features of item i. The encoder is empty afterwards.
        """
        cdef Py_ssize_t i, j, n, kept_ids = 0
        if self.count == 0:
            keys, times = np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64)
        else:
            keys = np.asarray(<uint64_t[:self.count]> self.key_of).copy()
            times = np.asarray(<int64_t[:self.count]> self.times).copy()
        order = np.lexsort((keys, -times))
        order = order[times[order] >= cutoff]
        renumbered = np.full(self.count + 1, -1, dtype=np.int32)
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
        self.count = self.used = 0
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
