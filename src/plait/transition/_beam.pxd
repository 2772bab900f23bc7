# Beam search over transition sequences: what is permissible, which hypotheses go on.

from plait.core._types cimport label_t
from plait.transition._scoring cimport Desk, Expansion, Scoring
from plait.transition._state cimport Step


cdef class Beam(Scoring):
    cdef int permissible(self, Desk *desk, const Step *step) except -1 nogil
    cdef int propose(self, Desk *desk, const Step *step, label_t action, label_t choice) except -1 nogil
    cdef void keep_given(self, Desk *desk, Py_ssize_t first) noexcept nogil
    cdef int expand(self, Desk *desk) except -1 nogil
    cdef int prune(self, Desk *desk) except -1 nogil
    cdef int keep_best(self, Desk *desk) except -1 nogil
    cdef const Step *reach(self, Desk *desk, const Expansion *chosen) except NULL nogil
    cdef bint is_over(self, Desk *desk) noexcept nogil
