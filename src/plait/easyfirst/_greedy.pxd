# The generalised easy-first search (Ma et al. 2012, Algorithm 1) with one state: links between pending words.
#
# A task gives the items (words, or roots of partial trees in the pending list), the valid labels of each and what
# labelling does. Three tasks: tags alone, arcs alone, both.

from libc.stdint cimport int32_t

from plait.core._types cimport atom_t, score_t, uint16_t
from plait.easyfirst._scoring cimport ArcScoring, Node, Sentence, TagScoring
from plait.easyfirst._workspace cimport Gold, Workspace


cdef class Greedy:
    cdef readonly TagScoring tagging        # None: arcs alone
    cdef readonly ArcScoring parsing        # None: tags alone
    cdef readonly Py_ssize_t tags, pad, columns
    cdef Py_ssize_t widest, key_room, scope_room
    cdef int reach              # how far a change in the pending list is seen
    cdef list spare             # workspaces not in use

    cdef Workspace borrow(self, Py_ssize_t n)
    cdef int enlarge(self, Workspace work, Py_ssize_t n) except -1
    cdef Py_ssize_t total_steps(self, Py_ssize_t n) noexcept nogil
    cdef int begin(self, Workspace work, atom_t *atoms, Py_ssize_t n, const uint16_t *given) except -1 nogil
    cdef int restart(self, Workspace work, const uint16_t *given) except -1 nogil
    cdef int refresh(self, Workspace work) except -1 nogil
    cdef int look_up_words(self, Workspace work) except -1 nogil
    cdef int clear_desk(self, Workspace work) except -1 nogil
    cdef int rescore_all(self, Workspace work) except -1 nogil
    cdef const Node *beside(self, Workspace work, Py_ssize_t w, bint right) noexcept nogil
    cdef void look_around(self, Workspace work, Py_ssize_t w, const Node **window) noexcept nogil
    cdef bint may_attach(self, Workspace work, Py_ssize_t w, bint right) noexcept nogil
    cdef bint may_tag(self, Sentence *sentence, Py_ssize_t w, int32_t tag) noexcept nogil
    cdef int rescore(self, Workspace work, Py_ssize_t w) except -1 nogil
    cdef void best_tag(self, Sentence *sentence, Py_ssize_t w, const score_t *scores, score_t *best,
                       int32_t *action) noexcept nogil
    cdef void best_arc(self, const score_t *scores, score_t *best, int32_t *action) noexcept nogil
    cdef void hold_tournament(self, Workspace work) noexcept nogil
    cdef void play(self, Workspace work, Py_ssize_t k) noexcept nogil
    cdef void replay(self, Workspace work, Py_ssize_t w) noexcept nogil
    cdef int label(self, Workspace work, Py_ssize_t w, int32_t action, const Gold *gold) except -1 nogil
    cdef int touch(self, Workspace work, Py_ssize_t w, Py_ssize_t changed, bint tagged) except -1 nogil
    cdef int take_step(self, Workspace work, Py_ssize_t w, int32_t action, score_t score,
                       const Gold *gold) except -1 nogil
    cdef int greedy(self, Workspace work) except -1 nogil
    cdef Py_ssize_t best_item(self, Workspace work) except -1 nogil


cdef int nothing_possible() except -1 nogil
