# The scores of the actions in a configuration, and the memory of one search.

from libc.stdint cimport int32_t

from plait.core._memory cimport KeyMap, Ranked
from plait.core._templates cimport Sums, TemplateGroups
from plait.core._types cimport atom_t, label_t, score_t, uint16_t, uint64_t
from plait.core._weights cimport Scorer
from plait.transition._filter cimport LabelFilter
from plait.transition._graph cimport GraphTemplates
from plait.transition._lattice cimport Lattice
from plait.transition._state cimport SLOTS, Arc, Node, Sentence, Step
from plait.transition._types cimport LEFT, RIGHT

cdef enum Global:       # atoms of a window that belong to no single word
    DIST_S0_B0          # between the top and the next word
    DIST_S1_S0          # between the two topmost words
    BETWEEN_S0_B0       # the set of tags of the words between the top and the next word
    BETWEEN_S1_S0       # ... between the two topmost words
    GUIDE_S0_B0         # the guide's arc between the top and the next word: none, left, right
    GUIDE_S1_S0         # ... between the two topmost words
    GUIDE_LABEL_S0_B0   # the same with its label; absent without an arc
    GUIDE_LABEL_S1_S0
    DONE_S0             # whether the top has all its dependents in the guide's tree
    DONE_S1
    DELTA               # of a candidate tag: difference to the best one, in bins
    RANK                # of a candidate tag: 1 is the best
    AGREE_S0_B0         # agreement of the top and the next word
    AGREE_S1_S0         # ... of the two topmost words
    GLOBALS

cdef enum Guide:        # the last columns of the word matrix, if there is a guide
    GUIDE_HEAD          # 0: the root
    GUIDE_LABEL
    GUIDE_DEPENDENTS    # their number
    GUIDES


cdef struct Expansion:      # a hypothesis and one more transition
    double score
    uint64_t tree           # signature of the configuration it leads to: arcs, stack and buffer, without tags ...
    uint64_t tagged         # ... and with them
    const Step *step
    int32_t time            # of the configuration it leads to
    int32_t word            # of a first SHIFT, as in Step, else 0
    label_t action
    label_t choice
    bint finished           # a finished hypothesis, kept as it is


cdef struct Constraints:    # given heads and labels
    const int32_t *heads    # [n], 0 the root, -1 open
    const int32_t *labels   # [n], -1 open
    const int32_t *children  # [n + 1]: number of words whose given head this is


cdef struct Workspace:      # of one search; what is allocated here stays so for the next sentence
    const Constraints *constraints  # NULL: none
    Sentence sentence
    const Step **beam       # [width], best first
    Py_ssize_t size
    Expansion *expansions
    Py_ssize_t count, capacity
    Py_ssize_t waiting      # expansions of a later time, at the front
    int32_t time            # steps so far
    Ranked *heap            # [capacity]
    KeyMap trees            # signatures of the configurations that are kept, without tags ...
    KeyMap tagged           # ... and with them
    uint64_t *spans         # [levels][path]: tags of 2^level words starting at each word, as bits; NULL: not used
    Sums sums               # of template groups, and of graph factors
    score_t **arc_sums      # [width][groups]: those of the arc templates in each configuration of the beam
    score_t *scores         # [actions]: those of the current configuration
    score_t *factor_scores  # [actions]
    atom_t *factor          # [ROLES][columns of a role]
    score_t *tag_scores     # [classes of tags], twice
    # the current configuration: the atoms that templates see, and hashes of its slots; s is the word with its tag,
    # SLOTS + s the word with its subtree
    uint64_t contents[2 * SLOTS]
    atom_t *window          # [SLOTS][columns], then the globals
    int32_t window_word     # the next word of the buffer in the window ...
    label_t window_choice   # ... and which of its candidate tags it has there
    bint window_filled


cdef class Memory:
    cdef Workspace work


cdef inline label_t action_of(const Node *head, const Arc *arc) noexcept nogil:
    """The action that creates an arc, by its direction and label."""
    return (<label_t> LEFT if arc.child.word < head.word else <label_t> RIGHT) + 2 * arc.label


cdef class Scoring:
    cdef readonly Scorer arcs           # rows of actions
    cdef readonly Scorer tags           # rows of classes of tags; None: every word has one candidate
    # one weight per row: the score of a candidate word; None: words are given. With tags_first two weights: the word
    # ends here, it goes on
    cdef readonly Scorer words
    cdef readonly TemplateGroups arc_templates, tag_templates, choice_templates, word_templates
    cdef readonly GraphTemplates graph  # None: no graph features
    cdef readonly LabelFilter filter
    cdef readonly bint tags_first       # tags are chosen before the extent of their words
    cdef object _classes
    cdef const uint16_t[::1] classes
    cdef bint compound
    cdef bint trees                     # arcs are searched; otherwise only words and tags
    cdef bint sees_between              # some template looks at the tags between two words
    cdef bint sees_guide                # ... at arcs of the guide
    cdef int slots                      # used by templates: all of them, or all but P0
    cdef Py_ssize_t actions, tag_count, class_count, columns, extras, width
    cdef const int32_t[::1] extra       # [extras]: columns of the word matrix that follow the node columns
    cdef object _tag_rows
    cdef const atom_t *tag_rows         # [tags][tag_columns]: features of tags; they follow the extras
    cdef Py_ssize_t tag_columns
    cdef Py_ssize_t agreement_column, agreement_slots   # position and number of the agreement slots in a window row

    cdef int open(self, Workspace *work, const uint64_t[:, ::1] atoms, candidates, Lattice lattice,
                  Py_ssize_t hypotheses) except -1
    cdef int list_starts(self, Workspace *work) except -1
    cdef int span_tags(self, Workspace *work) except -1
    cdef atom_t tags_between(self, Workspace *work, int32_t a, int32_t b) noexcept nogil
    cdef void fill_guide(self, Workspace *work, const Node **slots, atom_t *to) noexcept nogil
    cdef void fill_guide_arc(self, Workspace *work, int32_t a, int32_t b, atom_t *arc,
                             atom_t *label) noexcept nogil
    cdef atom_t has_guide_dependents(self, Workspace *work, const Node *node) noexcept nogil
    cdef void set_window(self, Workspace *work, const Step *step, int32_t word, label_t choice) noexcept nogil
    cdef void fill_window(self, Workspace *work, const Step *step) noexcept nogil
    cdef void fill_candidate(self, Workspace *work, Py_ssize_t at, label_t choice) noexcept nogil
    cdef int find_sums(self, Workspace *work, const Step *step, TemplateGroups groups, Scorer weights, uint64_t more,
                       score_t **parts) except -1 nogil
    cdef int sum_groups(self, Workspace *work, const Step *step, TemplateGroups groups, Scorer weights, uint64_t more,
                        score_t *scores) except -1 nogil
    cdef int forget(self, Workspace *work) except -1 nogil
    cdef int find_arc_sums(self, Workspace *work, const Step *step, score_t **parts) except -1 nogil
    cdef int add_arc_sums(self, Workspace *work, const Step *step, score_t **parts) except -1 nogil
    cdef int score(self, Workspace *work, const Step *step) except -1 nogil
    cdef double siblings(self, Workspace *work, const Node *node) noexcept nogil
    cdef int add_factors(self, Workspace *work, const Node *h, const Node *d, label_t first) except -1 nogil
    cdef bint has_competitors(self, const Sentence *sentence, const Step *step) noexcept nogil
    cdef bint chooses_tag(self, const Sentence *sentence, const Step *step, int32_t word) noexcept nogil
    cdef int32_t start_of(self, const Sentence *sentence, const Step *step, int32_t word, label_t choice) noexcept nogil
    cdef int32_t word_so_far(self, const Sentence *sentence, const Step *step, int32_t word,
                             label_t *choice) noexcept nogil
    cdef bint chooses_start(self, const Sentence *sentence, const Step *step) noexcept nogil
    cdef score_t score_start(self, Workspace *work, const Step *step, int32_t word, label_t choice) except? -1 nogil
    cdef score_t score_word(self, Workspace *work, const Step *step, int32_t word) except? -1 nogil
    cdef int score_tags(self, Workspace *work, const Step *step, int32_t word) except -1 nogil
    cdef score_t choice_score(self, Workspace *work, const Step *step, int32_t word,
                              label_t choice) except? -1 nogil
