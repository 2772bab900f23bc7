"""First-order Viterbi tagging over sparse rows: the best tag sequence under any Scorer, and its features.

    best(i, t) = static(i, t) + max over t' in candidates(i - 1) of best(i - 1, t') + dynamic(i, t', t)

static(i, .) is the sum of the rows of all templates without a tag, dynamic(i, t', .) that of the templates with t-1.
Of a large tag set only the tags with the best static scores are considered for a word (``limit``).
"""

from libc.stdint cimport int32_t
from libc.stdlib cimport free
from libc.string cimport memset

import numpy as np

from plait.core._arrays cimport allocated
from plait.core._rows cimport first_largest
from plait.core._types cimport atom_t, key_t, label_t, score_t, uint16_t, uint64_t
from plait.core._weights cimport Scorer
from plait.features._lexicon cimport TagDictionary
from plait.features._tagging import tag_delta
from plait.core._templates cimport Templates


# Given tags: word i may have tags[at[i]] to tags[at[i + 1] - 1].
cdef struct Given:
    const int32_t *at       # NULL: nothing is given
    const label_t *tags


cdef enum:
    TOGETHER = 16       # words, or tags before a word, whose rows are looked up together: memory accesses overlap


cdef struct Scratch:
    key_t *keys             # [TOGETHER * templates + 1]
    score_t **targets       # the sum that the row of each key is added to
    score_t *static         # [TOGETHER][tags]: static scores of some words
    score_t *dynamic        # [TOGETHER][tags]: dynamic scores after some tags


cdef Given as_given(const int32_t[::1] places, const uint16_t[::1] numbers):
    return Given(&places[0], &numbers[0])


cdef inline bint contains(const label_t *tags, Py_ssize_t count, label_t tag) noexcept nogil:
    cdef Py_ssize_t a
    for a in range(count):
        if tags[a] == tag:
            return True
    return False


cdef class ChainTagger:
    """Decodes sentences given as padded atom matrices."""

    cdef readonly Scorer weights
    cdef Templates static, dynamic
    cdef TagDictionary dictionary
    cdef Py_ssize_t width, pad, tag_column, tags, limit

    def __cinit__(self, Scorer weights not None, Templates static not None, Templates dynamic not None,
                  Py_ssize_t width, Py_ssize_t pad, Py_ssize_t tag_column, TagDictionary dictionary not None,
                  Py_ssize_t limit=0):
        self.weights = weights
        self.static = static
        self.dynamic = dynamic
        self.dictionary = dictionary
        self.width = width
        self.pad = pad
        self.tag_column = tag_column
        self.tags = weights.labels
        self.limit = min(limit, self.tags) if limit > 0 else self.tags
        if dictionary.tags != self.tags:
            raise ValueError(f"a dictionary of {dictionary.tags} tags for {self.tags}")
        if pad * width < max(-min(static.lowest, dynamic.lowest), max(static.highest, dynamic.highest) - width + 1):
            raise ValueError("the padding is narrower than the templates")

    def decode(self, uint64_t[:, ::1] atoms not None, given=None):
        """The best tags of a sentence, as numbers, and their score. The tag column is used as scratch.

        ``given`` are the tags that each word may have: those of them that the dictionary allows, or all if it allows
        none. An empty list is no constraint.
        """
        cdef Py_ssize_t n = atoms.shape[0] - 2 * self.pad
        if atoms.shape[1] != self.width or n < 0:
            raise ValueError("an atom matrix of another shape")
        best = np.zeros(n, dtype=np.uint16)
        cdef uint16_t[::1] view = best
        cdef double score = 0
        cdef Given bound = Given(NULL, NULL)
        if given is not None and n > 0:
            if len(given) != n or any(not 0 <= tag < self.tags for tags in given for tag in tags):
                raise ValueError("given tags of another sentence, or unknown ones")
            places = np.cumsum([0, *map(len, given)], dtype=np.int32)
            numbers = np.array([tag for tags in given for tag in tags] or [0], dtype=np.uint16)
            bound = as_given(places, numbers)
        if n > 0:
            with nogil:
                self.viterbi(&atoms[self.pad, 0], n, &bound, &view[0], &score)
        return best, score

    cdef void *allocate(self, Scratch *scratch, size_t more) except NULL nogil:
        """Allocate all in one block, that of the keys, and so many bytes more, which are returned."""
        cdef Py_ssize_t most = TOGETHER * max(self.static.count, self.dynamic.count) + 1
        scratch.keys = <key_t *> allocated(most * (sizeof(key_t) + sizeof(score_t *))
                                           + 2 * TOGETHER * self.tags * sizeof(score_t) + more)
        scratch.targets = <score_t **> (scratch.keys + most)
        scratch.static = <score_t *> (scratch.targets + most)
        scratch.dynamic = scratch.static + TOGETHER * self.tags
        return scratch.dynamic + TOGETHER * self.tags

    cdef const score_t *static_scores(self, const atom_t *atoms, Py_ssize_t n, Py_ssize_t i,
                                      Scratch *scratch) noexcept nogil:
        """The static scores of all tags of word i; words must be asked for in order."""
        cdef Py_ssize_t words = min(<Py_ssize_t> TOGETHER, n - i), w
        if i % TOGETHER == 0:
            for w in range(words):
                self.queue(self.static, atoms + (i + w) * self.width, w, scratch.static, scratch)
            self.look_up(self.static, words, scratch.static, scratch)
        return scratch.static + i % TOGETHER * self.tags

    cdef void queue(self, Templates templates, const atom_t *word, Py_ssize_t place, score_t *sums,
                    Scratch *scratch) noexcept nogil:
        """Queue the keys of a word for the sum at a place."""
        cdef Py_ssize_t first = place * templates.count, k
        templates.fill(word, scratch.keys + first)
        for k in range(first, first + templates.count):
            scratch.targets[k] = sums + place * self.tags

    cdef void look_up(self, Templates templates, Py_ssize_t count, score_t *sums, Scratch *scratch) noexcept nogil:
        memset(sums, 0, count * self.tags * sizeof(score_t))
        self.weights.add_each(scratch.keys, count * templates.count, scratch.targets)

    cdef Py_ssize_t choose(self, const atom_t *word, const Given *given, Py_ssize_t i, const score_t *all_scores,
                           label_t *tags, score_t *scores) noexcept nogil:
        """The candidate tags of a word, with their static scores; returns their number."""
        cdef const label_t *allowed = NULL
        cdef const label_t *bound = NULL        # the given ones; NULL: none
        cdef Py_ssize_t count = self.dictionary.candidates(word[0], &allowed), bounds = 0, a, at, kept = 0
        if given.at != NULL and given.at[i + 1] > given.at[i]:
            bound = given.tags + given.at[i]
            bounds = given.at[i + 1] - given.at[i]
            a = 0
            while a < count and not contains(bound, bounds, allowed[a]):
                a += 1
            if a == count:      # the dictionary allows none of them: given tags take precedence
                allowed, count = bound, bounds
        for a in range(count):
            if bound != NULL and not contains(bound, bounds, allowed[a]):
                continue
            if kept == self.limit and not all_scores[allowed[a]] > scores[kept - 1]:
                continue
            at = min(kept, self.limit - 1)
            if count > self.limit:      # the best ones, best first; otherwise all of them in order
                while at > 0 and all_scores[allowed[a]] > scores[at - 1]:
                    scores[at] = scores[at - 1]
                    tags[at] = tags[at - 1]
                    at -= 1
            scores[at] = all_scores[allowed[a]]
            tags[at] = allowed[a]
            kept = min(kept + 1, self.limit)
        return kept

    cdef void score_dynamic(self, atom_t *word, const label_t *before, Py_ssize_t befores, Scratch *scratch,
                            const label_t *tags, Py_ssize_t count, score_t *scores) noexcept nogil:
        """scores[b][a]: the dynamic score of candidate tag a after each of some tags; NULL: after the boundary."""
        cdef Py_ssize_t first = 0, some, a, b
        while first < befores:
            some = min(<Py_ssize_t> TOGETHER, befores - first)
            for b in range(some):
                if before != NULL:
                    word[self.tag_column - self.width] = <atom_t> before[first + b] + 1
                self.queue(self.dynamic, word, b, scratch.dynamic, scratch)
            self.look_up(self.dynamic, some, scratch.dynamic, scratch)
            for b in range(some):
                for a in range(count):
                    scores[(first + b) * self.limit + a] = scratch.dynamic[b * self.tags + tags[a]]
            first += some

    cdef int viterbi(self, atom_t *atoms, Py_ssize_t n, const Given *given, label_t *best,
                     double *score) except -1 nogil:
        """atoms points at the first word; n > 0."""
        cdef Py_ssize_t C = self.limit, i, a, b, count, before = 1, place
        cdef Scratch scratch
        # of the candidate tags: static scores, those of the paths to the previous and this word, dynamic ones by the
        # tag before; then lists of candidate tags and back pointers
        cdef score_t *static_scores = <score_t *> self.allocate(&scratch, (3 + C) * C * sizeof(score_t)
                                                                + 2 * n * C * sizeof(label_t))
        cdef score_t *last = static_scores + C
        cdef score_t *this = static_scores + 2 * C
        cdef score_t *dynamic_scores = static_scores + 3 * C
        cdef score_t *swap
        cdef label_t *lists = <label_t *> (dynamic_scores + C * C)
        cdef label_t *back = lists + n * C
        cdef label_t *tags
        cdef atom_t *word
        cdef score_t path, best_here
        cdef double total = 0
        last[0] = 0     # the state before the first word: the boundary, whose tag atom is already in place
        for i in range(n):
            word = atoms + i * self.width
            tags = lists + i * C
            count = self.choose(word, given, i, self.static_scores(atoms, n, i, &scratch), tags, static_scores)
            self.score_dynamic(word, tags - C if i > 0 else NULL, before, &scratch, tags, count, dynamic_scores)
            for b in range(before):
                for a in range(count):
                    path = last[b] + dynamic_scores[b * C + a]
                    if b == 0 or path > this[a]:
                        this[a] = path
                        back[i * C + a] = <label_t> b
            best_here = this[0] + static_scores[0]
            for a in range(count):
                this[a] += static_scores[a]
                best_here = max(best_here, this[a])
            # path scores are relative to the best: single-precision sums over a long text would lose small weights
            for a in range(count):
                this[a] -= best_here
            total += best_here
            swap = last
            last = this
            this = swap
            before = count
        score[0] = total
        place = first_largest(last, before)
        for i in range(n - 1, -1, -1):
            best[i] = lists[i * C + place]
            place = back[i * C + place]
        free(scratch.keys)
        return 0

    def max_marginals(self, uint64_t[:, ::1] atoms not None):
        """(tags, counts, scores): the candidate tags and the best score through each, relative to the best sequence.

        Rows of ``tags`` and ``scores`` have ``counts`` entries; scores are at most 0.
        """
        cdef Py_ssize_t n = atoms.shape[0] - 2 * self.pad, C = self.limit, i, a, b
        if atoms.shape[1] != self.width or n < 0:
            raise ValueError("an atom matrix of another shape")
        tags = np.zeros((n, C), dtype=np.uint16)
        counts = np.zeros(n, dtype=np.uint16)
        forward = np.zeros((n, C), dtype=np.float64)
        if n == 0:
            return tags, counts, forward
        cdef label_t[:, ::1] lists = tags
        cdef uint16_t[::1] count = counts
        cdef double[:, ::1] ahead = forward
        cdef double[:, ::1] behind = np.zeros((n, C), dtype=np.float64)
        cdef score_t[:, ::1] static = np.zeros((n, C), dtype=np.float32)
        cdef score_t[:, :, ::1] dynamic = np.zeros((n, C, C), dtype=np.float32)     # after tag b, tag a
        cdef atom_t *word
        cdef Scratch scratch
        cdef double best, path
        cdef Given free_choice = Given(NULL, NULL)
        self.allocate(&scratch, 0)
        with nogil:
            for i in range(n):
                word = &atoms[self.pad + i, 0]
                count[i] = <uint16_t> self.choose(
                    word, &free_choice, i, self.static_scores(&atoms[self.pad, 0], n, i, &scratch), &lists[i, 0],
                    &static[i, 0])
                self.score_dynamic(word, &lists[i - 1, 0] if i > 0 else NULL, count[i - 1] if i > 0 else 1, &scratch,
                                   &lists[i, 0], count[i], &dynamic[i, 0, 0])
                for a in range(count[i]):
                    best = dynamic[i, 0, a] + (ahead[i - 1, 0] if i > 0 else 0)
                    for b in range(1, count[i - 1] if i > 0 else 1):
                        best = max(best, ahead[i - 1, b] + dynamic[i, b, a])
                    ahead[i, a] = best + static[i, a]
            for i in range(n - 2, -1, -1):
                for b in range(count[i]):
                    best = dynamic[i + 1, b, 0] + static[i + 1, 0] + behind[i + 1, 0]
                    for a in range(1, count[i + 1]):
                        path = dynamic[i + 1, b, a] + static[i + 1, a] + behind[i + 1, a]
                        best = max(best, path)
                    behind[i, b] = best
            for i in range(n):
                best = ahead[i, 0] + behind[i, 0]
                for a in range(count[i]):
                    ahead[i, a] += behind[i, a]
                    best = max(best, ahead[i, a])
                for a in range(count[i]):
                    ahead[i, a] -= best
        free(scratch.keys)
        return tags, counts, forward

    def difference(self, uint64_t[:, ::1] atoms not None, const uint16_t[::1] gold not None,
                   const uint16_t[::1] predicted not None):
        """(Δf, wrong tags): features of the gold tags minus those of the predicted ones."""
        if atoms.shape[1] != self.width:
            raise ValueError("an atom matrix of another shape")
        delta = tag_delta(self.static, self.dynamic, atoms, self.pad, self.tag_column, gold, predicted)
        return delta, int(np.count_nonzero(np.asarray(gold) != np.asarray(predicted)))
