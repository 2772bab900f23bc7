# Feature differences for training.

from plait.core._delta cimport Delta
from plait.transition._scoring cimport Scoring, Workspace
from plait.transition._state cimport Step


cdef int collect(Scoring scoring, Workspace *work, const Step *step, double value, Delta tags, Delta arcs,
                 Delta words) except -1
cdef object difference(Scoring scoring, Workspace *work, const Step **gold, Py_ssize_t m, Py_ssize_t at,
                       const Step *predicted)
