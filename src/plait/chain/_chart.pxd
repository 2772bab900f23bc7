# The chart of the hybrid chain (Qian et al. 2010): segmentation labels s on virtual nodes, tags t on the items.
# With one s it is a linear chain over t; with typed labels as t it is the cross-product model.
# As in the paper: S, T are the sizes of the label sets; s', t' the previous labels; n items, counted from 0.

from libc.stdint cimport int32_t, uint8_t

from plait.core._memory cimport Arena


# Log scores of one sequence, by view; NULL where the model has no such features.
cdef struct Scores:
    double *s       # [n][S]
    double *t       # [n][T]
    double *st      # [n][S][T]
    double *ss      # [n][S][S], s' then s; item 0 unused
    double *tt      # [n][T][T], t' then t; item 0 unused


# Marginal probabilities, in the same shapes; s, t and st are always needed, ss, tt, sts and tst may be NULL.
cdef struct Marginals:
    double *s
    double *t
    double *st
    double *ss
    double *tt
    double *start   # [S][T], summed
    double *sts     # [S'][S][T'], summed
    double *tst     # [S][T'][T], summed
    # NULL, or for the probabilities of spans: P(labels at i) = forward[i] * backward[i], and a step from item i - 1 to
    # i multiplies forward by exp(phi + psi - scale[i])
    double *forward     # [n][S][T], sums to 1 at each item
    double *backward    # [n][S][T]
    double *scale       # [n]


cdef class Workspace:
    cdef double *numbers
    cdef size_t size
    cdef double *reserve(self, size_t count) except NULL nogil


cdef class Chart:
    cdef readonly Py_ssize_t S, T
    # hard constraints: 0 is forbidden
    cdef uint8_t *begin     # [S][T]
    cdef uint8_t *end       # [S][T]
    cdef uint8_t *pair      # [S'][S]
    cdef uint8_t *triple    # [S][T'][T]
    cdef uint8_t *keeps_tag     # [S]: with this s only t = t' is allowed
    cdef bint needs_logs    # some label-only score is too large for exponentials
    # label-only scores, forbidden ones -inf, and their exponentials
    cdef double *start      # [S][T]
    cdef double *sts        # [S'][S][T']
    cdef double *tst        # [S][T'][T]
    cdef double *exp_start
    cdef double *exp_sts
    cdef double *exp_tst
    cdef float *sts32       # sts and tst in single precision, for Viterbi
    cdef float *tst32
    cdef Arena arena        # all of these

    cdef size_t work_size(self, Py_ssize_t n, bint st, bint ss, bint tt) noexcept nogil
    cdef double sum_product(self, Scores *x, Py_ssize_t n, Marginals *out, double *work) noexcept nogil
    cdef void complete(self, Scores *x, Py_ssize_t n, double *completion, double *half) noexcept nogil
    cdef void fill_marginals(self, Marginals *out, Py_ssize_t i) noexcept nogil
    cdef double first_score(self, Scores *x, Py_ssize_t s, Py_ssize_t t) noexcept nogil
    cdef double phi(self, const Scores *x, Py_ssize_t i, Py_ssize_t r, Py_ssize_t a, Py_ssize_t s) noexcept nogil
    cdef double psi(self, const Scores *x, Py_ssize_t i, Py_ssize_t a, Py_ssize_t s, Py_ssize_t t) noexcept nogil
    cdef double log_sum_product(self, Scores *x, Py_ssize_t n, Marginals *out, double *work) noexcept nogil
    cdef double path_score(self, Scores *x, Py_ssize_t n, const int32_t *s, const int32_t *t) noexcept nogil
