# Tags and the parts that they are made of: UPOS, XPOS, each Feature=Value. Parts are what weights belong to, so that
# tags share what they have in common; the tag as a whole has weights of its own beside them.

from libc.stdint cimport int32_t, uint32_t

from plait.core._types cimport label_t, score_t


cdef struct Pair:                       # of two indices, which one instruction loads
    uint32_t a
    uint32_t b


cdef class TagParts:
    cdef readonly Py_ssize_t tags       # T: how many tags
    cdef readonly Py_ssize_t parts      # P: how many parts
    cdef readonly Py_ssize_t classes    # how many coarse tags there are
    cdef readonly object starts         # int32 [T + 1]: tag t is labels[starts[t]] .. labels[starts[t + 1] - 1]
    cdef readonly object labels         # uint16, numbers of parts, each once in a tag
    cdef readonly object coarse         # uint16 [T]: the coarse tag of a tag
    cdef const int32_t *start
    cdef const label_t *part
    cdef const label_t *coarse_of
    # Tags begin alike and end alike: the first half of a tag's parts is a way from the root of a tree of beginnings,
    # the second half one of a tree of endings. Both trees are one list of nodes, parents first; node 0 is their root.
    cdef readonly Py_ssize_t nodes
    cdef readonly object tree           # int32 [nodes][2]: the parent of a node, and the part that it adds
    cdef readonly object halves         # int32 [T][2]: the nodes where the halves of a tag end
    cdef const Pair *_tree
    cdef const Pair *_halves

    # the score of a tag from the scores of all parts
    cdef score_t total(self, label_t tag, const score_t *scores) noexcept nogil

    # out[c] = base[c] + the score of tags[c], or base[tags[c]] + it; sums is memory for [nodes]
    cdef void add_totals(self, const label_t *tags, Py_ssize_t count, const score_t *scores, const score_t *base,
                         bint by_tag, score_t *sums, score_t *out) noexcept nogil

    cdef void sum_halves(self, const score_t *scores, score_t *sums) noexcept nogil
