"""Scores of words by templates, where most templates look at one word: those are summed once for each form.

Of a word at i, what templates score that look at the word at i + k alone depends on the form of that word. The sums for
all k are kept by form, and the score of i is put together from those of its neighbours; templates that look at
several words are looked up as usual.
"""

from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc

import numpy as np

from plait.core._rows cimport add_32
from plait.core._templates cimport Templates
from plait.core._types cimport key_t, score_t
from plait.core._weights cimport Scorer

cdef enum:
    MEMORY = 1 << 22    # bytes of sums that are kept; when there are more all are forgotten, and frequent ones return


cdef class WordScores:
    """``Templates.scores`` of sentences given by their forms.

    ``single`` lists (k, templates that look at the word at distance k, as if it were the word itself), ``several`` are
    all other templates. ``boundary`` is the matrix of atoms of an empty sentence. Threads may share it: sums are made
    or forgotten, never changed.
    """

    cdef Scorer weights
    cdef list single
    cdef Templates several
    cdef Py_ssize_t pad, width, labels, groups, most
    cdef Py_ssize_t *distance       # [groups]
    cdef dict rows                  # form → its sums, [groups][labels]
    cdef bytes before, after        # those of the places outside of the sentence

    def __cinit__(self, Scorer weights not None, single, Templates several not None,
                  const uint64_t[:, ::1] boundary not None, Py_ssize_t pad):
        cdef Py_ssize_t g
        cdef Templates part
        self.weights = weights
        self.single = [templates for _, templates in single]
        self.several = several
        self.pad, self.width, self.labels = pad, boundary.shape[1], weights.labels
        self.groups = len(self.single)
        if boundary.shape[0] != 2 * pad or any(abs(k) > pad for k, _ in single):
            raise ValueError("the padding is narrower than the templates")
        for part in self.single:
            if part.lowest < 0 or part.highest >= max(self.width, 1):
                raise ValueError("a template of one word looks at another")
        if pad * self.width < max(-several.lowest, several.highest - self.width + 1):
            raise ValueError("the padding is narrower than the templates")
        self.distance = <Py_ssize_t *> malloc((self.groups + 1) * sizeof(Py_ssize_t))
        if self.distance == NULL:
            raise MemoryError()
        for g in range(self.groups):
            self.distance[g] = single[g][0]
        self.most = max(1, MEMORY // max(1, self.groups * self.labels * <Py_ssize_t> sizeof(score_t)))
        self.rows = {}
        if pad > 0:
            self.before = self.sums(&boundary[0, 0])
            self.after = self.sums(&boundary[2 * pad - 1, 0])

    def __dealloc__(self):
        free(self.distance)

    cdef bytes sums(self, const uint64_t *atoms):
        """What the templates of one word score at each distance, out of the atoms of the word."""
        cdef Templates part
        cdef Py_ssize_t g
        found = np.zeros((self.groups, self.labels), dtype=np.float32)
        cdef float[:, ::1] view = found
        cdef key_t *keys
        for g in range(self.groups if self.labels else 0):
            part = self.single[g]
            keys = <key_t *> malloc((part.count + 1) * sizeof(key_t))
            if keys == NULL:
                raise MemoryError()
            part.fill(atoms, keys)
            self.weights.add(keys, part.count, &view[g, 0])
            free(keys)
        return found.tobytes()

    def scores(self, forms, const uint64_t[:, ::1] atoms not None):
        """[words][labels] for the words and their padded matrix of atoms."""
        cdef Py_ssize_t n = len(forms), i, g, at
        cdef list kept = []         # holds the rows while they are added, whatever other threads forget
        cdef bytes row
        cdef const score_t **row_of
        cdef const score_t *source
        cdef const score_t *first = <const score_t *> PyBytes_AS_STRING(self.before) if self.pad else NULL
        cdef const score_t *last = <const score_t *> PyBytes_AS_STRING(self.after) if self.pad else NULL
        cdef key_t *keys
        if atoms.shape[0] != n + 2 * self.pad or atoms.shape[1] != self.width:
            raise ValueError(f"a matrix of {atoms.shape[0]} rows and {atoms.shape[1]} columns for {n} words")
        out = np.zeros((n, self.labels), dtype=np.float32)
        cdef float[:, ::1] found = out
        if n == 0 or self.labels == 0:
            return out
        for i in range(n):
            row = self.rows.get(forms[i])
            if row is None:
                row = self.sums(&atoms[self.pad + i, 0])
                if len(self.rows) >= self.most:
                    self.rows.clear()
                self.rows[forms[i]] = row
            kept.append(row)
        row_of = <const score_t **> malloc(n * sizeof(score_t *))
        keys = <key_t *> malloc((self.several.count + 1) * sizeof(key_t))
        if row_of == NULL or keys == NULL:
            free(row_of)
            free(keys)
            raise MemoryError()
        for i in range(n):
            row = kept[i]
            row_of[i] = <const score_t *> PyBytes_AS_STRING(row)
        with nogil:
            for i in range(n):
                for g in range(self.groups):
                    at = i + self.distance[g]
                    source = first if at < 0 else last if at >= n else row_of[at]
                    add_32(&found[i, 0], source + g * self.labels, self.labels)
                if self.several.count > 0:
                    self.several.fill(&atoms[self.pad + i, 0], keys)
                    self.weights.add(keys, self.several.count, &found[i, 0])
        free(row_of)
        free(keys)
        return out
