"""Training on a lattice: the likelihood of gold tags, its gradient, and AdaGrad steps along it.

Weights are a row for each feature: (label, weight) for the parts and whole tags that occur with it in gold. A label
below P is a part, label P + t is the tag t as a whole. Behind the rows come the weights of transitions: part after part
[P][P], then pairs of whole tags that occur, then, for order 2, triples of coarse tags, and part after part with a word
between them [P][P].
"""

from libc.math cimport exp, fabs, log, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

import numpy as np

from plait.core._memory cimport Arena, release, rewind, take
from plait.core._types cimport label_t, score_t
from plait.morphology._lattice cimport Lattice, connect_all, edge_chances, pair_states, sum_paths
from plait.morphology._parts cimport TagParts


cdef enum:
    DROPPED = -1


cdef struct Weight:
    float w
    float squares       # sum of squared gradients; DROPPED: the weight is 0 and stays it
    double u            # sum of change times clock, for averages


cdef class Learner:
    """The weights in training, and the data as numbers."""

    cdef readonly TagParts tag_parts
    cdef readonly Py_ssize_t P, T, C, size, pairs_at, whole_at, triples_at, skips_at
    cdef readonly double clock
    cdef double eta, l1, l2, tiny, damping
    cdef Weight *weights
    cdef double *gradient           # not NULL: gradients go here and nothing moves
    cdef object keep                # what the pointers below point into
    cdef const int64_t *row_at      # [features + 1]
    cdef const label_t *row_label
    cdef const int32_t *features    # [words][K], -1 where a template does not fire
    cdef Py_ssize_t K
    cdef const uint8_t *lexical     # [K]: templates that a hidden word does without
    cdef const int64_t *sentence_at
    cdef const label_t *gold
    cdef const int32_t *list_of     # [words]: the list of tags that a word may take
    cdef const int64_t *list_at
    cdef const label_t *lists
    cdef const int32_t *whole       # [T][T]: a pair of tags behind whole_at, -1: it has no weight; or NULL
    cdef score_t *sums              # [P + T]
    cdef float *delta               # [P + T]
    cdef float *pair_delta          # [size - pairs_at]
    cdef int32_t *touched           # places of pair_delta that are in use, each once
    cdef uint8_t *in_use
    cdef Py_ssize_t touched_count
    cdef Arena arena

    def __cinit__(self, TagParts tag_parts not None, const int64_t[::1] row_at not None,
                  const label_t[::1] row_label not None, const int32_t[:, ::1] features not None,
                  const uint8_t[::1] lexical not None, const int64_t[::1] sentence_at not None,
                  const label_t[::1] gold not None, const int32_t[::1] list_of not None,
                  const int64_t[::1] list_at not None, const label_t[::1] lists not None, whole,
                  Py_ssize_t whole_pairs, bint triples):
        cdef const int32_t[:, ::1] pairs
        self.tag_parts = tag_parts
        self.P, self.T, self.C = tag_parts.parts, tag_parts.tags, tag_parts.classes
        self.K = features.shape[1]
        self.keep = (row_at, row_label, features, lexical, sentence_at, gold, list_of, list_at, lists, whole)
        self.row_at = &row_at[0]
        self.row_label = &row_label[0] if row_label.shape[0] else NULL
        self.features = &features[0, 0]
        self.lexical = &lexical[0]
        self.sentence_at = &sentence_at[0]
        self.gold = &gold[0]
        self.list_of = &list_of[0]
        self.list_at = &list_at[0]
        self.lists = &lists[0]
        if whole is not None:
            pairs = whole
            self.whole = &pairs[0, 0]
        self.pairs_at = row_at[row_at.shape[0] - 1]
        self.whole_at = self.pairs_at + self.P * self.P
        self.triples_at = self.whole_at + whole_pairs
        self.skips_at = self.triples_at + (self.C * self.C * self.C if triples else 0)
        self.size = self.skips_at + (self.P * self.P if triples else 0)
        self.weights = <Weight *> calloc(self.size, sizeof(Weight))
        self.sums = <score_t *> calloc(self.P + self.T, sizeof(score_t))
        self.delta = <float *> calloc(self.P + self.T, sizeof(float))
        self.pair_delta = <float *> calloc(self.size - self.pairs_at, sizeof(float))
        self.touched = <int32_t *> calloc(self.size - self.pairs_at, sizeof(int32_t))
        self.in_use = <uint8_t *> calloc(self.size - self.pairs_at, 1)
        if not (self.in_use and self.weights and self.sums and self.delta and self.pair_delta and self.touched):
            raise MemoryError()

    def __dealloc__(self):
        free(self.weights)
        free(self.sums)
        free(self.delta)
        free(self.pair_delta)
        free(self.touched)
        free(self.in_use)
        release(&self.arena)

    def values(self, bint averaged):
        """All weights; averaged over the steps on request."""
        out = np.zeros(self.size, dtype=np.float32)
        cdef float[::1] view = out
        cdef Py_ssize_t k
        for k in range(self.size):
            view[k] = self.weights[k].w
            if averaged and self.clock > 0:
                view[k] -= <float> (self.weights[k].u / self.clock)
        return out

    def put(self, const float[::1] values not None):
        """Other weights, as if they had been there from the beginning."""
        cdef Py_ssize_t k
        if values.shape[0] != self.size:
            raise ValueError(f"{values.shape[0]} weights for {self.size}")
        for k in range(self.size):
            self.weights[k].w = values[k]
            self.weights[k].u = 0

    def forget_average(self):
        """Restart averaging from the present weights."""
        cdef Py_ssize_t k
        self.clock = 0
        for k in range(self.size):
            self.weights[k].u = 0

    def drop(self, const uint8_t[::1] dropped not None):
        """Fix weights at zero and restart averaging."""
        cdef Py_ssize_t k
        if dropped.shape[0] != self.size:
            raise ValueError(f"{dropped.shape[0]} marks for {self.size} weights")
        for k in range(self.size):
            if dropped[k]:
                self.weights[k].w, self.weights[k].squares = 0, DROPPED
        self.forget_average()

    def state(self):
        """(weights, squares, sums, clock): all that training needs to go on."""
        columns = np.zeros(self.size, np.float32), np.zeros(self.size, np.float32), np.zeros(self.size, np.float64)
        cdef float[::1] w = columns[0], squares = columns[1]
        cdef double[::1] u = columns[2]
        cdef Py_ssize_t k
        for k in range(self.size):
            w[k], squares[k], u[k] = self.weights[k].w, self.weights[k].squares, self.weights[k].u
        return (*columns, self.clock)

    def restore(self, const float[::1] w not None, const float[::1] squares not None, const double[::1] u not None,
                double clock):
        """The inverse of ``state``."""
        cdef Py_ssize_t k
        if not w.shape[0] == squares.shape[0] == u.shape[0] == self.size or not clock >= 0:
            raise ValueError(f"{w.shape[0]} weights for {self.size}")
        for k in range(self.size):
            if not (squares[k] >= 0 or (squares[k] == DROPPED and w[k] == 0)):
                raise ValueError("a sum of squares below zero")
            self.weights[k].w, self.weights[k].squares, self.weights[k].u = w[k], squares[k], u[k]
        self.clock = clock

    def run(self, const int64_t[::1] sentences not None, int order, double threshold, double eta, double l1, double l2,
            double damping, const uint8_t[::1] hidden not None):
        """One step for each sentence, in this order; the sum of losses. ``hidden`` words lose lexical features."""
        cdef Py_ssize_t k
        cdef double loss = 0
        self.eta, self.l1, self.l2, self.damping, self.tiny = eta, l1, l2, damping, 1e-4
        with nogil:
            for k in range(sentences.shape[0]):
                loss += self.step(sentences[k], order, threshold, &hidden[0])
                self.clock += 1
        return loss

    def objective(self, Py_ssize_t sentence, int order, double threshold):
        """(loss, gradient) of one sentence under the present weights; nothing moves."""
        out = np.zeros(self.size)
        cdef double[::1] view = out
        cdef double loss
        cdef const uint8_t[::1] hidden = np.zeros(self.sentence_at[sentence + 1] + 1, dtype=np.uint8)
        self.gradient = &view[0]
        self.tiny = 0
        try:
            loss = self.step(sentence, order, threshold, &hidden[0])
        finally:
            self.gradient = NULL
        return loss, out

    cdef inline void move(self, Py_ssize_t at, float g) noexcept nogil:
        """One AdaGrad step of one weight, and the pull of the penalties towards zero at the same rate."""
        cdef Weight *weight = self.weights + at
        cdef float rate, old = weight.w, new, pull
        if self.gradient != NULL:
            self.gradient[at] += g
            return
        if weight.squares < 0:
            return
        g += <float> self.l2 * old
        weight.squares += g * g
        rate = <float> (self.eta / sqrt(self.damping + weight.squares))
        new = old - rate * g
        if self.l1 > 0:
            pull = <float> (rate * self.l1)
            new = new - pull if new > pull else (new + pull if new < -pull else 0)
        weight.w = new
        weight.u += self.clock * (new - old)

    cdef void add_rows(self, Py_ssize_t word, bint hidden) noexcept nogil:
        """The scores of all parts and tags at a word, into ``sums``."""
        cdef Py_ssize_t k, j
        cdef int32_t f
        memset(self.sums, 0, (self.P + self.T) * sizeof(score_t))
        for k in range(self.K):
            f = self.features[word * self.K + k]
            if f < 0 or (hidden and self.lexical[k]):
                continue
            for j in range(self.row_at[f], self.row_at[f + 1]):
                self.sums[self.row_label[j]] += self.weights[j].w

    cdef void move_rows(self, Py_ssize_t word, bint hidden) noexcept nogil:
        """A step for every feature of a word, along ``delta``."""
        cdef Py_ssize_t k, j
        cdef int32_t f
        for k in range(self.K):
            f = self.features[word * self.K + k]
            if f < 0 or (hidden and self.lexical[k]):
                continue
            for j in range(self.row_at[f], self.row_at[f + 1]):
                if self.delta[self.row_label[j]] != 0:
                    self.move(j, self.delta[self.row_label[j]])

    cdef void put_delta(self, label_t tag, float amount) noexcept nogil:
        cdef Py_ssize_t j
        self.delta[self.P + tag] += amount
        for j in range(self.tag_parts.at[tag], self.tag_parts.at[tag + 1]):
            self.delta[self.tag_parts.part[j]] += amount

    cdef inline void touch(self, Py_ssize_t at, float amount) noexcept nogil:
        if not self.in_use[at]:
            self.in_use[at] = True
            self.touched[self.touched_count] = <int32_t> at
            self.touched_count += 1
        self.pair_delta[at] += amount

    cdef score_t part_scores(self, Py_ssize_t at, label_t a, label_t b) noexcept nogil:
        """The weights [P][P] that begin at a place, summed over the parts of both tags."""
        cdef Py_ssize_t j, k, row
        cdef score_t sum = 0
        for j in range(self.tag_parts.at[a], self.tag_parts.at[a + 1]):
            row = at + self.tag_parts.part[j] * self.P
            for k in range(self.tag_parts.at[b], self.tag_parts.at[b + 1]):
                sum += self.weights[row + self.tag_parts.part[k]].w
        return sum

    cdef void put_parts(self, Py_ssize_t at, label_t a, label_t b, float amount) noexcept nogil:
        cdef Py_ssize_t j, k, row
        for j in range(self.tag_parts.at[a], self.tag_parts.at[a + 1]):
            row = at - self.pairs_at + self.tag_parts.part[j] * self.P
            for k in range(self.tag_parts.at[b], self.tag_parts.at[b + 1]):
                self.touch(row + self.tag_parts.part[k], amount)

    cdef score_t pair_score(self, label_t a, label_t b) noexcept nogil:
        """What tag b after tag a adds."""
        cdef score_t sum = self.part_scores(self.pairs_at, a, b)
        if self.whole != NULL and self.whole[a * self.T + b] >= 0:
            sum += self.weights[self.whole_at + self.whole[a * self.T + b]].w
        return sum

    cdef void put_pair(self, label_t a, label_t b, float amount) noexcept nogil:
        self.put_parts(self.pairs_at, a, b, amount)
        if self.whole != NULL and self.whole[a * self.T + b] >= 0:
            self.touch(self.whole_at - self.pairs_at + self.whole[a * self.T + b], amount)

    cdef score_t triple_score(self, label_t a, label_t b, label_t c) noexcept nogil:
        """What tag c after tags a and b adds beside its pairs."""
        return self.weights[self.triple(a, b, c)].w + self.part_scores(self.skips_at, a, c)

    cdef void put_triple(self, label_t a, label_t b, label_t c, float amount) noexcept nogil:
        self.touch(self.triple(a, b, c) - self.pairs_at, amount)
        self.put_parts(self.skips_at, a, c, amount)

    cdef inline Py_ssize_t triple(self, label_t a, label_t b, label_t c) noexcept nogil:
        cdef const label_t *coarse = self.tag_parts.coarse_of
        return self.triples_at + (coarse[a] * self.C + coarse[b]) * self.C + coarse[c]

    cdef double step(self, Py_ssize_t sentence, int order, double threshold, const uint8_t *hidden) except? -1 nogil:
        """Score, prune, sum, and move every weight that took part; −log p(gold) on the lattice."""
        cdef Py_ssize_t begin = self.sentence_at[sentence], n = self.sentence_at[sentence + 1] - begin
        cdef Py_ssize_t i, c, list_, count, used = 0, gold_at
        cdef const label_t *allowed
        cdef const label_t *gold = self.gold + begin
        cdef double top, total, loss = 0
        cdef Lattice lattice
        cdef int32_t *gold_state
        cdef score_t *scores
        if n == 0:
            return 0
        rewind(&self.arena)
        count = 0
        for i in range(n):
            list_ = self.list_of[begin + i]
            count += self.list_at[list_ + 1] - self.list_at[list_]
        lattice.n = n
        lattice.first = <int32_t *> take(&self.arena, (n + 1) * sizeof(int32_t))
        lattice.tag = <label_t *> take(&self.arena, count * sizeof(label_t))
        lattice.score = <score_t *> take(&self.arena, count * sizeof(score_t))
        gold_state = <int32_t *> take(&self.arena, n * sizeof(int32_t))
        scores = <score_t *> take(&self.arena, self.T * sizeof(score_t))
        for i in range(n):
            lattice.first[i] = <int32_t> used
            list_ = self.list_of[begin + i]
            allowed = self.lists + self.list_at[list_]
            count = self.list_at[list_ + 1] - self.list_at[list_]
            gold_state[i] = -1
            if count == 1 and order > 0:        # nothing to decide: its score changes no probability
                gold_state[i] = <int32_t> used
                lattice.tag[used] = allowed[0]
                lattice.score[used] = 0
                used += 1
                continue
            self.add_rows(begin + i, hidden[begin + i])
            top = -1e30
            gold_at = -1
            for c in range(count):
                scores[c] = self.sums[self.P + allowed[c]] + self.tag_parts.total(allowed[c], self.sums)
                top = max(top, <double> scores[c])
                if allowed[c] == gold[i]:
                    gold_at = c
            total = 0
            for c in range(count):
                total += exp(scores[c] - top)
            if order == 0:
                if gold_at < 0:
                    continue
                loss -= scores[gold_at] - top - log(total)
                self.unigram(begin + i, hidden[begin + i], allowed, count, scores, top + log(total), gold[i])
                continue
            for c in range(count):
                if c == gold_at or exp(scores[c] - top) >= threshold * total:
                    if c == gold_at:
                        gold_state[i] = <int32_t> used
                    lattice.tag[used] = allowed[c]
                    lattice.score[used] = scores[c]
                    used += 1
        if order == 0:
            return loss
        lattice.first[n] = <int32_t> used
        return self.chain(&lattice, begin, order, threshold, gold, gold_state, hidden)

    cdef void unigram(self, Py_ssize_t word, bint hidden, const label_t *allowed, Py_ssize_t count,
                      const score_t *scores, double log_z, label_t gold) noexcept nogil:
        """The step of one word by itself: order 0."""
        cdef Py_ssize_t c
        cdef double p
        for c in range(count):
            p = exp(scores[c] - log_z)
            if p > self.tiny:
                self.put_delta(allowed[c], <float> p)
        self.put_delta(gold, -1)
        self.move_rows(word, hidden)
        for c in range(count):
            self.clear_delta(allowed[c])
        self.clear_delta(gold)

    cdef void clear_delta(self, label_t tag) noexcept nogil:
        cdef Py_ssize_t j
        self.delta[self.P + tag] = 0
        for j in range(self.tag_parts.at[tag], self.tag_parts.at[tag + 1]):
            self.delta[self.tag_parts.part[j]] = 0

    cdef double chain(self, Lattice *lattice, Py_ssize_t begin, int order, double threshold, const label_t *gold,
                      const int32_t *gold_state, const uint8_t *hidden) except? -1 nogil:
        """The step of a sentence on its pruned lattice."""
        cdef Py_ssize_t n = lattice.n, states = lattice.first[n], i, s, r, e
        cdef double log_z, loss
        cdef Lattice pairs
        connect_all(lattice, &self.arena)
        for s in range(lattice.first[1], states):
            for e in range(lattice.into[s], lattice.into[s + 1]):
                lattice.edge[e] = self.pair_score(lattice.tag[lattice.source[e]], lattice.tag[s])
        for i in range(n):
            if gold_state[i] < 0:       # a tag that its list does not hold: only where data was changed by hand
                return 0
        if order == 2 and n > 1:
            pair_states(lattice, edge_chances(lattice, &self.arena), threshold, gold_state, &self.arena, &pairs)
            for i in range(2, n):
                for s in range(pairs.first[i], pairs.first[i + 1]):
                    for e in range(pairs.into[s], pairs.into[s + 1]):
                        r = pairs.source[e]
                        pairs.edge[e] = self.triple_score(pairs.before[r], pairs.tag[r], pairs.tag[s])
            log_z = loss = sum_paths(&pairs)
            for i in range(2, n):
                loss -= self.triple_score(gold[i - 2], gold[i - 1], gold[i])
        else:
            log_z = loss = sum_paths(lattice)
        for i in range(n):
            loss -= lattice.score[gold_state[i]]
            if i > 0:
                loss -= lattice.edge[lattice.into[gold_state[i]] + gold_state[i - 1] - lattice.first[i - 1]]
        self.touched_count = 0
        if order == 2 and n > 1:
            self.put_chain(&pairs, log_z, begin, True, gold, hidden)
        else:
            self.put_chain(lattice, log_z, begin, False, gold, hidden)
        for s in range(self.touched_count):
            if fabs(self.pair_delta[self.touched[s]]) > 1e-7 or self.gradient != NULL:
                self.move(self.pairs_at + self.touched[s], self.pair_delta[self.touched[s]])
            self.pair_delta[self.touched[s]] = 0
            self.in_use[self.touched[s]] = False
        return loss

    cdef void put_chain(self, Lattice *lattice, double log_z, Py_ssize_t begin, bint pairs, const label_t *gold,
                        const uint8_t *hidden) noexcept nogil:
        """Expected minus gold features: rows move at once, transitions wait in ``pair_delta``."""
        cdef Py_ssize_t n = lattice.n, i, s, r, e
        cdef double p
        for i in range(n):
            if lattice.first[i + 1] - lattice.first[i] > 1:
                for s in range(lattice.first[i], lattice.first[i + 1]):
                    p = exp(lattice.forward[s] + lattice.backward[s] - log_z)
                    if p > self.tiny:
                        self.put_delta(lattice.tag[s], <float> p)
                self.put_delta(gold[i], -1)
                self.move_rows(begin + i, hidden[begin + i])
                for s in range(lattice.first[i], lattice.first[i + 1]):
                    self.clear_delta(lattice.tag[s])
                self.clear_delta(gold[i])
            if i == 0:
                continue
            for s in range(lattice.first[i], lattice.first[i + 1]):
                if pairs:
                    p = exp(lattice.forward[s] + lattice.backward[s] - log_z)
                    if p > self.tiny:
                        self.put_pair(lattice.before[s], lattice.tag[s], <float> p)
                    if i == 1:
                        continue
                for e in range(lattice.into[s], lattice.into[s + 1]):
                    r = lattice.source[e]
                    p = exp(lattice.forward[r] + lattice.edge[e] + lattice.score[s] + lattice.backward[s] - log_z)
                    if p <= self.tiny:
                        continue
                    if pairs:
                        self.put_triple(lattice.before[r], lattice.tag[r], lattice.tag[s], <float> p)
                    else:
                        self.put_pair(lattice.tag[r], lattice.tag[s], <float> p)
            self.put_pair(gold[i - 1], gold[i], -1)
            if pairs and i > 1:
                self.put_triple(gold[i - 2], gold[i - 1], gold[i], -1)
