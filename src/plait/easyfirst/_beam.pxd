# Easy-first search with a beam (Ma et al. 2013): states that share what they agree in, equal ones kept once.

from libc.stdint cimport int32_t

from plait.core._delta cimport Delta
from plait.core._types cimport atom_t, score_t, uint16_t, uint64_t
from plait.easyfirst._pending cimport Gold, PendingList, Task
from plait.easyfirst._scoring cimport Node


cdef struct Item:               # the valid labels of one item, shared by all states that agree around it
    score_t best                # the highest score, -inf when no label is valid
    int32_t action              # its action
    int32_t count               # scores
    score_t score[1]            # [count]: by tag, or by 2l + d


cdef struct Decision:           # what led to a state
    int32_t parent              # the decision before it, -1 for the first
    int32_t word
    int32_t action
    score_t score


cdef struct State:              # arrays are its own
    double score
    uint64_t hash               # equal for equal partial analyses
    int32_t last                # the last decision, -1 at the start
    int32_t m                   # items in the pending list
    bint correct                # only compatible decisions so far
    const Node **pending        # [m]
    Item **items                # [m]; NULL: processed
    uint16_t *tags              # codes, [pad + n + pad], first word at tags[pad]


cdef struct Extension:
    double score
    uint64_t hash
    int32_t state, place, action
    bint correct


cdef class Beam:
    cdef Task task
    cdef PendingList pending        # scores, and carries out one sequence of decisions
    cdef State *states              # [2][capacity]: of this step and of the next
    cdef Py_ssize_t capacity
    cdef Extension *chosen          # [capacity]
    cdef Decision *history
    cdef Py_ssize_t history_size, history_capacity
    cdef Py_ssize_t width
    # what a search ended with
    cdef State *found               # [alive], best first
    cdef Py_ssize_t alive
    cdef Extension right            # with gold, the best correct extension that was pruned; state -1: none was
    cdef int32_t right_last         # the decision before it

    cdef int begin(self, atom_t *atoms, Py_ssize_t n, const uint16_t *given, Py_ssize_t width) except -1
    cdef Item *item_of(self, State *state, Py_ssize_t place) except? NULL nogil
    cdef bint may_attach(self, const State *state, Py_ssize_t place, Py_ssize_t neighbour) noexcept nogil
    cdef uint64_t hash_after(self, const State *state, Py_ssize_t place, int32_t action) noexcept nogil
    cdef Py_ssize_t consider(self, Py_ssize_t count, const Extension *new) noexcept nogil
    cdef int remember(self, const State *state, const Extension *by) except -1 nogil
    cdef int extend(self, const State *state, State *into, const Extension *by, const Gold *gold) except -1 nogil
    cdef bint is_correct(self, const State *state, const Extension *by, const Gold *gold) noexcept nogil
    cdef bint best_correct(self, const State *state, int32_t number, const Gold *gold) noexcept nogil
    cdef int start(self) except -1 nogil
    cdef Py_ssize_t choose(self, const State *states, const Gold *gold) noexcept nogil
    cdef int search(self, const Gold *gold) except -1 nogil
    cdef int unwind(self, int32_t last) noexcept nogil
    cdef int follow(self, int32_t last, const uint16_t *given) except -1 nogil
    cdef int collect_path(self, const uint16_t *given, int32_t last, Py_ssize_t from_step, double value, Delta tags,
                          Delta arcs) except -1 nogil
    cdef Py_ssize_t length(self, int32_t last) noexcept nogil
    cdef Py_ssize_t shared_steps(self, int32_t a, int32_t b) noexcept nogil
    cdef int collect_difference(self, const uint16_t *given, Delta tags, Delta arcs) except -1 nogil
