# The doors to the search, and what training learns from it.

from plait.core._delta cimport Delta
from plait.transition._beam cimport Beam
from plait.transition._scoring cimport Workspace
from plait.transition._state cimport Step


cdef class TransitionSearch(Beam):
    cdef object check_given(self, Py_ssize_t n, const int[::1] heads, const int[::1] labels)
    cdef object read_analysis(self, Workspace *work, const Step *step, bint chosen)
    cdef bint is_formal(self, Workspace *work, const Step *step, Py_ssize_t action, Py_ssize_t word,
                        Py_ssize_t choice) noexcept nogil
    cdef const Step *take_step(self, Workspace *work, const Step *step, Py_ssize_t action, Py_ssize_t word,
                               Py_ssize_t choice, bint scored) except NULL
    cdef object difference(self, Workspace *work, const Step **gold, Py_ssize_t m, Py_ssize_t at, const Step *predicted)
    cdef int collect_factors(self, Workspace *work, const Step *step, double value, Delta arcs) except -1
    cdef int collect(self, Workspace *work, const Step *step, double value, Delta tags, Delta arcs,
                     Delta words) except -1
