"""Training on a lattice: the likelihood of gold tags, its gradient, and AdaGrad steps along it.

Weights are a row for each feature: (label, weight) for the parts and whole tags that occur with it in gold. A label
below P is a part, label P + t is the tag t as a whole. After the rows come the weights of transitions: part after part
[P][P], then pairs of whole tags that occur, then, for order 2, triples of coarse tags, and part after part with a word
between them [P][P].
"""

from libc.math cimport exp, fabs, log, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

import numpy as np

from plait.core._arrays cimport Arrays, free_arrays, new_array
from plait.core._memory cimport Arena, release, rewind, take
from plait.core._types cimport label_t, score_t
from plait.morphology._lattice cimport Lattice, connect_all, edge_probabilities, pair_states, sum_paths
from plait.morphology._parts cimport TagParts


cdef enum:
    DROPPED = -1


cdef struct Weight:
    float w
    float squares       # sum of squared gradients; DROPPED: the weight is fixed at 0
    double u            # sum of change times clock, for averaging


cdef class Learner:
    """The weights in training, and the data as numbers."""

    cdef readonly TagParts tag_parts
    cdef readonly Py_ssize_t P, T, C, size, pairs_at, tag_pairs_at, triples_at, skips_at
    cdef readonly double clock
    cdef double eta, l1, l2, min_probability, damping
    cdef Weight *weights
    cdef double *gradient           # not NULL: gradients are added here, and no weight changes
    cdef object owners              # of the memory that the pointers below point into
    cdef const int64_t *row_at      # [features + 1]
    cdef const label_t *row_label
    cdef const int32_t *features    # [words][K], -1 where a template does not fire
    cdef Py_ssize_t K
    cdef const uint8_t *lexical     # [K]: templates that do not fire for hidden words
    cdef const int64_t *sentence_at
    cdef const label_t *gold
    cdef const int32_t *candidate_list  # [words]: the number of the list of candidate tags of a word
    cdef const int64_t *candidates_at   # [lists + 1]
    cdef const label_t *candidates
    cdef const int32_t *tag_pair    # [T][T]: index of the pair's weight from tag_pairs_at, -1: none; or NULL
    cdef score_t *sums              # [P + T]
    cdef float *delta               # [P + T]
    cdef float *transition_delta    # [size - pairs_at]
    cdef int32_t *changed           # indices of transition_delta that this sentence has changed, each once
    cdef uint8_t *is_changed        # [size - pairs_at]: whether an index is among them
    cdef Py_ssize_t changed_count
    cdef Arena arena                # of a sentence
    cdef Arrays *arrays             # those above

    def __cinit__(self, TagParts tag_parts not None, const int64_t[::1] row_at not None,
                  const label_t[::1] row_label not None, const int32_t[:, ::1] features not None,
                  const uint8_t[::1] lexical not None, const int64_t[::1] sentence_at not None,
                  const label_t[::1] gold not None, const int32_t[::1] candidate_list not None,
                  const int64_t[::1] candidates_at not None, const label_t[::1] candidates not None, tag_pair,
                  Py_ssize_t tag_pair_count, bint triples):
        cdef const int32_t[:, ::1] pairs
        self.tag_parts = tag_parts
        self.P, self.T, self.C = tag_parts.parts, tag_parts.tags, tag_parts.classes
        self.K = features.shape[1]
        self.owners = (row_at, row_label, features, lexical, sentence_at, gold, candidate_list, candidates_at,
                       candidates, tag_pair)
        self.row_at = &row_at[0]
        self.row_label = &row_label[0] if row_label.shape[0] else NULL
        self.features = &features[0, 0]
        self.lexical = &lexical[0]
        self.sentence_at = &sentence_at[0]
        self.gold = &gold[0]
        self.candidate_list = &candidate_list[0]
        self.candidates_at = &candidates_at[0]
        self.candidates = &candidates[0]
        if tag_pair is not None:
            pairs = tag_pair
            self.tag_pair = &pairs[0, 0]
        self.pairs_at = row_at[row_at.shape[0] - 1]
        self.tag_pairs_at = self.pairs_at + self.P * self.P
        self.triples_at = self.tag_pairs_at + tag_pair_count
        self.skips_at = self.triples_at + (self.C * self.C * self.C if triples else 0)
        self.size = self.skips_at + (self.P * self.P if triples else 0)
        cdef size_t transitions = self.size - self.pairs_at
        self.weights = <Weight *> new_array(&self.arrays, self.size * sizeof(Weight))
        self.sums = <score_t *> new_array(&self.arrays, (self.P + self.T) * sizeof(score_t))
        self.delta = <float *> new_array(&self.arrays, (self.P + self.T) * sizeof(float))
        self.transition_delta = <float *> new_array(&self.arrays, transitions * sizeof(float))
        self.changed = <int32_t *> new_array(&self.arrays, transitions * sizeof(int32_t))
        self.is_changed = <uint8_t *> new_array(&self.arrays, transitions)

    def __dealloc__(self):
        free_arrays(&self.arrays)
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

    def restart_averaging(self):
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
        self.restart_averaging()

    def state(self):
        """(weights, squares, sums, clock): all that is needed to resume training."""
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
        self.eta, self.l1, self.l2, self.damping, self.min_probability = eta, l1, l2, damping, 1e-4
        with nogil:
            for k in range(sentences.shape[0]):
                loss += self.step(sentences[k], order, threshold, &hidden[0])
                self.clock += 1
        return loss

    def objective(self, Py_ssize_t sentence, int order, double threshold):
        """(loss, gradient) of one sentence under the present weights, which do not change."""
        out = np.zeros(self.size)
        cdef double[::1] view = out
        cdef double loss
        cdef const uint8_t[::1] hidden = np.zeros(self.sentence_at[sentence + 1] + 1, dtype=np.uint8)
        self.gradient = &view[0]
        self.min_probability = 0
        try:
            loss = self.step(sentence, order, threshold, &hidden[0])
        finally:
            self.gradient = NULL
        return loss, out

    cdef inline void update_weight(self, Py_ssize_t at, float g) noexcept nogil:
        """One AdaGrad step of one weight, with the penalties at the same rate."""
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

    cdef void score_word(self, Py_ssize_t word, bint hidden) noexcept nogil:
        """Compute the scores of all parts and tags of a word, in ``sums``."""
        cdef Py_ssize_t k, j
        cdef int32_t f
        memset(self.sums, 0, (self.P + self.T) * sizeof(score_t))
        for k in range(self.K):
            f = self.features[word * self.K + k]
            if f < 0 or (hidden and self.lexical[k]):
                continue
            for j in range(self.row_at[f], self.row_at[f + 1]):
                self.sums[self.row_label[j]] += self.weights[j].w

    cdef void update_rows(self, Py_ssize_t word, bint hidden) noexcept nogil:
        """Update the weights of all features of a word by ``delta``."""
        cdef Py_ssize_t k, j
        cdef int32_t f
        for k in range(self.K):
            f = self.features[word * self.K + k]
            if f < 0 or (hidden and self.lexical[k]):
                continue
            for j in range(self.row_at[f], self.row_at[f + 1]):
                if self.delta[self.row_label[j]] != 0:
                    self.update_weight(j, self.delta[self.row_label[j]])

    cdef void add_tag_delta(self, label_t tag, float amount) noexcept nogil:
        cdef Py_ssize_t j
        self.delta[self.P + tag] += amount
        for j in range(self.tag_parts.start[tag], self.tag_parts.start[tag + 1]):
            self.delta[self.tag_parts.part[j]] += amount

    cdef inline void add_transition_delta(self, Py_ssize_t at, float amount) noexcept nogil:
        if not self.is_changed[at]:
            self.is_changed[at] = True
            self.changed[self.changed_count] = <int32_t> at
            self.changed_count += 1
        self.transition_delta[at] += amount

    cdef score_t part_scores(self, Py_ssize_t at, label_t a, label_t b) noexcept nogil:
        """The weights of the block [P][P] at an offset, summed over the parts of both tags."""
        cdef Py_ssize_t j, k, row
        cdef score_t sum = 0
        for j in range(self.tag_parts.start[a], self.tag_parts.start[a + 1]):
            row = at + self.tag_parts.part[j] * self.P
            for k in range(self.tag_parts.start[b], self.tag_parts.start[b + 1]):
                sum += self.weights[row + self.tag_parts.part[k]].w
        return sum

    cdef void add_part_pair_delta(self, Py_ssize_t at, label_t a, label_t b, float amount) noexcept nogil:
        cdef Py_ssize_t j, k, row
        for j in range(self.tag_parts.start[a], self.tag_parts.start[a + 1]):
            row = at - self.pairs_at + self.tag_parts.part[j] * self.P
            for k in range(self.tag_parts.start[b], self.tag_parts.start[b + 1]):
                self.add_transition_delta(row + self.tag_parts.part[k], amount)

    cdef score_t pair_score(self, label_t a, label_t b) noexcept nogil:
        """The score of tag b after tag a."""
        cdef score_t sum = self.part_scores(self.pairs_at, a, b)
        if self.tag_pair != NULL and self.tag_pair[a * self.T + b] >= 0:
            sum += self.weights[self.tag_pairs_at + self.tag_pair[a * self.T + b]].w
        return sum

    cdef void add_pair_delta(self, label_t a, label_t b, float amount) noexcept nogil:
        self.add_part_pair_delta(self.pairs_at, a, b, amount)
        if self.tag_pair != NULL and self.tag_pair[a * self.T + b] >= 0:
            self.add_transition_delta(self.tag_pairs_at - self.pairs_at + self.tag_pair[a * self.T + b], amount)

    cdef score_t triple_score(self, label_t a, label_t b, label_t c) noexcept nogil:
        """The score of tag c after tags a and b, beyond those of the pairs."""
        return self.weights[self.triple_at(a, b, c)].w + self.part_scores(self.skips_at, a, c)

    cdef void add_triple_delta(self, label_t a, label_t b, label_t c, float amount) noexcept nogil:
        self.add_transition_delta(self.triple_at(a, b, c) - self.pairs_at, amount)
        self.add_part_pair_delta(self.skips_at, a, c, amount)

    cdef inline Py_ssize_t triple_at(self, label_t a, label_t b, label_t c) noexcept nogil:
        cdef const label_t *coarse = self.tag_parts.coarse_of
        return self.triples_at + (coarse[a] * self.C + coarse[b]) * self.C + coarse[c]

    cdef double step(self, Py_ssize_t sentence, int order, double threshold, const uint8_t *hidden) except? -1 nogil:
        """Score, prune, sum, and update every weight involved; return −log p(gold) on the lattice."""
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
            list_ = self.candidate_list[begin + i]
            count += self.candidates_at[list_ + 1] - self.candidates_at[list_]
        lattice.n = n
        lattice.first = <int32_t *> take(&self.arena, (n + 1) * sizeof(int32_t))
        lattice.tag = <label_t *> take(&self.arena, count * sizeof(label_t))
        lattice.score = <score_t *> take(&self.arena, count * sizeof(score_t))
        gold_state = <int32_t *> take(&self.arena, n * sizeof(int32_t))
        scores = <score_t *> take(&self.arena, self.T * sizeof(score_t))
        for i in range(n):
            lattice.first[i] = <int32_t> used
            list_ = self.candidate_list[begin + i]
            allowed = self.candidates + self.candidates_at[list_]
            count = self.candidates_at[list_ + 1] - self.candidates_at[list_]
            gold_state[i] = -1
            if count == 1 and order > 0:        # nothing to decide: its score changes no probability
                gold_state[i] = <int32_t> used
                lattice.tag[used] = allowed[0]
                lattice.score[used] = 0
                used += 1
                continue
            self.score_word(begin + i, hidden[begin + i])
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
                self.step_unigram(begin + i, hidden[begin + i], allowed, count, scores, top + log(total), gold[i])
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
        return self.step_chain(&lattice, begin, order, threshold, gold, gold_state, hidden)

    cdef void step_unigram(self, Py_ssize_t word, bint hidden, const label_t *allowed, Py_ssize_t count,
                           const score_t *scores, double log_z, label_t gold) noexcept nogil:
        """The step of one word by itself: order 0."""
        cdef Py_ssize_t c
        cdef double p
        for c in range(count):
            p = exp(scores[c] - log_z)
            if p > self.min_probability:
                self.add_tag_delta(allowed[c], <float> p)
        self.add_tag_delta(gold, -1)
        self.update_rows(word, hidden)
        for c in range(count):
            self.clear_tag_delta(allowed[c])
        self.clear_tag_delta(gold)

    cdef void clear_tag_delta(self, label_t tag) noexcept nogil:
        cdef Py_ssize_t j
        self.delta[self.P + tag] = 0
        for j in range(self.tag_parts.start[tag], self.tag_parts.start[tag + 1]):
            self.delta[self.tag_parts.part[j]] = 0

    cdef double step_chain(self, Lattice *lattice, Py_ssize_t begin, int order, double threshold, const label_t *gold,
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
            if gold_state[i] < 0:       # gold is not among the candidates: possible only if the data was modified
                return 0
        if order == 2 and n > 1:
            pair_states(lattice, edge_probabilities(lattice, &self.arena), threshold, gold_state, &self.arena, &pairs)
            for i in range(2, n):
                for s in range(pairs.first[i], pairs.first[i + 1]):
                    for e in range(pairs.into[s], pairs.into[s + 1]):
                        r = pairs.source[e]
                        pairs.edge[e] = self.triple_score(pairs.previous_tag[r], pairs.tag[r], pairs.tag[s])
            log_z = loss = sum_paths(&pairs)
            for i in range(2, n):
                loss -= self.triple_score(gold[i - 2], gold[i - 1], gold[i])
        else:
            log_z = loss = sum_paths(lattice)
        for i in range(n):
            loss -= lattice.score[gold_state[i]]
            if i > 0:
                loss -= lattice.edge[lattice.into[gold_state[i]] + gold_state[i - 1] - lattice.first[i - 1]]
        self.changed_count = 0
        if order == 2 and n > 1:
            self.add_chain_delta(&pairs, log_z, begin, True, gold, hidden)
        else:
            self.add_chain_delta(lattice, log_z, begin, False, gold, hidden)
        for s in range(self.changed_count):
            if fabs(self.transition_delta[self.changed[s]]) > 1e-7 or self.gradient != NULL:
                self.update_weight(self.pairs_at + self.changed[s], self.transition_delta[self.changed[s]])
            self.transition_delta[self.changed[s]] = 0
            self.is_changed[self.changed[s]] = False
        return loss

    cdef void add_chain_delta(self, Lattice *lattice, double log_z, Py_ssize_t begin, bint pairs, const label_t *gold,
                              const uint8_t *hidden) noexcept nogil:
        """Expected minus gold features: rows are updated at once, transitions collected in ``transition_delta``."""
        cdef Py_ssize_t n = lattice.n, i, s, r, e
        cdef double p
        for i in range(n):
            if lattice.first[i + 1] - lattice.first[i] > 1:
                for s in range(lattice.first[i], lattice.first[i + 1]):
                    p = exp(lattice.forward[s] + lattice.backward[s] - log_z)
                    if p > self.min_probability:
                        self.add_tag_delta(lattice.tag[s], <float> p)
                self.add_tag_delta(gold[i], -1)
                self.update_rows(begin + i, hidden[begin + i])
                for s in range(lattice.first[i], lattice.first[i + 1]):
                    self.clear_tag_delta(lattice.tag[s])
                self.clear_tag_delta(gold[i])
            if i == 0:
                continue
            for s in range(lattice.first[i], lattice.first[i + 1]):
                if pairs:
                    p = exp(lattice.forward[s] + lattice.backward[s] - log_z)
                    if p > self.min_probability:
                        self.add_pair_delta(lattice.previous_tag[s], lattice.tag[s], <float> p)
                    if i == 1:
                        continue
                for e in range(lattice.into[s], lattice.into[s + 1]):
                    r = lattice.source[e]
                    p = exp(lattice.forward[r] + lattice.edge[e] + lattice.score[s] + lattice.backward[s] - log_z)
                    if p <= self.min_probability:
                        continue
                    if pairs:
                        self.add_triple_delta(lattice.previous_tag[r], lattice.tag[r], lattice.tag[s], <float> p)
                    else:
                        self.add_pair_delta(lattice.tag[r], lattice.tag[s], <float> p)
            self.add_pair_delta(gold[i - 1], gold[i], -1)
            if pairs and i > 1:
                self.add_triple_delta(gold[i - 2], gold[i - 1], gold[i], -1)
