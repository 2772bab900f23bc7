# Easy-first search with a beam (Ma et al. 2013): states that share what they agree in, equal ones kept once.

from libc.stdint cimport int32_t

from plait.core._delta cimport Delta
from plait.core._types cimport atom_t, uint16_t, uint64_t
from plait.easyfirst._oracle cimport Oracle
from plait.easyfirst._workspace cimport Extension, Gold, Item, State, Workspace


cdef class Beam(Oracle):
    cdef int prepare_beam(self, Workspace work, Py_ssize_t width) except -1
    cdef int begin_beam(self, Workspace work, atom_t *atoms, Py_ssize_t n, const uint16_t *given) except -1 nogil
    cdef Item *item_of(self, Workspace work, State *state, Py_ssize_t place) except? NULL nogil
    cdef uint64_t hash_after(self, State *state, Py_ssize_t place, int32_t action) noexcept nogil
    cdef Py_ssize_t consider(self, Extension *chosen, Py_ssize_t count, Py_ssize_t width,
                             Extension *new) noexcept nogil
    cdef int extend(self, Workspace work, State *state, State *into, Extension *by, const Gold *gold,
                    Py_ssize_t number) except -1 nogil
    cdef bint is_correct(self, State *state, Py_ssize_t place, int32_t action, const Gold *gold) noexcept nogil
    cdef bint best_correct(self, State *state, int32_t number, const Gold *gold, Extension *best) noexcept nogil
    cdef Py_ssize_t search(self, Workspace work, Py_ssize_t width, const Gold *gold, Extension *right,
                           int32_t *right_made, Py_ssize_t *alive) except -1 nogil
    cdef int unwind(self, Workspace work, int32_t made) except -1 nogil
    cdef int collect_path(self, Workspace work, const uint16_t *given, int32_t made, Py_ssize_t from_step,
                          double value, Delta tags, Delta arcs) except -1 nogil
    cdef Py_ssize_t shared_steps(self, Workspace work, int32_t a, int32_t b) noexcept nogil
    cdef Py_ssize_t word_at(self, Workspace work, int32_t made, const uint16_t *given,
                            Py_ssize_t place) except -1 nogil
