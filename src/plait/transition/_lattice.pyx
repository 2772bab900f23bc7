"""Lattices of candidate words, and the single track of given ones."""

import numpy as np

from plait.core._memory cimport take

cdef enum:
    LONGEST = 1 << 20   # pieces of a sentence, and words of a lattice


cdef int plain_track(Track *track, Py_ssize_t n, Arena *arena) except -1:
    """The track of n given words: each is a piece, and the next one follows."""
    cdef int32_t *count = <int32_t *> take(arena, (3 * n + 6) * sizeof(int32_t))    # 0, 1, 2, ...
    cdef int32_t *guide = count + n + 2
    cdef int32_t *begin = guide + n + 2
    cdef Py_ssize_t i
    for i in range(n + 2):
        count[i] = guide[i] = <int32_t> i
    guide[n + 1] = 0
    begin[0] = 0
    for i in range(n):
        begin[i + 1] = <int32_t> i
    track.length = <int32_t> n
    track.first = count
    track.guide = guide
    track.begin = begin
    track.end = count
    track.path_length = n
    track.path = count + 1
    track.ended = track.begun = count
    return 0


cdef class Lattice:
    """Candidate words between positions 0, 1, 2, ...; whatever leads nowhere is a ValueError.

    ``guide`` is the most probable word from each position on, counting from 1.

    >>> lattice = Lattice([0, 0, 1], [1, 2, 2], [2, 3])
    >>> lattice.words, lattice.length, lattice.path
    (3, 2, [2])
    """

    def __cinit__(self, begins, ends, guide):
        cdef Py_ssize_t n = len(begins), length = len(guide), w, at
        if not 1 <= n < LONGEST or not 1 <= length < LONGEST or len(ends) != n:
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
        leads[1:length + 1] = guide
        if (leads[1:length + 1] < first[1:length + 1]).any() or (leads[1:length + 1] >= first[2:]).any():
            raise ValueError("a guide to words that begin elsewhere")
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
        cdef const int32_t[::1] begin_view = begin, end_view = end, first_view = first, guide_view = leads
        cdef const int32_t[::1] path_view = on_path, ended_view = ended, begun_view = begun
        self.words, self.length = n, length
        self.track.length = <int32_t> length
        self.track.first, self.track.guide = &first_view[0], &guide_view[0]
        self.track.begin, self.track.end = &begin_view[0], &end_view[0]
        self.track.path, self.track.path_length = &path_view[0], len(path)
        self.track.ended, self.track.begun = &ended_view[0], &begun_view[0]

    @property
    def path(self):
        """The most probable words from the beginning to the end."""
        return self._arrays[4].tolist()
