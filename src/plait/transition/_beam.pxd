# Beam search over transition sequences: permissible transitions, and pruning of hypotheses.

from libc.stdint cimport int32_t

from plait.core._types cimport label_t
from plait.transition._scoring cimport Workspace, Expansion, Scoring
from plait.transition._state cimport Step


cdef class Beam:
    cdef readonly Scoring scoring
    cdef readonly Py_ssize_t trees      # b1: hypotheses with distinct trees
    cdef readonly Py_ssize_t taggings   # b2: further hypotheses, with other tags
    cdef readonly Py_ssize_t size       # of both

    cdef int propose_permissible(self, Workspace *work, const Step *step) except -1 nogil
    cdef int propose_starts(self, Workspace *work, const Step *step) except -1 nogil
    cdef int reserve(self, Workspace *work, Py_ssize_t more) except -1 nogil
    cdef int propose_arcs(self, Workspace *work, const Step *step, int32_t head, int32_t child,
                          label_t first) except -1 nogil
    cdef void keep_consistent(self, Workspace *work, Py_ssize_t first) noexcept nogil
    cdef int score_shifts(self, Workspace *work, const Step *step, Py_ssize_t first) except -1 nogil
    cdef int expand(self, Workspace *work) except -1 nogil
    cdef int prune(self, Workspace *work) except -1 nogil
    cdef int keep_best(self, Workspace *work) except -1 nogil
    cdef void keep_waiting(self, Workspace *work) noexcept nogil
    cdef const Step *apply_expansion(self, Workspace *work, const Expansion *chosen) except NULL nogil
    cdef bint is_over(self, Workspace *work) noexcept nogil
