# What a (word, label) pair scores: partial analyses, the features that look at them, sums that are kept.
#
# Scores are sums over groups of templates that look at the same slots of a window; as long as nothing changes there,
# the sum of a group is taken from the memo. So after a step only what the step changed is hashed and looked up again,
# and states of a beam that agree in a window share its scores.

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
    PAIRS = 2 * REACH + 2   # neighbouring pairs, one of which every item has that sees a change

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
    VL                  # children on the left and on the right, 7 and more alike
    VR
    LEN                 # words in the tree, in ranges from 11 on
    LEAF                # 1: has no children, 2: has some
    NODE_COLUMNS


cdef struct Node:       # a partial analysis; never changed: attaching makes a new one, so that states can share it
    uint64_t visible    # hash of the root word's place and all columns: what templates can see
    uint64_t tree       # hash of the whole partial tree, the same in whatever order it was built
    int32_t word        # the root, from 0; -1 beyond the end of the pending list
    int32_t size        # words
    int32_t lefts, rights
    int32_t gathered    # children that are children in the gold tree too
    atom_t atom[NODE_COLUMNS]


cdef struct Choice:
    const label_t *tags
    Py_ssize_t count


cdef struct Sentence:       # what is being analysed; owned by the caller of the search
    Py_ssize_t n
    Py_ssize_t width        # columns of a row of atoms; the first is the form
    # atoms: the first word's row of [pad + n + pad][width]; what is given to a word is written there
    # tags: the first word's code, with pad codes before and after: 0 none yet, tag + 1, labels + 1 before the
    # sentence, labels + 2 after it
    atom_t *atoms
    uint16_t *tags
    Choice *choices         # [n]: the tags that the dictionary allows; what tags are sought alone


cdef struct Record:         # a sum and the keys it was made from
    key_t *keys
    score_t *sum
    int32_t count
    bint of_arcs


cdef struct Memo:           # where the sums of one sentence are kept
    Sums sums
    KeyMap totals           # window → sum of all its groups, or their Best
    bint recording          # training keeps records, so that an update costs only the sums it changed
    Record *records
    Py_ssize_t record_count, record_capacity
    atom_t *window          # [2 * REACH + 1][columns], then distances and agreements
    score_t *row            # one row of arc scores, for use in between
    Arena own_sums          # kept from sentence to sentence where weights do not move
    KeyMap own              # form → sum of the rows of the word alone


cdef struct Best:           # of a window: its best label in each direction
    int32_t action[2]       # 2l + d
    score_t score[2]


cdef class TagScoring:
    # score(w, x) = alone(w, x) + around(w, x) + sum over the groups; the first two are static
    cdef readonly Scorer weights
    cdef readonly TagDictionary dictionary
    cdef readonly Templates alone, around
    cdef readonly bint frozen       # weights do not move, so a word's own sum can be kept
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
    cdef readonly bint by_pair      # labelled, and no template looks at the item: the best label of a pair is known
    cdef Py_ssize_t row, columns, width
    cdef Py_ssize_t distances
    cdef int32_t *distance      # [distances][2]: the slots between which it is taken
    cdef Py_ssize_t agreements
    cdef int32_t *agreeing      # [agreements][2]: the slots whose words are compared
    cdef Py_ssize_t agree_at, agree_slots   # where a row of words has the slots of agreement, and how many
    cdef Py_ssize_t extras
    cdef int32_t *extra         # [extras]: word columns that stand behind the node columns

    cdef score_t *sums(self, Memo *memo, Sentence *sentence, TemplateGroups groups, const Node **p0) except NULL nogil
    cdef int add_groups(self, Memo *memo, Sentence *sentence, TemplateGroups groups, const Node **p0,
                        score_t *total) except -1 nogil
    cdef int scores(self, Memo *memo, Sentence *sentence, const Node **p0, bint left, bint right,
                    score_t *scores) except -1 nogil
    cdef void expect_groups(self, Memo *memo, TemplateGroups groups, const Node **p0, Py_ssize_t at) noexcept nogil
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
cdef int renew(Memo *memo, Scorer tags, Scorer arcs, Delta tag_changes, Delta arc_changes) except -1

cdef const Node *no_node() noexcept nogil       # what stands beyond the ends of the pending list
cdef Node *leaf(Arena *arena, Sentence *sentence, Py_ssize_t w, uint16_t tag) except NULL nogil
cdef Node *attach(Arena *arena, const Node *head, const Node *child, label_t label, bint labelled,
                  bint is_gold) except NULL nogil
cdef uint64_t with_child(const Node *head, const Node *child, label_t label) noexcept nogil     # the new ``tree``
cdef uint64_t leaf_hash(Py_ssize_t w, uint16_t tag) noexcept nogil
