# Lattices of candidate words; a sentence of given words is a linear one.
#
# A lattice splits a sentence into pieces that no candidate word divides. Positions lie between the pieces: 0 before the
# first, ``length`` after the last. Candidate words are sorted by start and end and count from 1, so that of two words
# of one analysis the earlier one has the smaller number, like given words.

from libc.stdint cimport int32_t

from plait.core._memory cimport Arena


cdef struct LatticeArrays:
    int32_t length              # pieces
    int32_t append              # the time that an APPEND takes
    const int32_t *first        # [length + 2]: the words first[p] .. first[p + 1] − 1 start at position p − 1
    const int32_t *best         # [length + 2]: the most probable of them; 0 at the end
    const int32_t *begin        # [n + 1]: start position of each word ...
    const int32_t *end          # [n + 1]: ... and end position; those of the root are 0
    # The best path defines neighbours and distances
    Py_ssize_t path_length
    const int32_t *path         # [path_length]
    const int32_t *ended        # [length + 1]: number of path words that end at or before a position
    const int32_t *begun        # [length + 1]: number of path words that start before it


cdef inline int32_t steps_of(const LatticeArrays *lattice, int32_t word) noexcept nogil:
    """The time that a first SHIFT of a word takes.

    One step, and two for each APPEND, that is for each piece after the first: an analysis of n pieces into m words has
    m SHIFTs, m arcs and n − m APPENDs, so all analyses of a sentence take 2n steps, SWAPs aside. If no trees are built,
    an APPEND takes one step, and all analyses take n.
    """
    return 1 + lattice.append * (lattice.end[word] - lattice.begin[word] - 1)


cdef inline int32_t place_of(const LatticeArrays *lattice, int32_t word) noexcept nogil:
    """The number of the path word in which a word starts; a given word's own number, 0 for the root."""
    return lattice.ended[lattice.begin[word]] + 1 if word > 0 else 0


cdef int linear_lattice(LatticeArrays *lattice, Py_ssize_t n, Arena *arena) except -1


cdef class Lattice:
    cdef LatticeArrays arrays
    cdef readonly Py_ssize_t words, length
    cdef object _arrays
