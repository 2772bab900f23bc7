# What is compatible with gold, and training of the greedy search (Ma et al. 2012, Algorithms 2 and 3).

from libc.stdint cimport int32_t

from plait.core._delta cimport Delta
from plait.core._types cimport key_t, score_t, uint16_t
from plait.easyfirst._greedy cimport Greedy
from plait.easyfirst._scoring cimport Node
from plait.easyfirst._workspace cimport Gold, Workspace


cdef class Oracle(Greedy):
    cdef bint is_allowed(self, const Gold *gold, Py_ssize_t w, int32_t action, int32_t head,
                         const Node *node) noexcept nogil
    cdef int32_t compatible(self, const Gold *gold, Py_ssize_t w, uint16_t tag, const Node *node, int32_t left,
                            int32_t right, const score_t *scores, score_t best, int32_t action,
                            score_t *score) noexcept nogil
    cdef Py_ssize_t best_right(self, Workspace work, const Gold *gold, int32_t *action,
                               score_t *score) noexcept nogil
    cdef int collect(self, Workspace work, Py_ssize_t w, int32_t action, double value, Delta tags,
                     Delta arcs) except -1 nogil
    cdef Py_ssize_t fill_keys(self, Workspace work, Py_ssize_t w, int direction, key_t *keys) noexcept nogil
    cdef Py_ssize_t learn_greedy(self, Workspace work, const Gold *gold, bint goes_on, Delta tags,
                                 Delta arcs) except -1 nogil
