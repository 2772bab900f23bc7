# The scores of (word, label) pairs: partial analyses, their features, and cached sums.
#
# Scores are sums over groups of templates that look at the same slots of a window; as long as nothing changes there,
# the sum of a group is taken from the memo. After a step, only what the step changed is hashed and looked up again, and
# states of a beam with the same window share its scores.

from libc.stdint cimport int32_t

from plait.core._delta cimport Delta
from plait.core._types cimport atom_t, key_t, label_t, score_t, uint16_t, uint64_t
from plait.core._weights cimport Scorer
from plait.core._memory cimport Arena, KeyMap
from plait.core._templates cimport Sums, TemplateGroups, Templates
from plait.features._lexicon cimport TagDictionary

cdef enum:
    REACH = 3           # a window has the item and three pending neighbours on each side
    LEFT = 0            # attach_left: the left neighbour becomes the head
    RIGHT = 1
    PAIRS = 2 * REACH + 2   # adjacent pairs that include an item affected by a change

cdef enum NodeColumn:   # what templates can see of a partial analysis; 0 is absent
    W                   # the root's form ...
    T                   # ... and its tag; absent until it is tagged
    LC_W                # left- and rightmost child: form, tag (NO_CHILD when there is none), label of the arc
    LC_T
    LC_L
    RC_W
    RC_T
    RC_L
    LC2_W               # the second left- and rightmost child
    LC2_T
    RC2_W
    RC2_T
    VL                  # number of children on the left and on the right, at most 7
    VR
    LEN                 # number of words in the tree, binned from 11 on
    LEAF                # 1: has no children, 2: has some
    NODE_COLUMNS


cdef struct Node:       # a partial analysis; immutable, so that states can share it
    uint64_t visible    # hash of the root word's position and all columns: what templates can see
    uint64_t tree       # hash of the whole partial tree, independent of the order of attachments
    int32_t word        # the root, from 0; -1 beyond the end of the pending list
    int32_t size        # words
    int32_t lefts, rights
    int32_t gold_children   # children that are attached as in the gold tree
    atom_t atom[NODE_COLUMNS]


cdef struct AllowedTags:
    const label_t *tags
    Py_ssize_t count


cdef struct Sentence:       # the input; owned by the caller of the search
    Py_ssize_t n
    Py_ssize_t width        # columns of a row of atoms; the first is the form
    # atoms: the first word's row of [pad + n + pad][width]; assigned tags are written there
    # tags: the first word's code, with pad codes before and after: 0 untagged, tag + 1, labels + 1 before the
    # sentence, labels + 2 after it
    atom_t *atoms
    uint16_t *tags
    AllowedTags *allowed    # [n]: the tags that the dictionary allows


cdef struct Record:         # a sum and its keys
    key_t *keys
    score_t *sum
    int32_t count
    bint of_arcs


cdef struct Memo:           # the cached sums of one sentence
    Sums sums
    KeyMap totals           # window → sum of all its groups, or their Best
    bint recording          # in training: keep records, so that an update recomputes only the sums it changed
    Record *records
    Py_ssize_t record_count, record_capacity
    atom_t *window          # [2 * REACH + 1][columns], then distances and agreements
    score_t *row            # scratch: one row of arc scores
    Arena word_arena        # kept across sentences while weights are constant
    KeyMap word_sums        # form → sum of the rows of the word alone


cdef struct Best:           # of a window: its best label in each direction
    int32_t action[2]       # 2l + d
    score_t score[2]


cdef class TagScoring:
    # score(w, x) = alone(w, x) + around(w, x) + sum over the groups; the first two, of the word and of its context, are
    # static
    cdef readonly Scorer weights
    cdef readonly TagDictionary dictionary
    cdef readonly Templates alone, around
    cdef readonly bint frozen       # weights are constant, so a word's own sum can be cached
    cdef readonly TemplateGroups groups     # slot k: the tag of word w + k; NEXT_LEFT, NEXT_RIGHT: pending neighbours
    cdef readonly Py_ssize_t labels, width, pad
    cdef Py_ssize_t tag_column, tagged_column, left_column, right_column    # -1: no template looks at it
    cdef bint sees_neighbours
    cdef Py_ssize_t lowest, highest     # offsets of the words whose tags are seen

    cdef int static_scores(self, Memo *memo, Sentence *sentence, Py_ssize_t w, score_t *scores) except -1 nogil
    cdef int scores(self, Memo *memo, Sentence *sentence, Py_ssize_t w, const uint16_t *tags, const Node *left,
                    const Node *right, const score_t *static, score_t *scores) except -1 nogil
    cdef void place(self, Sentence *sentence, Py_ssize_t w, const uint16_t *tags, const Node *left,
                    const Node *right) noexcept nogil
    cdef Py_ssize_t fill(self, Sentence *sentence, Py_ssize_t w, const uint16_t *tags, const Node *left,
                         const Node *right, key_t *keys) noexcept nogil
    cdef int collect(self, Memo *memo, Sentence *sentence, Py_ssize_t w, const uint16_t *tags, const Node *left,
                     const Node *right, label_t tag, double value, Delta delta) except -1 nogil


cdef class ArcScoring:
    # score(LEFT_l(i))  = pair(i - 1, i)[LEFT_l]  + item(i)[LEFT_l]
    # score(RIGHT_l(i)) = pair(i, i + 1)[RIGHT_l] + item(i)[RIGHT_l]
    # A row is LEFT, RIGHT, then LEFT_l, RIGHT_l for every label; an action's score in it is row[d] + row[2 + 2l + d].
    cdef readonly Scorer weights
    cdef readonly TemplateGroups pair, item
    cdef readonly Py_ssize_t labels     # of arcs, at least 1; unlabelled parsing has one and rows of two
    cdef readonly bint labelled, shared
    cdef readonly bint by_pair      # labelled, and no item templates: a pair has one best label per direction
    cdef Py_ssize_t row, columns, width
    cdef Py_ssize_t distances, agreements
    cdef const int32_t[:, ::1] distance     # [distances][2]: the two slots
    cdef const int32_t[:, ::1] agreeing     # [agreements][2]: the slots whose words are compared
    cdef Py_ssize_t agreement_column, agreement_slots   # where a row of words has the slots of agreement, and how many
    cdef Py_ssize_t extras
    cdef const int32_t[::1] extra   # [extras]: word columns that follow the node columns

    cdef score_t *sums(self, Memo *memo, Sentence *sentence, TemplateGroups groups, const Node **p0) except NULL nogil
    cdef int add_groups(self, Memo *memo, Sentence *sentence, TemplateGroups groups, const Node **p0,
                        score_t *total) except -1 nogil
    cdef int scores(self, Memo *memo, Sentence *sentence, const Node **p0, bint left, bint right,
                    score_t *scores) except -1 nogil
    cdef void prefetch_groups(self, Memo *memo, TemplateGroups groups, const Node **p0, Py_ssize_t at) noexcept nogil
    cdef int find_groups(self, Memo *memo, Sentence *sentence, TemplateGroups groups, const Node **p0,
                         Py_ssize_t at) except -1 nogil
    cdef int best_of_pairs(self, Memo *memo, Sentence *sentence, const Node **p0, const bint *asked,
                           const Best **found) except -1 nogil
    cdef void place(self, Memo *memo, Sentence *sentence, const Node **p0, int slot) noexcept nogil
    cdef void place_pairs(self, Memo *memo, Sentence *sentence, const Node **p0) noexcept nogil
    cdef int collect(self, Memo *memo, Sentence *sentence, const Node **p0, int direction, label_t label, double value,
                     Delta delta) except -1 nogil
    cdef Py_ssize_t fill_groups(self, Memo *memo, Sentence *sentence, TemplateGroups groups, const Node **p0,
                                key_t *keys) noexcept nogil
    cdef Py_ssize_t fill(self, Memo *memo, Sentence *sentence, const Node **p0, int direction,
                         key_t *keys) noexcept nogil


cdef int record(Memo *memo, const key_t *keys, score_t *sum, Py_ssize_t count, bint of_arcs) except -1 nogil
cdef int update_sums(Memo *memo, Scorer tags, Scorer arcs, Delta tag_changes, Delta arc_changes) except -1

cdef const Node *no_node() noexcept nogil       # padding beyond the ends of the pending list
cdef Node *leaf(Arena *arena, Sentence *sentence, Py_ssize_t w, uint16_t tag) except NULL nogil
cdef Node *attach(Arena *arena, const Node *head, const Node *child, label_t label, bint labelled,
                  bint is_gold) except NULL nogil
cdef uint64_t with_child(const Node *head, const Node *child, label_t label) noexcept nogil     # the new ``tree`` hash
cdef uint64_t leaf_hash(Py_ssize_t w, uint16_t tag) noexcept nogil
