# The tagger in use: words to a pruned lattice, and the lattice to tags. Nothing in it changes but what is remembered of
# forms, so that any number of threads may share it.

from libc.stdint cimport int32_t

from plait.core._memory cimport Arena
from plait.core._types cimport atom_t, key_t, label_t, score_t
from plait.core._weights cimport Scorer
from plait.features._lexicon cimport TagDictionary
from plait.core._templates cimport Templates
from plait.morphology._forms cimport FormAtoms
from plait.morphology._lattice cimport Lattice
from plait.morphology._parts cimport TagParts
from plait.morphology._reach cimport Reach


cdef class Workspace:                   # memory for one sentence at a time, kept from call to call
    cdef Arena arena
    cdef Lattice lattice
    cdef double threshold               # candidates and pairs below this probability are dropped
    cdef double log_z                   # of the lattice, where it was asked for
    cdef atom_t *rows                   # [FORMS][width]: of new forms
    cdef key_t *keys                    # of new forms, or of the context of some words ...
    cdef score_t **targets              # ... and where their rows are added
    cdef score_t *sums                  # [FORMS or WORDS][P]
    cdef score_t *of_tags               # [FORMS][T]
    cdef score_t *halves                # [nodes]: the sums of the halves of tags
    cdef label_t *tags                  # [T]: candidates
    cdef score_t *scores                # [T]: their scores
    cdef score_t *shares                # [T]: how probable they are, up to a factor


cdef struct Entry:                      # what is known of a form; atoms, tags and scores follow in the same block
    int32_t count                       # of candidates
    int32_t room                        # for candidates; scores are aligned by it


cdef class LatticeDecoder:
    cdef readonly TagParts tag_parts
    cdef readonly object features
    cdef FormAtoms rows
    cdef bint resources                 # rows have columns of word resources
    cdef Templates form, context
    cdef Scorer form_parts, form_tags, context_parts
    cdef TagDictionary dictionary
    cdef readonly object open_tags      # uint16: what words may be that the dictionary does not hold
    cdef const label_t *open_of
    cdef Py_ssize_t open_count
    cdef readonly object pair_scores    # float32 [T][T]: what tag b after tag a adds; or [T][P], of its parts alone
    cdef const score_t *pair
    cdef bint whole_pairs
    cdef readonly object triple_scores  # float32 [C][C][C] for order 2, else None
    cdef const score_t *triple
    cdef readonly object skip_scores    # likewise float32 [T][T], or [T][P]: of parts with a word between them
    cdef const score_t *skip
    cdef readonly int order
    cdef readonly double threshold      # candidates that are less probable are pruned
    cdef readonly double margin         # candidates so far behind by their form alone are never looked at again
    cdef readonly object near_columns   # int32 [near]: the columns of a word that the context looks at, the form first
    cdef const int32_t *near_of
    cdef Reach reach
    cdef Py_ssize_t P, T, C, near, pad, width
    cdef dict entries                   # form -> bytes of an Entry
    cdef dict bound                     # form and id of a tuple of tags -> the tuple, bytes of an Entry
    cdef list spare                     # workspaces that nobody uses at the moment
    cdef readonly bytes before, after   # the atoms of sentence boundaries
    cdef const char *_before
    cdef const char *_after

    cdef Workspace open_space(self)
    cdef void add_forms(self, Workspace space, const atom_t *rows, Py_ssize_t count) noexcept nogil
    cdef bytes entry_of(self, Workspace space, const atom_t *row, Py_ssize_t at, const label_t *allowed,
                        Py_ssize_t count)
    cdef list known(self, Workspace space, forms)
    cdef dict new_entries(self, Workspace space, list forms)
    cdef bytes bound_entry(self, Workspace space, str form, allowed)
    cdef Workspace build(self, forms, allowed)
    cdef int fill(self, Workspace space, const Entry *const *entries, Py_ssize_t n) except -1 nogil
    cdef void add_context(self, Workspace space, const atom_t *atoms, const Entry *const *entries, Py_ssize_t first,
                          Py_ssize_t last) noexcept nogil
    cdef Py_ssize_t prune(self, Workspace space, const Entry *entry, const score_t *sums, Py_ssize_t at) noexcept nogil
    cdef int connect(self, Workspace space, bint sums) except -1 nogil
    cdef void score_pairs(self, Lattice *lattice) noexcept nogil
    cdef void score_triples(self, Lattice *lattice) noexcept nogil
    cdef int search(self, Workspace space, label_t *tags, double *score) except -1 nogil
