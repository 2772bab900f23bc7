"""The likelihood of lemmas and its gradient: a log-linear model over the candidates of each word.

p(c) ∝ exp(Σ over the rows r of the word (w[r, edit(c)] + w[r, casing(c)]) + Σ over the features f of the lemma w[f])

Weights lie in one vector: first those of (row, label), row after row and only for labels that a row was seen with, then
those of lemmas. A word is a type, a form with a tag, and has a weight of its own in the objective.
"""

from libc.math cimport exp, log, sqrt
from libc.stdint cimport int32_t, int64_t

import numpy as np


cdef class LemmaObjective:
    """Words with candidates, of which one is gold.

    ``rows[row_offsets[i]:row_offsets[i + 1]]`` are the rows of word i; ``labels[row_starts[r]:row_starts[r + 1]]`` are
    the labels of row r. Likewise ``candidate_offsets`` are where the candidates of each word begin, ``feature_offsets``
    where the features of each candidate begin. ``gold`` is the index of the gold candidate among those of its word.
    """

    cdef readonly Py_ssize_t words, size, label_count
    cdef const int64_t[::1] row_offsets, row_starts, candidate_offsets, feature_offsets
    cdef const int32_t[::1] rows, labels, edits, casings, features, gold
    cdef const double[::1] weights
    cdef Py_ssize_t first_feature       # where the weights of lemmas begin
    cdef double[::1] scores             # [labels], of the current word
    cdef double[::1] residuals             # [labels]: probability minus gold
    cdef double[::1] p                  # [candidates of a word]
    cdef double[::1] gradient           # [size], of the current word; 0 between words

    def __cinit__(self, row_offsets, rows, row_starts, labels, candidate_offsets, edits, casings, feature_offsets,
                  features, gold, weights, Py_ssize_t label_count, Py_ssize_t feature_count):
        self.row_offsets, self.rows, self.row_starts, self.labels = row_offsets, rows, row_starts, labels
        self.candidate_offsets, self.edits, self.casings = candidate_offsets, edits, casings
        self.feature_offsets, self.features, self.gold, self.weights = feature_offsets, features, gold, weights
        self.words = len(gold)
        self.label_count = label_count
        self.first_feature = len(labels)
        self.size = self.first_feature + feature_count
        self.scores = np.zeros(label_count)
        self.gradient = np.zeros(self.size)
        self.residuals = np.zeros(label_count)
        most = int(np.diff(candidate_offsets).max()) if len(gold) else 0
        self.p = np.zeros(most + 1)

    cdef double probabilities(self, Py_ssize_t i, const double[::1] w) noexcept nogil:
        """Fill ``p`` and return −log p(gold)."""
        cdef Py_ssize_t k, j, c, first = self.candidate_offsets[i], count = self.candidate_offsets[i + 1] - first
        cdef double top, total = 0, score
        cdef int32_t row
        for k in range(self.label_count):
            self.scores[k] = 0
        for k in range(self.row_offsets[i], self.row_offsets[i + 1]):
            row = self.rows[k]
            for j in range(self.row_starts[row], self.row_starts[row + 1]):
                self.scores[self.labels[j]] += w[j]
        for c in range(count):
            score = self.scores[self.edits[first + c]] + self.scores[self.casings[first + c]]
            for j in range(self.feature_offsets[first + c], self.feature_offsets[first + c + 1]):
                score += w[self.first_feature + self.features[j]]
            self.p[c] = score
            top = score if c == 0 else max(top, score)
        for c in range(count):
            total += exp(self.p[c] - top)
        score = self.p[self.gold[i]]
        for c in range(count):
            self.p[c] = exp(self.p[c] - top) / total
        return top + log(total) - score

    cdef void compute_residuals(self, Py_ssize_t i) noexcept nogil:
        """Probability minus gold, per label and, in ``p``, per candidate; times the weight of the word."""
        cdef Py_ssize_t c, first = self.candidate_offsets[i], count = self.candidate_offsets[i + 1] - first
        self.p[self.gold[i]] -= 1
        for c in range(self.label_count):
            self.residuals[c] = 0
        for c in range(count):
            self.p[c] *= self.weights[i]
            self.residuals[self.edits[first + c]] += self.p[c]
            self.residuals[self.casings[first + c]] += self.p[c]

    cdef void add_gradient(self, Py_ssize_t i, double[::1] gradient) noexcept nogil:
        """Add the gradient of one word, whose residuals have been computed."""
        cdef Py_ssize_t k, j, c, first = self.candidate_offsets[i]
        cdef int32_t row
        for k in range(self.row_offsets[i], self.row_offsets[i + 1]):
            row = self.rows[k]
            for j in range(self.row_starts[row], self.row_starts[row + 1]):
                gradient[j] += self.residuals[self.labels[j]]
        for c in range(self.candidate_offsets[i + 1] - first):
            for j in range(self.feature_offsets[first + c], self.feature_offsets[first + c + 1]):
                gradient[self.first_feature + self.features[j]] += self.p[c]

    cdef void update_word(self, Py_ssize_t i, double[::1] w, double[::1] squares, double[::1] gradient, double rate,
                          double decay) noexcept nogil:
        """One step for each weight of a word, whose gradient is 0 again afterwards."""
        cdef Py_ssize_t k, j, first, end
        cdef int32_t row
        for k in range(self.row_offsets[i], self.row_offsets[i + 1]):
            row = self.rows[k]
            for j in range(self.row_starts[row], self.row_starts[row + 1]):
                adagrad_step(&w[j], &squares[j], &gradient[j], rate, decay)
        first, end = self.candidate_offsets[i], self.candidate_offsets[i + 1]
        for j in range(self.feature_offsets[first], self.feature_offsets[end]):
            k = self.first_feature + self.features[j]
            adagrad_step(&w[k], &squares[k], &gradient[k], rate, decay)

    def value_and_gradient(self, const double[::1] w not None):
        """The negative log-likelihood of all words, and its gradient."""
        cdef Py_ssize_t i
        cdef double total = 0
        if w.shape[0] != self.size:
            raise ValueError(f"{w.shape[0]} weights; expected {self.size}")
        out = np.zeros(self.size)
        cdef double[::1] gradient = out
        for i in range(self.words):
            total += self.weights[i] * self.probabilities(i, w)
            self.compute_residuals(i)
            self.add_gradient(i, gradient)
        return total, out

    def adagrad_pass(self, const int64_t[::1] order not None, double[::1] w not None, double[::1] squares not None,
                     double rate, double decay):
        """One step for each word in this order (Duchi et al. 2011); the loss before the steps.

        ``decay`` pulls the weights that a step touches towards 0.
        """
        cdef Py_ssize_t n, i
        cdef double total = 0
        if w.shape[0] != self.size or squares.shape[0] != self.size:
            raise ValueError(f"{w.shape[0]} weights; expected {self.size}")
        for n in range(order.shape[0]):
            i = order[n]
            if not 0 <= i < self.words:
                raise IndexError(f"word {i} of {self.words}")
            with nogil:
                total += self.weights[i] * self.probabilities(i, w)
                self.compute_residuals(i)
                self.add_gradient(i, self.gradient)
                self.update_word(i, w, squares, self.gradient, rate, decay)
        return total


cdef inline void adagrad_step(double *w, double *squares, double *gradient, double rate, double decay) noexcept nogil:
    cdef double g = gradient[0]
    if g != 0:
        g += decay * w[0]
        squares[0] += g * g
        gradient[0] = 0
        if squares[0] > 0:
            w[0] -= rate * g / sqrt(squares[0])
