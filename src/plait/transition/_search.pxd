# The Python interface of the search, and the feature differences of training.

from plait.core._delta cimport Delta
from plait.core._types cimport label_t
from plait.transition._beam cimport Beam
from plait.transition._scoring cimport Workspace
from plait.transition._state cimport Step


cdef class TransitionSearch(Beam):
    cdef object check_given(self, Py_ssize_t n, const int[::1] heads, const int[::1] labels)
    cdef object read_analysis(self, Workspace *work, const Step *step, bint chosen)
    cdef bint is_applicable(self, Workspace *work, const Step *step, Py_ssize_t action, Py_ssize_t word,
                            Py_ssize_t choice) noexcept nogil
    cdef const Step *take_step(self, Workspace *work, const Step *step, Py_ssize_t action, Py_ssize_t word,
                               Py_ssize_t choice, bint scored) except NULL
    cdef Py_ssize_t take_word(self, Workspace *work, const Step **steps, Py_ssize_t taken, Py_ssize_t word,
                              Py_ssize_t choice, bint scored) except -1
    cdef int count_open_word(self, Workspace *work, const Step *predicted, const Step **gold, Py_ssize_t m,
                             double *wrong_tags, double *wrong_words) except -1
    cdef object difference(self, Workspace *work, const Step **gold, Py_ssize_t m, Py_ssize_t at, const Step *predicted)
    cdef int collect_start(self, Workspace *work, const Step *step, double value, Delta tags, Delta words) except -1
    cdef int collect_tag(self, Workspace *work, Py_ssize_t word, label_t choice, double value, Delta tags) except -1
    cdef int collect_factors(self, Workspace *work, const Step *step, double value, Delta arcs) except -1
    cdef int collect(self, Workspace *work, const Step *step, double value, Delta tags, Delta arcs,
                     Delta words) except -1
