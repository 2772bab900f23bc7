"""First-order Viterbi tagging over sparse rows: the best tag sequence under any Scorer, and its features.

    best(i, t) = static(i, t) + max over t' in candidates(i - 1) of best(i - 1, t') + dynamic(i, t', t)

static(i, .) is the sum of the rows of all templates without a tag, dynamic(i, t', .) that of the templates with t-1.
"""

from libc.stdlib cimport free, malloc
from libc.string cimport memset

import numpy as np

from plait.core._delta cimport Delta
from plait.core._types cimport atom_t, key_t, label_t, score_t, uint16_t, uint64_t
from plait.core._weights cimport Scorer
from plait.features._lexicon cimport TagDictionary
from plait.features._templates cimport Templates


cdef class ChainTagger:
    """Decodes sentences that are given as padded atom matrices; holds no strings and opens no files.
    """

    cdef readonly Scorer weights
    cdef Templates static, dynamic
    cdef TagDictionary dictionary
    cdef Py_ssize_t width, pad, tag_column, tags

    def __cinit__(self, Scorer weights not None, Templates static not None, Templates dynamic not None,
                  Py_ssize_t width, Py_ssize_t pad, Py_ssize_t tag_column, TagDictionary dictionary not None):
        self.weights = weights
        self.static = static
        self.dynamic = dynamic
        self.dictionary = dictionary
        self.width = width
        self.pad = pad
        self.tag_column = tag_column
        self.tags = weights.labels
        if dictionary.tags != self.tags:
            raise ValueError(f"a dictionary of {dictionary.tags} tags for {self.tags}")
        if pad * width < max(-min(static.lowest, dynamic.lowest), max(static.highest, dynamic.highest) - width + 1):
            raise ValueError("the padding is narrower than the templates")

    def decode(self, uint64_t[:, ::1] atoms not None):
        """The best tags of a sentence, as numbers, and their score. The tag column is used as scratch."""
        cdef Py_ssize_t n = atoms.shape[0] - 2 * self.pad
        if atoms.shape[1] != self.width or n < 0:
            raise ValueError("an atom matrix of another shape")
        best = np.zeros(n, dtype=np.uint16)
        cdef uint16_t[::1] view = best
        cdef double score = 0
        cdef bint failed = False
        if n > 0:
            with nogil:
                failed = self.viterbi(&atoms[self.pad, 0], n, &view[0], &score) < 0
        if failed:
            raise MemoryError()
        return best, score

    cdef int viterbi(self, atom_t *atoms, Py_ssize_t n, label_t *best, double *score) noexcept nogil:
        """atoms points at the first word; n > 0."""
        cdef Py_ssize_t T = self.tags, i, a, b, count, before = 1, top, place
        cdef Py_ssize_t keys_room = max(self.static.count, self.dynamic.count) + 1
        cdef key_t *keys = <key_t *> malloc(keys_room * sizeof(key_t))
        # static, dynamic, last and this position's path scores; then n rows of back pointers
        cdef score_t *static_scores = <score_t *> malloc(4 * T * sizeof(score_t))
        cdef score_t *dynamic_scores = static_scores + T
        cdef score_t *last = static_scores + 2 * T
        cdef score_t *this = static_scores + 3 * T
        cdef score_t *swap
        cdef label_t *back = <label_t *> malloc(n * T * sizeof(label_t))
        cdef const label_t *tags = NULL
        cdef const label_t *tags_before = NULL
        cdef atom_t *word
        cdef score_t path, best_here
        cdef double total = 0
        if keys == NULL or static_scores == NULL or back == NULL:
            free(keys)
            free(static_scores)
            free(back)
            return -1
        last[0] = 0     # the one state before the first word: the boundary, whose tag atom is already in place
        for i in range(n):
            word = atoms + i * self.width
            self.static.fill(word, keys)
            memset(static_scores, 0, T * sizeof(score_t))
            self.weights.add(keys, self.static.count, static_scores)
            count = self.dictionary.candidates(word[0], &tags)
            for b in range(before):
                if i > 0:
                    word[self.tag_column - self.width] = <atom_t> tags_before[b] + 1
                self.dynamic.fill(word, keys)
                memset(dynamic_scores, 0, T * sizeof(score_t))
                self.weights.add(keys, self.dynamic.count, dynamic_scores)
                for a in range(count):
                    path = last[b] + dynamic_scores[tags[a]]
                    if b == 0 or path > this[a]:
                        this[a] = path
                        back[i * T + a] = <label_t> b
            best_here = this[0] + static_scores[tags[0]]
            for a in range(count):
                this[a] += static_scores[tags[a]]
                best_here = max(best_here, this[a])
            # paths are kept relative to the best: in single precision the sum over a long text would lose small weights
            for a in range(count):
                this[a] -= best_here
            total += best_here
            swap = last
            last = this
            this = swap
            before = count
            tags_before = tags
        top = 0
        for a in range(before):
            if last[a] > last[top]:
                top = a
        score[0] = total
        place = top
        for i in range(n - 1, -1, -1):
            self.dictionary.candidates((atoms + i * self.width)[0], &tags)
            best[i] = tags[place]
            place = back[i * T + place]
        free(keys)
        free(static_scores)
        free(back)
        return 0

    def difference(self, uint64_t[:, ::1] atoms not None, const uint16_t[::1] gold not None,
                   const uint16_t[::1] predicted not None):
        """(Δf, wrong tags): features of the gold tags minus those of the predicted ones."""
        cdef Delta delta = Delta()
        cdef Py_ssize_t n = gold.shape[0], i, wrong = 0
        cdef atom_t *word
        cdef bint differs, differed = False
        static = np.zeros(self.static.count + 1, dtype=np.uint64)
        dynamic = np.zeros(self.dynamic.count + 1, dtype=np.uint64)
        cdef uint64_t[::1] static_keys = static
        cdef uint64_t[::1] dynamic_keys = dynamic
        if predicted.shape[0] != n or atoms.shape[0] != n + 2 * self.pad or atoms.shape[1] != self.width:
            raise ValueError("gold, predicted and atoms of different lengths")
        for i in range(n):
            differs = gold[i] != predicted[i]
            wrong += differs
            word = &atoms[self.pad + i, 0]
            if differs:
                self.static.fill(word, &static_keys[0])
                delta.put_all(&static_keys[0], self.static.count, gold[i], 1)
                delta.put_all(&static_keys[0], self.static.count, predicted[i], -1)
            if differs or differed:
                if i > 0:
                    word[self.tag_column - self.width] = <atom_t> gold[i - 1] + 1
                self.dynamic.fill(word, &dynamic_keys[0])
                delta.put_all(&dynamic_keys[0], self.dynamic.count, gold[i], 1)
                if i > 0:
                    word[self.tag_column - self.width] = <atom_t> predicted[i - 1] + 1
                    self.dynamic.fill(word, &dynamic_keys[0])
                delta.put_all(&dynamic_keys[0], self.dynamic.count, predicted[i], -1)
            differed = differs
        return delta, wrong
