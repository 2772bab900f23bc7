# Scores of the candidate lemmas of a form under a tag.

from libc.stdint cimport uint8_t

from plait.core._memory cimport Arena
from plait.core._templates cimport Sums, TemplateGroups, Templates
from plait.core._types cimport atom_t, uint64_t
from plait.core._weights cimport Scorer
from plait.morphology._known_words cimport KnownLemmas
from plait.morphology._lemma_search cimport Candidates, ScriptIndex
from plait.morphology._word_tag cimport WordTag


cdef class Workspace:
    cdef Candidates found
    cdef Arena arena        # for their scores


cdef class LemmaScorer:
    cdef Scorer edit_weights, lemma_weights
    cdef Templates form_templates
    cdef TemplateGroups lemma_groups
    cdef Sums sums                      # of the groups, by their contents; only used while nothing else can run
    cdef const uint8_t[::1] of_tag      # [groups]: whether templates of the group look at the tag
    cdef ScriptIndex scripts
    cdef KnownLemmas known
    cdef const int[::1] edits, casings, form_codes, lemma_codes
    cdef Py_ssize_t form_own_at, form_tag_at, form_width, lemma_own_at, lemma_tag_at, lemma_width
    cdef list idle                      # workspaces that no thread is using

    # the most probable lemma of a form; the form itself if there is no candidate
    cdef str best_lemma(self, str form, WordTag tag, double *probability)
    # the lemma that one script makes of a form; None if it does not apply
    cdef str edited(self, str form, Py_ssize_t script)
    cdef Workspace workspace(self)
    cdef int put_back(self, Workspace space) except -1
    cdef double *candidate_scores(self, Workspace space, str form, WordTag tag) except NULL
    cdef int add_edits(self, Workspace space, const Py_UCS4 *lower, Py_ssize_t n, int case, WordTag tag,
                       double *scores) except -1
    cdef void fill_lemmas(self, Candidates *found, Py_ssize_t n, uint64_t lower_hash, uint64_t upos_hash,
                          atom_t *atoms) noexcept nogil
    cdef int add_lemmas(self, Workspace space, Py_ssize_t length, uint64_t lower_hash, WordTag tag,
                        double *scores) except -1
