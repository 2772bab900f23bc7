"""Scores of words by templates, most of which look at one word: those are summed once for each form.

The templates of word i that look only at word i + k depend on the form of that word. The sums for all k are cached by
form, and the score of word i is composed from those of its neighbours; templates over several words are looked up as
usual.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

import numpy as np

from plait.core._arrays cimport allocated
from plait.core._rows cimport BATCH, sum_rows
from plait.core._types cimport key_t

cdef enum:
    MEMORY = 1 << 22    # bytes of the cache; when it is full it is cleared, and frequent words soon return


cdef class WordScores:
    """``Templates.scores`` of sentences given by their forms.

    ``single`` lists (k, templates that look at the word at distance k, as if it were the word itself), ``several`` are
    all other templates; ``rows`` makes the atoms of words. Threads may share it: cache entries are never changed.
    """

    def __cinit__(self, Scorer weights not None, single, Templates several not None, WordRows rows not None):
        cdef Py_ssize_t pad = rows.pad, width = rows.width
        cdef Templates part
        self.weights = weights
        self.single = [templates for _, templates in single]
        self.several = several
        self.rows = rows
        self.labels = weights.labels
        self.groups = len(self.single)
        self.max_keys = max([len(part) for part in self.single], default=0)
        if any(abs(k) > pad for k, _ in single):
            raise ValueError("the padding is narrower than the templates")
        for part in self.single:
            if part.lowest < 0 or part.highest >= max(width, 1):
                raise ValueError("a template of one word looks at another")
        if pad * width < max(-several.lowest, several.highest - width + 1):
            raise ValueError("the padding is narrower than the templates")
        self.distance = np.array([k for k, _ in single], dtype=np.intp)
        self.known = {}
        size = width * sizeof(uint64_t)
        self.max_forms = max(1, MEMORY // max(1, size + self.groups * self.labels * sizeof(score_t)))
        self.before = self.entry(rows.before[:size]) if pad > 0 else b""
        self.after = self.entry(rows.after[:size]) if pad > 0 else b""

    cdef bytes entry(self, bytes atoms):
        """The atoms of a word, and the scores of its single-word templates at each distance."""
        cdef Py_ssize_t size = self.rows.width * sizeof(uint64_t), g, k
        cdef Py_ssize_t sums = self.groups * self.labels * sizeof(score_t)
        cdef bytes found = PyBytes_FromStringAndSize(NULL, size + sums)
        cdef char *start = PyBytes_AS_STRING(found)
        cdef score_t *sum_ = <score_t *> (start + size)
        cdef Templates part
        cdef char *memory = <char *> allocated((self.max_keys + BATCH) * (sizeof(key_t) + sizeof(score_t *)))
        cdef key_t *keys = <key_t *> memory
        cdef score_t **targets = <score_t **> (keys + self.max_keys + BATCH)
        cdef Py_ssize_t waiting = 0
        memcpy(start, PyBytes_AS_STRING(atoms), size)
        memset(sum_, 0, sums)
        for g in range(self.groups):
            part = self.single[g]
            if waiting + part.count > BATCH:    # a batch of keys at a time, without splitting a group
                self.weights.add_each(keys, waiting, targets)
                waiting = 0
            part.fill(<const uint64_t *> start, keys + waiting)
            for k in range(waiting, waiting + part.count):
                targets[k] = sum_ + g * self.labels
            waiting += part.count
        self.weights.add_each(keys, waiting, targets)
        free(memory)
        return found

    def scores(self, forms):
        """[words][labels]."""
        cdef Py_ssize_t n = len(forms)
        out = np.zeros((n, self.labels), dtype=np.float32)
        cdef float[:, ::1] view = out
        if n > 0 and self.labels > 0:
            self.score(forms, &view[0, 0])
        return out

    cdef int score(self, forms, score_t *out) except -1:
        cdef Py_ssize_t n = len(forms), pad = self.rows.pad, width = self.rows.width, labels = self.labels
        cdef Py_ssize_t size = width * sizeof(uint64_t), i, g, k, waiting = 0, count = self.several.count
        cdef list kept = []         # keeps the entries alive, even if another thread clears the cache
        cdef bytes entry
        cdef str form
        cdef char *memory = <char *> allocated((n + 2 * pad) * (size + sizeof(char *)) + self.groups * sizeof(char *)
                                               + (count + BATCH) * (sizeof(key_t) + sizeof(score_t *)))
        cdef uint64_t *atoms = <uint64_t *> memory
        cdef const char **entries = <const char **> (memory + (n + 2 * pad) * size)     # [pad + words + pad]
        cdef const score_t **parts = <const score_t **> (entries + n + 2 * pad)
        cdef score_t **targets = <score_t **> (parts + self.groups)
        cdef key_t *keys = <key_t *> (targets + count + BATCH)
        try:
            for i in range(pad):
                entries[i] = PyBytes_AS_STRING(self.before)
                entries[pad + n + i] = PyBytes_AS_STRING(self.after)
            for i in range(n):
                form = forms[i]
                entry = self.known.get(form)
                if entry is None:
                    entry = self.entry(self.rows.new_row(form))
                    if len(self.known) >= self.max_forms:
                        self.known.clear()
                    self.known[form] = entry
                kept.append(entry)
                entries[pad + i] = PyBytes_AS_STRING(entry)
            with nogil:
                for i in range(n):
                    for g in range(self.groups):
                        parts[g] = <const score_t *> (entries[pad + i + self.distance[g]] + size) + g * labels
                    sum_rows(out + i * labels, parts, self.groups, labels)
                if count > 0:
                    for i in range(n + 2 * pad):
                        memcpy(atoms + i * width, entries[i], size)
                    for i in range(n):
                        self.several.fill(atoms + (pad + i) * width, keys + waiting)
                        for k in range(waiting, waiting + count):
                            targets[k] = out + i * labels
                        waiting += count
                        if waiting + count > BATCH or i == n - 1:
                            self.weights.add_each(keys, waiting, targets)
                            waiting = 0
        finally:
            free(memory)
        return 0
