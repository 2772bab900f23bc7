# What the easy-first search works on: memory for one sentence, the states of a beam, and the gold analysis in training.
#
# An action is a number: 0 .. tags - 1 give a tag, tags + 2l + d attach with label l in direction d (LEFT, RIGHT).
# set_root is what is left at the end.

from libc.stdint cimport int32_t

from plait.core._types cimport score_t, uint16_t, uint64_t
from plait.core._memory cimport Arena
from plait.easyfirst._scoring cimport Desk, Node, Sentence

cdef enum Loss:     # what counts as an error in training (Algorithm 3)
    JOINT
    DEP             # any tag will do
    POS             # any attachment will do


cdef struct Gold:
    const uint16_t *tags        # [n]; NULL when there is no gold: then nothing is compatible and nothing is asked
    const int32_t *heads        # [n], from 0; -1 the root
    const uint16_t *labels      # [n]
    int32_t *children           # [n], how many each has
    int loss


cdef struct Item:               # the valid labels of one item, in a beam shared by all states that agree around it
    score_t best                # the highest score, -inf when no label is valid
    int32_t action              # its action
    int32_t count               # scores
    score_t score[1]            # [count]: by tag, or by 2l + d


cdef struct Made:               # a decision that led to a state of the beam
    int32_t parent              # the decision before it, -1 for the first
    int32_t word
    int32_t action
    score_t score


cdef struct State:              # a beam's state; arrays are its own
    double score
    uint64_t hash               # equal for equal partial analyses
    int32_t made                # the last decision, -1 at the start
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


cdef class Workspace:
    cdef Py_ssize_t room            # words there is room for
    cdef Desk desk
    cdef bint deciding              # only the best label of an item is asked for, not all scores
    cdef Arena nodes
    cdef Sentence sentence
    cdef uint16_t *codes            # [room + 2 pad]
    # the one state of the greedy search: the pending list as links between words
    cdef const Node **node          # [n], NULL when removed
    cdef int32_t *left              # [n], -1: none
    cdef int32_t *right
    cdef score_t *static            # [n][tags]
    cdef score_t *scores            # [n][widest]
    cdef score_t *best              # [n]
    cdef int32_t *action            # [n]
    cdef int32_t *winner            # tournament over the words: winner[1] is the best, leaves from winner[leaves] on
    cdef Py_ssize_t leaves
    cdef int32_t *stamp             # [n], the step at which it was last scored
    # the decisions, in order
    cdef int32_t *word              # [2n]
    cdef int32_t *made              # [2n]
    cdef score_t *made_score        # [2n]
    cdef Py_ssize_t steps
    cdef int32_t *head              # [n]
    cdef uint16_t *label            # [n]
    cdef int32_t *children          # [n]
    # the beam
    cdef State *states              # [2][width]
    cdef Py_ssize_t width
    cdef Made *history
    cdef Py_ssize_t history_size, history_room
    cdef Extension *chosen          # [width]
