# The trained tagger: words to a pruned lattice, and the lattice to tags. Nothing in it changes but its caches, so that
# any number of threads may share it.

from libc.stdint cimport int32_t

from plait.core._memory cimport Arena
from plait.core._types cimport atom_t, key_t, label_t, score_t
from plait.core._weights cimport Scorer
from plait.features._lexicon cimport TagDictionary
from plait.core._templates cimport Templates
from plait.morphology._forms cimport FormAtoms
from plait.morphology._lattice cimport Lattice
from plait.morphology._parts cimport TagParts
from plait.morphology._nearest cimport NearestColumns


cdef class Workspace:                   # memory for one sentence at a time, kept from call to call
    cdef Arena arena
    cdef Lattice lattice
    cdef double threshold               # candidates and pairs below this probability are dropped
    cdef double log_z                   # of the lattice, if connect was called with sums
    cdef atom_t *rows                   # [FORM_BATCH][width]: of new forms
    cdef key_t *keys                    # of new forms, or of the context of some words ...
    cdef score_t **targets              # ... and the sums to which their rows are added
    cdef score_t *form_sums             # [FORM_BATCH][P + T]: of parts, then of whole tags
    cdef score_t *part_sums             # [WORD_BATCH][P]
    cdef score_t *half_sums             # [nodes]: the sums of the halves of tags
    cdef label_t *tags                  # [T]: candidates
    cdef score_t *scores                # [T]: their scores
    cdef score_t *unnormalized          # [T]: their probabilities, up to a factor


cdef struct FormEntry:                  # the cached analysis of a form; atoms, tags and scores follow in the same block
    int32_t count                       # of candidates
    int32_t capacity                    # count rounded up, so that the scores are aligned


cdef class LatticeDecoder:
    cdef readonly TagParts tag_parts
    cdef readonly object features
    cdef FormAtoms form_rows
    cdef bint has_resources             # rows have columns of word resources
    cdef Templates form_templates, context_templates
    cdef Scorer form_weights            # of parts, then of whole tags
    cdef Scorer whole_weights           # of whole tags, in older models; else None
    cdef Scorer context_weights
    cdef TagDictionary dictionary
    cdef readonly object open_tags      # uint16: the candidates of words that are not in the dictionary
    cdef const label_t *_open_tags
    cdef Py_ssize_t open_count
    cdef readonly object pair_scores    # float32 [T][T]: the score of tag b after tag a; or [T][P], of its parts
    cdef const score_t *pair
    cdef bint uses_tag_pairs            # pairs of whole tags have weights
    cdef readonly object triple_scores  # float32 [C][C][C] for order 2, else None
    cdef const score_t *triple
    cdef readonly object skip_scores    # likewise, of tags with one word between them
    cdef const score_t *skip
    cdef readonly int order
    cdef readonly double threshold      # less probable candidates are pruned for probabilities ...
    cdef readonly double search_threshold   # ... and for the best tags and n-best lists
    cdef readonly double margin         # candidates further than this behind the best by their form alone are dropped
    cdef readonly object context_columns    # int32 [context_width]: columns that context templates use, the form first
    cdef const int32_t *_context_columns
    cdef NearestColumns nearest_columns
    cdef Py_ssize_t P, T, C, context_width, pad, width
    cdef dict entries                   # form -> bytes of a FormEntry
    cdef dict constrained               # form and id of a tuple of tags -> the tuple, bytes of a FormEntry
    cdef list free_workspaces           # workspaces that no call is using
    cdef readonly bytes left_padding, right_padding     # the atoms before and after a sentence
    cdef const char *_left_padding
    cdef const char *_right_padding

    cdef Workspace take_workspace(self)
    cdef void score_forms(self, Workspace space, const atom_t *rows, Py_ssize_t count) noexcept nogil
    cdef bytes make_entry(self, Workspace space, const atom_t *row, Py_ssize_t at, const label_t *allowed,
                          Py_ssize_t count)
    cdef list entries_of(self, Workspace space, forms)
    cdef dict new_entries(self, Workspace space, list forms)
    cdef bytes constrained_entry(self, Workspace space, str form, allowed)
    cdef Workspace build_lattice(self, forms, allowed, double threshold)
    cdef int fill_lattice(self, Workspace space, const FormEntry *const *entries, Py_ssize_t n) except -1 nogil
    cdef void score_context(self, Workspace space, const atom_t *atoms, const FormEntry *const *entries,
                            Py_ssize_t first, Py_ssize_t last) noexcept nogil
    cdef Py_ssize_t prune(self, Workspace space, const FormEntry *entry, const score_t *sums,
                          Py_ssize_t at) noexcept nogil
    cdef int connect(self, Workspace space, bint sums) except -1 nogil
    cdef void score_pairs(self, Lattice *lattice) noexcept nogil
    cdef void score_triples(self, Lattice *lattice) noexcept nogil
    cdef int search(self, Workspace space, label_t *tags, double *score) except -1 nogil
