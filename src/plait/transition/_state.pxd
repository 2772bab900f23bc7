# Configurations that share structure: a step adds a few small cells to those of the previous step and copies nothing.
#
# Words count from 1, 0 is the root; S0, S1, S2 are the topmost stack words, B0, B1, B2 the next words of the buffer, P0
# is the word that was shifted last. Over a lattice, a "word" is a candidate word: see _lattice.pxd.

from libc.stdint cimport int32_t

from plait.core._memory cimport Arena
from plait.core._types cimport atom_t, label_t, uint16_t, uint64_t
from plait.transition._lattice cimport LatticeArrays
from plait.transition._types cimport LEFT

cdef enum NodeColumn:   # what templates see of a word and its children; 0 is absent
    W                   # form
    T                   # tag; of a tag with several parts the first
    M                   # the whole tag, where it has several parts
    LC_W                # leftmost child: form, tag, label
    LC_T
    LC_L
    RC_W                # rightmost child
    RC_T
    RC_L
    LC2_W               # second leftmost
    LC2_T
    LC2_L
    RC2_W               # second rightmost
    RC2_T
    RC2_L
    VL                  # number of left and right children, plus 1
    VR
    LL                  # sets of their labels
    LR
    NODE_COLUMNS

cdef enum:
    SLOTS = 7           # S0 S1 S2 B0 B1 B2 P0
    LAST = 6            # P0


cdef struct Arc:
    const Node *child
    const Arc *next
    label_t label


cdef struct Node:       # a word with its children so far; immutable, attaching creates a new one
    const Arc *arcs     # the latest first
    uint64_t tree       # hash of the subtree, independent of the order of attachments
    uint64_t tagged     # the same, tags included
    # of the children on the left, then of those on the right
    uint64_t labels[2][2]   # sets of labels, as bits
    int32_t outermost[2]    # words, 0: none
    int32_t second[2]
    int32_t word
    label_t tag
    bint siblings_known     # whether ``siblings`` has been computed
    double siblings     # score of the sibling factors of its children
    atom_t atom[NODE_COLUMNS]


cdef struct Item:       # a cell of the stack, or of the words moved back to the buffer
    const Node *node
    const Item *below
    uint64_t tree, tagged       # hashes of this cell and all below
    int32_t depth               # cells from the bottom to this one


cdef struct Step:       # a configuration, and the transition that led to it
    const Step *before
    const Item *stack
    const Item *back    # words moved back by SWAP, the next one first
    const Node *last    # the word that was shifted last, as it was then; the root: none yet
    int32_t front       # the position of the next word that was never shifted, from 1; length of the sentence + 1: none
    int32_t swaps       # so far
    int32_t length      # transitions so far
    int32_t time        # the same, but an APPEND counts two: hypotheses of the same time are compared
    int32_t word        # of a first SHIFT: the word; −s: an open word with start s, see Start; otherwise 0
    int32_t reach       # end position of the open word so far; 0: no word is open
    label_t action
    label_t choice      # of a first SHIFT: which of the word's candidate tags
    double score
    uint64_t tree       # hash of the whole configuration: stack, buffer and arcs ...
    uint64_t tagged     # ... and with the tags


cdef struct Start:      # with tags_first: a tag that a word may start with at some position
    int32_t word        # the first word there with this candidate tag, the best word before all others ...
    label_t choice      # ... and which of its candidate tags it is
    label_t tag


cdef struct Sentence:   # the input; the arrays belong to the caller
    Py_ssize_t n                # words, or candidate words
    LatticeArrays lattice
    Py_ssize_t width            # columns of a row of atoms; the first is the form
    const atom_t *atoms         # [n][width]
    Py_ssize_t k                # candidate tags a word can have
    const uint16_t *tags        # [n][k], best first
    const uint16_t *counts      # [n]: their number
    const uint16_t *bins        # [n][k]: difference to the best one, binned
    const Start *starts         # with tags_first, otherwise NULL
    const int32_t *first_start  # [length + 2]: starts at position p − 1 are first_start[p] .. first_start[p + 1] − 1
    const uint16_t *classes     # [tags]: the first part of a tag
    bint trees                  # are built; otherwise an analysis ends with its last word
    bint compound               # tags have several parts
    const atom_t *tag_rows      # [tags][tag_columns]: features of tags for templates
    Py_ssize_t tag_columns
    int32_t max_swaps
    Node *leaves                # [n][k]: words without children, with each of their candidate tags
    Node *root
    Arena arena


cdef inline int32_t next_reach(const Step *step) noexcept nogil:
    """The end position of the next or the open word after one more piece."""
    return step.reach + 1 if step.reach > 0 else step.front


cdef inline const Node *head_of(const Item *stack, label_t action) noexcept nogil:
    """The head of the arc that an action makes between the two topmost words."""
    return stack.node if action % 2 == LEFT % 2 else stack.below.node


cdef inline const Node *child_of(const Item *stack, label_t action) noexcept nogil:
    """The dependent of this arc."""
    return stack.below.node if action % 2 == LEFT % 2 else stack.node


cdef Step *initial_step(Sentence *sentence) except NULL nogil       # creates the leaves as well
cdef bint is_final(const Sentence *sentence, const Step *step) noexcept nogil
# The position of a tag among a word's candidate tags; −1: none of them
cdef int32_t choice_of(const Sentence *sentence, int32_t word, label_t tag) noexcept nogil
# Hashes of the configuration that an action leads to; of a first SHIFT, word and choice are what is shifted
cdef void hash_after(const Sentence *sentence, const Step *step, label_t action, int32_t word, label_t choice,
                     uint64_t *tree, uint64_t *tagged) noexcept nogil
cdef Step *apply(Sentence *sentence, const Step *step, label_t action, int32_t word, label_t choice) except NULL nogil
# The nodes in the slots, empty nodes where there is none. ``word`` is the next one of the buffer, with candidate tag
# ``choice``
cdef void window_nodes(const Sentence *sentence, const Step *step, int32_t word, label_t choice,
                       const Node **slots) noexcept nogil
