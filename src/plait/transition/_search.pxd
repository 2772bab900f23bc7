# Beam search over transition sequences: what is permissible, what it scores, which hypotheses go on.

from libc.stdint cimport int32_t

from plait.core._delta cimport Delta
from plait.core._memory cimport Arena, Memo
from plait.core._types cimport atom_t, key_t, label_t, score_t, uint16_t, uint64_t
from plait.core._weights cimport Scorer
from plait.transition._graph cimport GraphTemplates
from plait.transition._groups cimport Grouped, View
from plait.transition._state cimport Node, Sentence, Step

cdef enum Global:       # atoms of a window that belong to no single word
    DIST_S0_B0          # between the top and the next word
    DIST_S1_S0          # between the two topmost words
    BETWEEN_S0_B0       # the set of tags of the words between the top and the next word
    BETWEEN_S1_S0       # ... between the two topmost words
    DELTA               # of a candidate tag: how far behind the best one, in bins
    RANK                # of a candidate tag: 1 is the best
    GLOBALS


cdef class LabelFilter:
    # Labels by the classes of head and dependent, [heads][dependents] lists in one array. Behind the classes there is,
    # as head, the root and then "any word", and as dependent "any".
    cdef readonly Py_ssize_t classes, labels
    cdef readonly object starts     # int32 [(classes + 2) * (classes + 1) + 1]
    cdef readonly object known      # uint16
    cdef const int32_t[::1] _starts
    cdef const uint16_t[::1] _known

    # How many labels an arc may have, and where they are listed; head < 0 is the root
    cdef Py_ssize_t choices(self, Py_ssize_t head, Py_ssize_t dependent, const uint16_t **labels) noexcept nogil


cdef struct Expansion:      # a hypothesis and one more transition
    double score
    uint64_t tree           # signature of the configuration it leads to: arcs, stack and buffer, without tags ...
    uint64_t tagged         # ... and with them
    const Step *step
    label_t action
    label_t choice
    bint stays              # a finished hypothesis, carried along


cdef struct Given:          # what an analysis must agree with
    const int32_t *heads    # [n], 0 the root, -1 open
    const int32_t *labels   # [n], -1 open
    const int32_t *children  # [n + 1]: how many words have each as their given head


cdef struct Desk:           # the memory of one search
    const Given *given      # NULL: nothing is given
    Sentence sentence
    const Step **beam       # [width], best first
    Py_ssize_t size
    Expansion *expansions
    Py_ssize_t count, room
    int32_t *heap           # [room]
    uint64_t *seen          # [mask + 1], two sets side by side: signatures without and with tags
    uint64_t mask
    uint64_t *spans         # [levels][n]: tags of the 2^level words from each word on, as bits; NULL: not looked at
    Memo memo               # signature of some words → what their templates score together, rows in ``rows``
    Arena rows
    key_t *keys             # [most]: of all templates of a kind
    score_t **sums          # [most]: where each of them is added
    score_t **found         # [most]: the rows of the groups
    score_t *scores         # [actions]: those of the configuration at hand
    score_t *factor_scores  # [actions]
    atom_t *factor          # [ROLES][ROLE_COLUMNS]
    score_t *tag_scores     # [tags], twice
    View view               # the configuration at hand
    bint looked             # whether ``window`` shows it
    atom_t *window          # [SLOTS][columns], then the globals


cdef class TransitionSearch:
    cdef readonly Scorer arcs           # rows of actions
    cdef readonly Scorer tags           # rows of tags; None: every word has one candidate
    cdef readonly Grouped arc_templates, tag_templates, choice_templates
    cdef readonly GraphTemplates graph  # None: no graph features
    cdef readonly LabelFilter filter
    cdef readonly Py_ssize_t beam, beam_tags
    cdef object _classes
    cdef const uint16_t[::1] classes
    cdef bint compound
    cdef bint sees_between              # some template looks at the tags between two words
    cdef Py_ssize_t actions, tag_count, columns, extras, width
    cdef int32_t *extra                 # [extras]: columns of the word matrix that stand behind the node columns

    cdef int open(self, Desk *desk, const uint64_t[:, ::1] atoms, const uint16_t[:, ::1] tags,
                  const uint16_t[::1] counts, const uint16_t[:, ::1] bins) except -1
    cdef int span_tags(self, Desk *desk) except -1
    cdef atom_t between(self, Desk *desk, int32_t a, int32_t b) noexcept nogil
    cdef void close(self, Desk *desk) noexcept nogil
    cdef void turn_to(self, Desk *desk, const Step *step) noexcept nogil
    cdef void look(self, Desk *desk, const Step *step) noexcept nogil
    cdef int add_groups(self, Desk *desk, const Step *step, Grouped templates, Scorer weights, uint64_t more,
                        score_t *scores) except -1 nogil
    cdef int score(self, Desk *desk, const Step *step) except -1 nogil
    cdef double siblings(self, Desk *desk, const Node *node) noexcept nogil
    cdef int add_factors(self, Desk *desk, const Node *h, const Node *d, label_t first) except -1 nogil
    cdef int score_tags(self, Desk *desk, const Step *step) except -1 nogil
    cdef score_t choice_score(self, Desk *desk, const Step *step, label_t choice) except? -1 nogil
    cdef int permissible(self, Desk *desk, const Step *step) except -1 nogil
    cdef int propose(self, Desk *desk, const Step *step, label_t action, label_t choice) except -1 nogil
    cdef void keep_given(self, Desk *desk, Py_ssize_t first) noexcept nogil
    cdef object check_given(self, Py_ssize_t n, const int[::1] heads, const int[::1] labels)
    cdef int expand(self, Desk *desk) except -1 nogil
    cdef int prune(self, Desk *desk) except -1 nogil
    cdef int keep_best(self, Desk *desk) except -1 nogil
    cdef const Step *reach(self, Desk *desk, const Expansion *chosen) except NULL nogil
    cdef bint is_over(self, Desk *desk) noexcept nogil
    cdef bint is_formal(self, Desk *desk, const Step *step, Py_ssize_t action, Py_ssize_t choice) noexcept nogil
    cdef const Step *take_step(self, Desk *desk, const Step *step, Py_ssize_t action, Py_ssize_t choice,
                               bint scored) except NULL
    cdef object difference(self, Desk *desk, const Step **gold, Py_ssize_t m, Py_ssize_t at, const Step *predicted)
    cdef int collect_factors(self, Desk *desk, const Step *step, double value, Delta arcs) except -1
    cdef int collect(self, Desk *desk, const Step *step, double value, Delta tags, Delta arcs) except -1
