# The factors of a tree: arcs, siblings and grandchildren, between nodes.
#
# A node is a word with one of its candidate tags; node 0 is the root. A parser with given tags has one node per word.

from plait.core._arrays cimport Arrays
from plait.core._memory cimport Arena
from plait.core._templates cimport TemplateGroups, Templates
from plait.core._types cimport atom_t, key_t, score_t
from plait.core._weights cimport Scorer


cdef class Factors:
    cdef readonly Py_ssize_t nodes
    cdef readonly Py_ssize_t labels
    cdef readonly Py_ssize_t stride     # of rows of labels: a multiple of 8

    # what ``arc`` will need waits to be looked up with more of its kind; call finish() in between
    cdef void prepare_arc(self, Py_ssize_t h, Py_ssize_t m) noexcept nogil
    # out[l] = the score with label l on the arc h -> m; out has space for a row. All indices are nodes.
    cdef void arc(self, Py_ssize_t h, Py_ssize_t m, score_t *out) noexcept nogil
    # The same for each of some nodes s, a row of out for each; the padding of rows is left unchanged or set to 0.
    # s: the sibling next to m between h and m, or -1 if m is the first child of h on its side
    cdef void siblings(self, Py_ssize_t h, Py_ssize_t m, const int *s, Py_ssize_t count, score_t *out) noexcept nogil
    # g: the outermost child of m on one side, the same for all
    cdef void grandchildren(self, Py_ssize_t h, Py_ssize_t m, const int *g, Py_ssize_t count,
                            score_t *out) noexcept nogil
    # must be called before scores are read: they may wait to be looked up together
    cdef void finish(self) noexcept nogil


cdef class ArrayFactors(Factors):
    cdef const float[:, :, ::1] arcs            # [h][m][label]
    cdef const float[:, :, :, ::1] of_siblings  # [h][m][s][label]; s = nodes: none
    cdef const float[:, :, :, ::1] of_grandchildren


cdef class FactorTemplates:
    # grouped by the nodes they use, see ``GROUPS``
    cdef readonly TemplateGroups arc            # fire once per arc
    cdef readonly TemplateGroups between        # once for each distinct tag between its ends
    cdef readonly TemplateGroups sibling
    cdef readonly TemplateGroups grandchild
    cdef readonly Py_ssize_t width      # atoms of a node; a frame is h, m, s, g and then the atoms of the pair
    cdef bint between_words             # no template of between uses a candidate tag
    cdef Py_ssize_t agreement_column, agreement_slots   # position and number of the agreement slots in a node


cdef class FeatureFactors(Factors):
    cdef readonly Scorer weights
    cdef FactorTemplates templates
    cdef const atom_t[:, ::1] blocks    # [node][width]
    cdef const int[::1] word_of         # of a node
    cdef const unsigned short[::1] best   # [word]: the tag used by context atoms
    cdef const int[:, ::1] counts       # [class][word]: number of verbs, ... up to and including this word
    cdef const int[::1] guide           # [word]: its head in the guide's tree; entry 0 is unused
    cdef bint guided                    # there is a guide
    cdef atom_t *frame
    cdef key_t *keys
    cdef int *seen                      # [tag]: the stamp of the last arc with this tag between its ends
    cdef int stamp
    cdef Py_ssize_t tags
    cdef Py_ssize_t words
    # Cached sums that many factors share: most templates use only one or two of the three nodes of a factor. A variant
    # is direction and distance of h -> m; NULL: not computed yet.
    cdef score_t **of_head      # [node][VARIANTS]
    cdef score_t **of_modifier
    cdef score_t **of_words     # [word of h][word of m]: templates that use no candidate tag
    cdef score_t **of_h_s       # [node][PLAIN + variant][node or none], without and with distance
    cdef score_t **of_m_s
    cdef score_t **of_h_g       # [node][directions of both arcs][node]
    cdef score_t **of_m_g
    # queued keys of several factors, whose rows are added together, and the target of each
    cdef key_t *queue           # [QUEUE]
    cdef score_t **targets
    cdef Py_ssize_t waiting
    cdef Arena rows
    cdef Arrays *arrays         # all others
    cdef score_t *spare         # a row for use when out of memory: then nothing is cached
    cdef score_t *spare_base

    cdef score_t *new_row(self) noexcept nogil
    cdef void add_group(self, TemplateGroups groups, Py_ssize_t g, score_t *out) noexcept nogil
    cdef const score_t *group_sum(self, score_t **place, TemplateGroups groups, Py_ssize_t g,
                                  const score_t *base) noexcept nogil
    cdef const score_t *sibling_pair(self, score_t **of_node, Py_ssize_t other, Py_ssize_t variant,
                                     Py_ssize_t group) noexcept nogil
    cdef void enqueue(self, TemplateGroups groups, Py_ssize_t g, score_t *out) noexcept nogil
    cdef void enqueue_keys(self, Py_ssize_t count, score_t *out) noexcept nogil
    cdef void flush(self) noexcept nogil
    cdef void begin_sum(self, score_t *row, const score_t *base) noexcept nogil
    cdef void prepare(self, score_t **place, TemplateGroups groups, Py_ssize_t g, const score_t *base) noexcept nogil
    cdef Py_ssize_t variant(self) noexcept nogil
    cdef void fill_between(self, Py_ssize_t h, Py_ssize_t m) noexcept nogil
    cdef Py_ssize_t between_keys(self, Py_ssize_t h, Py_ssize_t m, key_t *keys) noexcept nogil
    cdef Py_ssize_t arc_keys(self, Py_ssize_t h, Py_ssize_t m) noexcept nogil
    cdef Py_ssize_t sibling_keys(self, Py_ssize_t h, Py_ssize_t m, Py_ssize_t s) noexcept nogil
    cdef Py_ssize_t grandchild_keys(self, Py_ssize_t h, Py_ssize_t m, Py_ssize_t g) noexcept nogil
    cdef void fill_pair(self, Py_ssize_t h, Py_ssize_t m) noexcept nogil
    cdef void fill_sibling(self, Py_ssize_t h, Py_ssize_t m, Py_ssize_t s) noexcept nogil
    cdef void fill_grandchild(self, Py_ssize_t h, Py_ssize_t m, Py_ssize_t g) noexcept nogil
    cdef void fill_slot(self, Py_ssize_t slot, Py_ssize_t node) noexcept nogil
    cdef void sum_keys(self, Py_ssize_t n, score_t *out) noexcept nogil
