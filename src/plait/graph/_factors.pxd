# What a tree is scored by: arcs, siblings and grandchildren, between nodes.
#
# A node is a word with one of its candidate tags; node 0 is the root. A parser with given tags has one node a word.

from plait.core._delta cimport Delta
from plait.core._types cimport atom_t, key_t, label_t, score_t
from plait.core._weights cimport Scorer
from plait.features._templates cimport Templates


cdef class Factors:
    cdef readonly Py_ssize_t nodes
    cdef readonly Py_ssize_t labels

    # out[l] = the score with label l on the arc h -> m; out has room for all labels. All indices are nodes.
    cdef void arc(self, Py_ssize_t h, Py_ssize_t m, score_t *out) noexcept nogil
    # s: the sibling next to m between h and m, or -1 when m is the first child of h on its side
    cdef void sibling(self, Py_ssize_t h, Py_ssize_t m, Py_ssize_t s, score_t *out) noexcept nogil
    # g: the outermost child of m on one of its sides
    cdef void grandchild(self, Py_ssize_t h, Py_ssize_t m, Py_ssize_t g, score_t *out) noexcept nogil


cdef class ArrayFactors(Factors):
    cdef const float[:, :, ::1] arcs            # [h][m][label]
    cdef const float[:, :, :, ::1] siblings     # [h][m][s][label]; s = nodes: none
    cdef const float[:, :, :, ::1] grandchildren


cdef class FactorTemplates:
    cdef readonly Templates arc         # fired once for an arc
    cdef readonly Templates between     # once for each distinct tag between its ends
    cdef readonly Templates sibling
    cdef readonly Templates grandchild
    cdef readonly Py_ssize_t width      # atoms of a node; a frame is h, m, s, g and then the atoms of the pair


cdef class FeatureFactors(Factors):
    cdef readonly Scorer weights
    cdef FactorTemplates templates
    cdef const atom_t[:, ::1] blocks    # [node][width]
    cdef const int[::1] token           # of a node
    cdef const unsigned short[::1] best   # [word]: the tag that context atoms show
    cdef const int[:, ::1] counts       # [class][word]: how many words up to and with this one are verbs, ...
    cdef atom_t *frame
    cdef key_t *keys
    cdef int *seen                      # [tag]: the stamp of the last arc it stood between
    cdef int stamp
    cdef Py_ssize_t tags

    cdef Py_ssize_t arc_keys(self, Py_ssize_t h, Py_ssize_t m) noexcept nogil
    cdef Py_ssize_t sibling_keys(self, Py_ssize_t h, Py_ssize_t m, Py_ssize_t s) noexcept nogil
    cdef Py_ssize_t grandchild_keys(self, Py_ssize_t h, Py_ssize_t m, Py_ssize_t g) noexcept nogil
    cdef void pair(self, Py_ssize_t h, Py_ssize_t m) noexcept nogil
    cdef void place(self, Py_ssize_t slot, Py_ssize_t node) noexcept nogil
    cdef void sum_keys(self, Py_ssize_t n, score_t *out) noexcept nogil
