# Which words can follow one another: in a sentence of given words each the next one, in a lattice several.
#
# A lattice cuts a sentence into pieces that no candidate word divides. Positions lie between the pieces: 0 before the
# first, ``length`` behind the last. Candidate words are sorted by their beginnings and ends and count from 1, so that
# of two words of one analysis the earlier one has the smaller number, as given words have.

from libc.stdint cimport int32_t

from plait.core._memory cimport Arena


cdef struct Track:
    int32_t length              # pieces
    int32_t append              # the time that an APPEND takes
    const int32_t *first        # [length + 2]: from position p − 1 on lead the words first[p] .. first[p + 1] − 1
    const int32_t *guide        # [length + 2]: the most probable of them; 0 at the end
    const int32_t *begin        # [n + 1]: position before each word ...
    const int32_t *end          # [n + 1]: ... and behind it; the root's are 0
    # The guide's words from the beginning to the end are the path: what neighbourhood and distance are measured by
    Py_ssize_t path_length
    const int32_t *path         # [path_length]
    const int32_t *ended        # [length + 1]: how many words of the path end at a position or before it
    const int32_t *begun        # [length + 1]: how many of them begin before it


cdef inline int32_t steps_of(const Track *track, int32_t word) noexcept nogil:
    """The time that a first SHIFT of a word takes.

    One step, and two for each APPEND, that is for each piece but the first: an analysis of n pieces into m words has m
    SHIFTs, m arcs and n − m APPENDs, so all analyses of a sentence take 2n steps, but for their SWAPs. Where no trees
    are built, an APPEND takes one step, so all analyses take n.
    """
    return 1 + track.append * (track.end[word] - track.begin[word] - 1)


cdef inline int32_t place_of(const Track *track, int32_t word) noexcept nogil:
    """The number of the path's word at or in which a word begins; given words have their own numbers, the root 0."""
    return track.ended[track.begin[word]] + 1 if word > 0 else 0


cdef int plain_track(Track *track, Py_ssize_t n, Arena *arena) except -1


cdef class Lattice:
    cdef Track track
    cdef readonly Py_ssize_t words, length
    cdef object _arrays
