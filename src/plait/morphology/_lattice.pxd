# A lattice of states over the words of a sentence: what is left after pruning, and the exact sums over all its paths.
#
# A state stands for a tag of its word (order 1), or for a tag and the one before it (order 2). An edge leads from a
# state of one word to a state of the next; a path takes one state of each word along edges. Its score is the sum of the
# scores of its states and edges.

from libc.stdint cimport int32_t

from plait.core._memory cimport Arena
from plait.core._types cimport label_t, score_t


cdef struct Lattice:
    Py_ssize_t n            # words, at least one
    int32_t *first          # [n + 1]: the states of word i are first[i] .. first[i + 1] - 1
    label_t *tag            # [states]
    label_t *previous_tag   # [states]: order 2, the tag before it; not used for order 1, nor at the first word
    score_t *score          # [states]
    int32_t *into           # [states + 1]: the edges into state s are into[s] .. into[s + 1] - 1; none at the first
    int32_t *source         # [edges]: the state where an edge begins
    score_t *edge           # [edges]
    double *forward         # [states]: log of the sum over all paths up to and including a state
    double *backward        # [states]: log of the sum over all paths after it


# all edges between the states of neighbouring words, and memory for their scores and for the marginals
cdef int connect_all(Lattice *lattice, Arena *arena) except -1 nogil

# the marginals: forward and backward are filled, log Z is returned
cdef double sum_paths(Lattice *lattice) noexcept nogil

# path[i]: the state of word i on the best path, whose score is returned; back and reached have one entry per state
cdef double best_path(Lattice *lattice, int32_t *path, int32_t *back, double *reached) noexcept nogil

# [edges]: the probability of each edge of a lattice made by connect_all: the marginals, but computed by products in
# single precision, which takes a fraction of the time
cdef float *edge_probabilities(Lattice *lattice, Arena *arena) except NULL nogil

# the second order: a state for each edge of a lattice whose probability reaches the threshold or that lies on the path
# ``kept``; the edges are made, and the caller scores them
cdef int pair_states(const Lattice *one, const float *probabilities, double threshold, const int32_t *kept,
                     Arena *arena, Lattice *two) except -1 nogil
