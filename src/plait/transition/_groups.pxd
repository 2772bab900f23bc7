# Templates in groups that look at the same words: what such words score together is computed once for a sentence.

from plait.core._types cimport uint16_t, uint64_t
from plait.features._templates cimport Templates
from plait.transition._state cimport SLOTS, Node


cdef struct View:           # what distinguishes the words in the slots
    uint64_t word[SLOTS]    # the word and its tag
    uint64_t tree[SLOTS]    # ... and all below it


cdef class Grouped:
    cdef readonly Templates templates   # those of a group stand together
    cdef readonly Py_ssize_t count      # of groups
    cdef Py_ssize_t *first              # [count + 1]: where the templates of a group begin
    cdef uint16_t *sees                 # [count]: bit s, the word in slot s; bit SLOTS + s, its children as well
    cdef uint64_t seed                  # so that two collections can share one memo

    # What the scores of a group depend on, as one number; never 0
    cdef uint64_t signature(self, Py_ssize_t group, const View *view, uint64_t more) noexcept nogil


cdef void see(const Node **slots, View *view) noexcept nogil
