# Following given transitions.

from plait.core._types cimport uint16_t
from plait.transition._scoring cimport Scoring, Workspace
from plait.transition._state cimport Sentence, Step


cdef const Step *take_step(Scoring scoring, Workspace *work, const Step *step, Py_ssize_t action, Py_ssize_t word,
                           Py_ssize_t choice, bint scored) except NULL
cdef Py_ssize_t take_word(Scoring scoring, Workspace *work, const Step **steps, Py_ssize_t taken, Py_ssize_t word,
                          Py_ssize_t choice, bint scored) except -1
cdef void read_transition(const Sentence *sentence, const Step *step, uint16_t *tags, int *heads,
                          uint16_t *labels) noexcept nogil
