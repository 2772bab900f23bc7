# Easy-first search with a beam (Ma et al. 2013): states share what they have in common, duplicates are removed.

from libc.stdint cimport int32_t

from plait.core._delta cimport Delta
from plait.core._types cimport atom_t, score_t, uint16_t, uint64_t
from plait.easyfirst._pending cimport Gold, PendingList, Task
from plait.easyfirst._scoring cimport Node


cdef struct Item:               # the valid labels of one item, shared by all states with the same context
    score_t best                # the highest score, -inf when no label is valid
    int32_t action              # its action
    int32_t count               # of scores
    score_t score[1]            # [count]: by tag, or by 2l + d


cdef struct Decision:           # what led to a state
    int32_t parent              # the decision before it, -1 for the first
    int32_t word
    int32_t action
    score_t score


cdef struct State:              # a partial analysis; owns its arrays
    double score
    uint64_t hash               # equal for equal partial analyses
    int32_t last                # the last decision, -1 at the start
    int32_t m                   # items in the pending list
    bint correct                # all decisions so far were compatible with gold
    const Node **pending        # [m]
    Item **items                # [m]; NULL: processed
    uint16_t *tags              # codes, [pad + n + pad], first word at tags[pad]


cdef struct Extension:          # a state and one more decision
    double score
    uint64_t hash
    int32_t state, place, action
    bint correct


cdef class Beam:
    cdef Task task
    cdef PendingList pending        # scores, and applies one sequence of decisions
    cdef State *states              # [2][width]: this step and the next; in the arena of the nodes, as ``chosen``
    cdef Extension *chosen          # [width]
    cdef Decision *history
    cdef Py_ssize_t history_size, history_capacity
    cdef Py_ssize_t width
    # the result of a search
    cdef State *final_states        # [final_count], best first
    cdef Py_ssize_t final_count
    cdef Extension gold_best        # with gold, the best correct extension that was pruned; state -1: none was
    cdef int32_t gold_best_last     # the decision before it

    cdef int begin(self, atom_t *atoms, Py_ssize_t n, const uint16_t *given, Py_ssize_t width) except -1
    cdef Item *item_of(self, State *state, Py_ssize_t place) except? NULL nogil
    cdef bint may_attach(self, const State *state, Py_ssize_t place, Py_ssize_t neighbour) noexcept nogil
    cdef uint64_t hash_after(self, const State *state, Py_ssize_t place, int32_t action) noexcept nogil
    cdef Py_ssize_t insert_extension(self, Py_ssize_t count, const Extension *new) noexcept nogil
    cdef int record_decision(self, const State *state, const Extension *by) except -1 nogil
    cdef int extend(self, const State *state, State *into, const Extension *by, const Gold *gold) except -1 nogil
    cdef bint is_correct(self, const State *state, const Extension *by, const Gold *gold) noexcept nogil
    cdef bint best_correct(self, const State *state, int32_t number, const Gold *gold) noexcept nogil
    cdef int start(self) except -1 nogil
    cdef score_t limit(self, const State *state, Py_ssize_t count) noexcept nogil
    cdef Py_ssize_t choose(self, const State *states, const Gold *gold) noexcept nogil
    cdef int search(self, const Gold *gold) except -1 nogil
    cdef int unwind(self, int32_t last) noexcept nogil
    cdef int follow(self, int32_t last, const uint16_t *given) except -1 nogil
    cdef int collect_path(self, const uint16_t *given, int32_t last, Py_ssize_t from_step, double value, Delta tags,
                          Delta arcs) except -1 nogil
    cdef Py_ssize_t length(self, int32_t last) noexcept nogil
    cdef Py_ssize_t shared_steps(self, int32_t a, int32_t b) noexcept nogil
    cdef int collect_difference(self, const uint16_t *given, Delta tags, Delta arcs) except -1 nogil
