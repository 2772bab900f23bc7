"""Lattices of candidate words, and the linear lattice of given words."""

import numpy as np

from plait.core._memory cimport take

cdef enum:
    MAX_LENGTH = 1 << 20  # pieces of a sentence, and words of a lattice


cdef int linear_lattice(LatticeArrays *lattice, Py_ssize_t n, Arena *arena) except -1:
    """The lattice of n given words, each of which is one piece."""
    cdef int32_t *count = <int32_t *> take(arena, (3 * n + 6) * sizeof(int32_t))    # 0, 1, 2, ...
    cdef int32_t *best = count + n + 2
    cdef int32_t *begin = best + n + 2
    cdef Py_ssize_t i
    for i in range(n + 2):
        count[i] = best[i] = <int32_t> i
    best[n + 1] = 0
    begin[0] = 0
    for i in range(n):
        begin[i + 1] = <int32_t> i
    lattice.length = <int32_t> n
    lattice.first = count
    lattice.best = best
    lattice.begin = begin
    lattice.end = count
    lattice.path_length = n
    lattice.path = count + 1
    lattice.ended = lattice.begun = count
    return 0


cdef class Lattice:
    """Candidate words between positions 0, 1, 2, ...; dead ends are a ValueError.

    ``best`` is the most probable word starting at each position; words count from 1.

    >>> lattice = Lattice([0, 0, 1], [1, 2, 2], [2, 3])
    >>> lattice.words, lattice.length, lattice.path
    (3, 2, [2])
    """

    def __cinit__(self, begins, ends, best):
        cdef Py_ssize_t n = len(begins), length = len(best), w, at
        if not 1 <= n < MAX_LENGTH or not 1 <= length < MAX_LENGTH or len(ends) != n:
            raise ValueError(f"a lattice of {n} words with {len(ends)} ends over {length} pieces")
        begin = np.zeros(n + 1, dtype=np.int32)
        end = np.zeros(n + 1, dtype=np.int32)
        begin[1:], end[1:] = begins, ends
        if begin.min() < 0 or end.max() > length or (end[1:] <= begin[1:]).any():
            raise ValueError("words outside their lattice")
        order = begin[1:].astype(np.int64) * (length + 1) + end[1:]
        if (np.diff(order) <= 0).any():
            raise ValueError("words of a lattice that are not sorted")
        places = np.zeros((2, length + 1), dtype=bool)
        places[0, begin[1:]] = places[1, end[1:]] = True
        if not (places[0, :length].all() and places[1, 1:].all()):
            raise ValueError("a position of a lattice where no word begins or ends")
        first = np.zeros(length + 2, dtype=np.int32)
        first[1:] = np.searchsorted(begin[1:], np.arange(length + 1)) + 1
        leads = np.zeros(length + 2, dtype=np.int32)
        leads[1:length + 1] = best
        if (leads[1:length + 1] < first[1:length + 1]).any() or (leads[1:length + 1] >= first[2:]).any():
            raise ValueError("a best word that begins elsewhere")
        path, at = [], 0
        while at < length:
            w = leads[at + 1]
            path.append(w)
            at = end[w]
        on_path = np.array(path, dtype=np.int32)
        positions = np.arange(length + 1)
        ended = np.searchsorted(end[on_path], positions, side="right").astype(np.int32)
        begun = np.searchsorted(begin[on_path], positions, side="left").astype(np.int32)
        self._arrays = (begin, end, first, leads, on_path, ended, begun)
        cdef const int32_t[::1] begin_view = begin, end_view = end, first_view = first, best_view = leads
        cdef const int32_t[::1] path_view = on_path, ended_view = ended, begun_view = begun
        self.words, self.length = n, length
        self.arrays.length = <int32_t> length
        self.arrays.first, self.arrays.best = &first_view[0], &best_view[0]
        self.arrays.begin, self.arrays.end = &begin_view[0], &end_view[0]
        self.arrays.path, self.arrays.path_length = &path_view[0], len(path)
        self.arrays.ended, self.arrays.begun = &ended_view[0], &begun_view[0]

    @property
    def path(self):
        """The best path: the most probable words from start to end."""
        return self._arrays[4].tolist()
