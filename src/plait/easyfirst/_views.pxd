# What can be seen of a search from outside: the valid decisions at each step, the analyses a beam ends with.

from libc.stdint cimport int32_t

from plait.core._types cimport score_t
from plait.easyfirst._beam cimport Beam
from plait.easyfirst._workspace cimport Workspace


cdef struct Rival:          # a valid decision
    int32_t word
    int32_t action
    int32_t head            # the word it would attach to; -1 for a tag
    score_t score


cdef class Views(Beam):
    cdef int check_input(self, atoms, given, Py_ssize_t n) except -1
    cdef Py_ssize_t rivals(self, Workspace work, Rival *best, Py_ssize_t room, Py_ssize_t *kept) noexcept nogil
    cdef object read_out(self, Workspace work)
