# Scores of words by templates: sums over templates of one word are cached by its form.

from plait.core._templates cimport Templates
from plait.core._types cimport score_t
from plait.core._weights cimport Scorer
from plait.features._words cimport WordRows


cdef class WordScores:
    cdef Scorer weights
    cdef list single                # templates of one word, by distance
    cdef Templates several          # templates of several words
    cdef WordRows rows
    cdef readonly Py_ssize_t labels
    cdef Py_ssize_t groups          # distances
    cdef Py_ssize_t max_forms       # in the cache
    cdef Py_ssize_t max_keys        # templates of the largest group
    cdef const Py_ssize_t[::1] distance     # [groups]
    cdef dict known                 # form → its atoms, then its sums [groups][labels]
    cdef bytes before, after        # the same for the positions outside the sentence

    # out [words][labels] = the scores of the words
    cdef int score(self, forms, score_t *out) except -1
    cdef bytes entry(self, bytes atoms)
