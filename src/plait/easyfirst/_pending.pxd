# The easy-first search (Ma et al. 2012): the task, compatibility with gold, and a state, the pending list.
#
# An action is a number: 0 .. tags - 1 assign a tag, tags + 2l + d attach with label l in direction d (LEFT, RIGHT). The
# last remaining word is the root. Words count from 0; heads are word + 1, 0 is the root and -1 open.

from libc.stdint cimport int32_t

from plait.core._arrays cimport Arrays
from plait.core._delta cimport Delta
from plait.core._memory cimport Arena
from plait.core._types cimport atom_t, key_t, score_t, uint16_t
from plait.easyfirst._scoring cimport ArcScoring, Memo, Node, Sentence, TagScoring

cdef enum Loss:     # what counts as an error in training (Algorithm 3)
    JOINT
    DEP             # any tag is compatible
    POS             # any attachment is compatible


cdef struct Gold:
    const uint16_t *tags        # [n]; NULL when there is no gold: nothing is compatible then
    const int32_t *heads        # [n]
    const uint16_t *labels      # [n]
    const int32_t *children     # [n], number of children
    int loss


cdef class Task:
    # Three tasks: with tag scores the search tags, with arc scores it parses, with both it does both jointly.
    cdef readonly TagScoring tagging        # None: arcs only
    cdef readonly ArcScoring parsing        # None: tags only
    cdef readonly Py_ssize_t tags, pad, columns
    cdef Py_ssize_t max_actions             # of one item
    cdef Py_ssize_t max_templates, max_groups
    cdef int reach                          # how far away a change in the pending list affects scores

    cdef Py_ssize_t total_steps(self, Py_ssize_t n) noexcept nogil
    cdef bint may_tag(self, const Sentence *sentence, Py_ssize_t w, int32_t tag) noexcept nogil
    cdef void best_tag(self, const Sentence *sentence, Py_ssize_t w, const score_t *scores, score_t *best,
                       int32_t *action) noexcept nogil
    cdef void best_arc(self, const score_t *scores, score_t *best, int32_t *action) noexcept nogil
    cdef bint is_allowed(self, const Gold *gold, Py_ssize_t w, int32_t action, int32_t head,
                         const Node *node) noexcept nogil
    cdef int32_t compatible(self, const Gold *gold, Py_ssize_t w, uint16_t tag, const Node *node, int32_t left,
                            int32_t right, const score_t *scores, score_t best, int32_t action,
                            score_t *score) noexcept nogil


cdef class PendingList:
    # The roots of the partial trees as a linked list, every item with its best decision; and the memory for one
    # sentence at a time, which is reused.
    cdef Task task
    cdef Py_ssize_t capacity        # words
    cdef Memo memo
    cdef Arrays *arrays             # those of ``capacity`` words and the scratch memory of the memo
    cdef bint best_only             # only the best label of an item is needed, not all scores
    cdef Arena nodes
    cdef Sentence sentence
    cdef uint16_t *codes            # [capacity + 2 pad]
    cdef const Node **node          # [n], NULL when removed
    cdef int32_t *left              # [n], -1: none
    cdef int32_t *right
    cdef score_t *static            # [n][tags]
    cdef score_t *scores            # [n][max_actions]
    cdef score_t *best              # [n]
    cdef int32_t *action            # [n]
    cdef int32_t *winner            # tournament tree over words: winner[1] is the best, leaves from winner[leaves] on
    cdef Py_ssize_t leaves
    cdef int32_t *scored_at         # [n]: the step at which it was last scored
    # the decisions in order, [2n] each
    cdef int32_t *step_word
    cdef int32_t *step_action
    cdef score_t *step_score
    cdef Py_ssize_t steps
    # the tree
    cdef int32_t *head              # [n]
    cdef uint16_t *label            # [n]
    cdef int32_t *children          # [n]: number of children in gold

    cdef int reserve(self, Py_ssize_t n) except -1
    cdef Gold set_gold(self, const uint16_t[::1] tags, const int[::1] heads, const uint16_t[::1] labels, int loss)
    cdef int open(self, atom_t *atoms, Py_ssize_t n) except -1 nogil
    cdef int clear_scores(self) except -1 nogil
    cdef int begin(self, atom_t *atoms, Py_ssize_t n, const uint16_t *given) except -1 nogil
    cdef int restart(self, const uint16_t *given, bint trees) except -1 nogil
    cdef int look_up_words(self) except -1 nogil
    cdef int rescore_all(self) except -1 nogil
    cdef bint uses_pairs(self) noexcept nogil
    cdef const Node *neighbour(self, Py_ssize_t w, bint right) noexcept nogil
    cdef void fill_window(self, Py_ssize_t w, const Node **window) noexcept nogil
    cdef bint may_attach(self, Py_ssize_t w, bint right) noexcept nogil
    cdef bint is_valid_choice(self, Py_ssize_t w, Py_ssize_t k, int32_t *head) noexcept nogil
    cdef bint is_untagged(self, Py_ssize_t w) noexcept nogil
    cdef Py_ssize_t choice_count(self, Py_ssize_t w) noexcept nogil
    cdef int rescore(self, Py_ssize_t w) except -1 nogil
    cdef int rescore_pairs(self, Py_ssize_t w) except -1 nogil
    cdef void build_tournament(self) noexcept nogil
    cdef void play_match(self, Py_ssize_t k) noexcept nogil
    cdef void replay_matches(self, Py_ssize_t w) noexcept nogil
    cdef int apply(self, Py_ssize_t w, int32_t action, const Gold *gold) except -1 nogil
    cdef int rescore_around(self, Py_ssize_t w, Py_ssize_t changed, bint tagged) except -1 nogil
    cdef int take_step(self, Py_ssize_t w, int32_t action, score_t score, const Gold *gold) except -1 nogil
    cdef int search(self) except -1 nogil
    cdef Py_ssize_t best_item(self) except -1 nogil
    cdef Py_ssize_t best_correct(self, const Gold *gold, int32_t *action, score_t *score) noexcept nogil
    cdef Py_ssize_t best_consistent(self, const Gold *given, const unsigned char *allowed, const int32_t *labels,
                                    int32_t *action, score_t *score) noexcept nogil
    cdef int collect(self, Py_ssize_t w, int32_t action, double value, Delta tags, Delta arcs) except -1 nogil
    cdef Py_ssize_t fill_keys(self, Py_ssize_t w, int direction, key_t *keys) noexcept nogil
    cdef Py_ssize_t learn(self, const Gold *gold, bint all_errors, Delta tags, Delta arcs) except -1 nogil


cdef int raise_diverged() except -1 nogil
