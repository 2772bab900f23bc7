"""Exact inference in the hybrid chain of Qian et al. (2010): sum-product, Viterbi, n-best; a linear chain is one case.

    phi_i(s', t', s) = s(i, s) + ss(i, s', s) + sts(s', t', s)
    psi_i(t', s, t)  = t(i, t) + st(i, s, t) + tt(i, t', t) + tst(t', s, t)

    B_i(t', s) = sum over s' of A_{i-1}(s', t') exp phi_i(s', t', s)           |S|^2 |T| steps
    A_i(s, t)  = sum over t' of B_i(t', s) exp psi_i(t', s, t)                 |S| |T|^2 steps, |S| |T| where t = t'

and the mirror image backwards; max in place of sum gives Viterbi. Probabilities are rescaled at every item, so that
long sequences cost no precision; where they still vanish (scores hundreds apart) the sums are done again in logs.
"""

from libc.math cimport INFINITY, exp, isfinite, log, log1p
from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import numpy as np

from plait.core._lattice cimport backward_step, exp_all, expect_step, forward_step, max_of


cdef double LARGEST_EXPONENT = 500     # exp_all takes 700; sums of some products must stay finite


cdef class Workspace:
    """Room for one sequence at a time that grows and is used again."""

    def __dealloc__(self):
        free(self.room)

    cdef double *take(self, size_t count) except NULL nogil:
        """Room for so many numbers; what was in it is lost."""
        if count > self.size:
            free(self.room)
            self.room = <double *> malloc(count * sizeof(double))
            self.size = count if self.room != NULL else 0
            if self.room == NULL:
                with gil:
                    raise MemoryError()
        return self.room


cdef class Chart:
    """The label sets, what may follow what, and the label-only scores.

    Constraints are arrays of truth values: begin and end [S][T], pair [S'][S], triple [S][T'][T]; scores are start
    [S][T], sts [S'][S][T'] and tst [S][T'][T].
    """

    def __cinit__(self, begin, end, pair, triple):
        cdef Py_ssize_t S, T, s, a, b
        S, T = np.shape(begin)
        if S < 1 or T < 1:
            raise ValueError("no labels")
        if np.shape(end) != (S, T) or np.shape(pair) != (S, S) or np.shape(triple) != (S, T, T):
            raise ValueError("constraints of different shapes")
        self.S, self.T = S, T
        self.begin = copy_flags(begin)
        self.end = copy_flags(end)
        self.pair = copy_flags(pair)
        self.triple = copy_flags(triple)
        self.stays = <uint8_t *> malloc(S)
        self.start = <double *> malloc(S * T * sizeof(double))
        self.sts = <double *> malloc(S * S * T * sizeof(double))
        self.tst = <double *> malloc(S * T * T * sizeof(double))
        self.exp_start = <double *> malloc(S * T * sizeof(double))
        self.exp_sts = <double *> malloc(S * S * T * sizeof(double))
        self.exp_tst = <double *> malloc(S * T * T * sizeof(double))
        self.tst32 = <float *> malloc(S * T * T * sizeof(float))
        if (self.stays == NULL or self.start == NULL or self.sts == NULL or self.tst == NULL or self.exp_start == NULL
                or self.exp_sts == NULL or self.exp_tst == NULL or self.tst32 == NULL):
            raise MemoryError()
        for s in range(S):
            self.stays[s] = 1
            for a in range(T):
                for b in range(T):
                    if a != b and self.triple[(s * T + a) * T + b]:
                        self.stays[s] = 0
        self.set_scores(np.zeros((S, T)), np.zeros((S, S, T)), np.zeros((S, T, T)))

    def __dealloc__(self):
        free(self.begin)
        free(self.end)
        free(self.pair)
        free(self.triple)
        free(self.stays)
        free(self.start)
        free(self.sts)
        free(self.tst)
        free(self.exp_start)
        free(self.exp_sts)
        free(self.exp_tst)
        free(self.tst32)

    def set_scores(self, const double[:, ::1] start not None, const double[:, :, ::1] sts not None,
                   const double[:, :, ::1] tst not None):
        """Take new label-only scores; those of forbidden labels do not matter."""
        cdef Py_ssize_t S = self.S, T = self.T, i
        if (start.shape[0] != S or start.shape[1] != T or sts.shape[0] != S or sts.shape[1] != S or sts.shape[2] != T
                or tst.shape[0] != S or tst.shape[1] != T or tst.shape[2] != T):
            raise ValueError("scores of another shape")
        self.large = max(np.abs(start).max(), np.abs(sts).max(), np.abs(tst).max()) > LARGEST_EXPONENT
        cdef const double *x = &start[0, 0]
        for i in range(S * T):
            self.start[i] = x[i] if self.begin[i] else -INFINITY
        x = &sts[0, 0, 0]
        for i in range(S * S * T):
            self.sts[i] = x[i] if self.pair[i // T] else -INFINITY
        x = &tst[0, 0, 0]
        for i in range(S * T * T):
            self.tst[i] = x[i] if self.triple[i] else -INFINITY
            self.tst32[i] = <float> self.tst[i]
        memcpy(self.exp_start, self.start, S * T * sizeof(double))
        memcpy(self.exp_sts, self.sts, S * S * T * sizeof(double))
        memcpy(self.exp_tst, self.tst, S * T * T * sizeof(double))
        exp_all(self.exp_start, S * T)
        exp_all(self.exp_sts, S * S * T)
        exp_all(self.exp_tst, S * T * T)

    cdef size_t room(self, Scores *x, Py_ssize_t n) noexcept nogil:
        """How many numbers the sums need for n items."""
        cdef size_t S = self.S, T = self.T, m = n
        cdef size_t each = S + T + 2 * S * T + 1
        if x.st != NULL:
            each += S * T
        if x.ss != NULL:
            each += S * S
        if x.tt != NULL:
            each += T * T
        return m * each + 5 * S * T + 2 * T * T + T

    cdef double sum_product(self, Scores *x, Py_ssize_t n, Marginals *out, double *work) noexcept nogil:
        """log Z; with ``out``, all probabilities as well. Not finite when no labelling is allowed."""
        cdef Py_ssize_t S = self.S, T = self.T, N = S * T, i, s, r, t
        cdef double *es = work
        cdef double *et = es + n * S
        cdef double *A = et + n * T
        cdef double *B = A + n * N
        cdef double *c = B + n * N
        cdef double *y = c + n          # [S][T]: psi's part at the item times what follows
        cdef double *b = y + N          # [S][T']
        cdef double *now = b + N        # [S][T]
        cdef double *next_ = now + N
        cdef double *row = next_ + N    # [T]
        cdef double *est = row + T + N + 2 * T * T
        cdef double *ess = est + (n * N if x.st != NULL else 0)
        cdef double *ett = ess + (n * S * S if x.ss != NULL else 0)
        cdef double shift = 0, total, f, p, log_z
        cdef double *here
        cdef const double *M
        cdef double *swap
        memcpy(es, x.s, n * S * sizeof(double))
        memcpy(et, x.t, n * T * sizeof(double))
        if x.st != NULL:
            memcpy(est, x.st, n * N * sizeof(double))
        if x.ss != NULL:
            memcpy(ess, x.ss, n * S * S * sizeof(double))
        if x.tt != NULL:
            memcpy(ett, x.tt, n * T * T * sizeof(double))
        log_z = 0
        if self.large:
            return self.log_sum_product(x, n, out, work)
        for i in range(n):
            shift = take_exp(es + i * S, S) + take_exp(et + i * T, T)
            if x.st != NULL:
                shift += take_exp(est + i * N, N)
            if i > 0 and x.ss != NULL:
                shift += take_exp(ess + i * S * S, S * S)
            if i > 0 and x.tt != NULL:
                shift += take_exp(ett + i * T * T, T * T)
            here = A + i * N
            if i == 0:
                for s in range(S):
                    for t in range(T):
                        here[s * T + t] = self.exp_start[s * T + t] * es[s]
            else:
                self.step_s(A + (i - 1) * N, B + i * N, es + i * S, NULL if x.ss == NULL else ess + i * S * S)
                M = NULL if x.tt == NULL else ett + i * T * T
                for s in range(S):
                    if self.stays[s]:
                        for t in range(T):
                            f = B[i * N + s * T + t] * self.exp_tst[(s * T + t) * T + t]
                            here[s * T + t] = f * M[t * T + t] if M != NULL else f
                    else:
                        forward_step(here + s * T, B + i * N + s * T, M, self.exp_tst + s * T * T, T)
            total = 0
            for s in range(S):
                for t in range(T):
                    here[s * T + t] *= et[i * T + t]
            if x.st != NULL:
                for t in range(N):
                    here[t] *= est[i * N + t]
            for t in range(N):
                total += here[t]
            if not (total > 0 and isfinite(total)):
                return self.log_sum_product(x, n, out, work)
            c[i] = total
            log_z += shift + log(total)
            if out != NULL and out.scale != NULL:
                out.scale[i] = shift + log(total)
            total = 1 / total
            if not isfinite(total):
                return self.log_sum_product(x, n, out, work)
            for t in range(N):
                here[t] *= total
            if i > 0:
                for t in range(N):
                    B[i * N + t] *= total
        total = 0
        here = A + (n - 1) * N
        for t in range(N):
            if self.end[t]:
                total += here[t]
        if not (total > 0 and isfinite(1 / total)):
            return self.log_sum_product(x, n, out, work)
        log_z += log(total)
        if out == NULL:
            return log_z
        for t in range(N):
            now[t] = 1 / total if self.end[t] else 0
        for i in range(n - 1, -1, -1):
            here = out.st + i * N
            for t in range(N):
                here[t] = A[i * N + t] * now[t]
            fill_margins(here, out.s + i * S, out.t + i * T, S, T)
            if out.forward != NULL:
                memcpy(out.forward + i * N, A + i * N, N * sizeof(double))
                memcpy(out.backward + i * N, now, N * sizeof(double))
            if i == 0:
                for t in range(N):
                    out.start[t] += here[t]
                break
            M = NULL if x.tt == NULL else ett + i * T * T
            if out.tt != NULL:
                memset(out.tt + i * T * T, 0, T * T * sizeof(double))
            for s in range(S):
                for t in range(T):
                    y[s * T + t] = now[s * T + t] * et[i * T + t]
                if x.st != NULL:
                    for t in range(T):
                        y[s * T + t] *= est[i * N + s * T + t]
                if self.stays[s]:
                    for t in range(T):
                        f = self.exp_tst[(s * T + t) * T + t]
                        if M != NULL:
                            f *= M[t * T + t]
                        f *= y[s * T + t]
                        b[s * T + t] = f
                        p = f * B[i * N + s * T + t]
                        if out.tst != NULL:
                            out.tst[(s * T + t) * T + t] += p
                        if out.tt != NULL:
                            out.tt[(i * T + t) * T + t] += p
                else:
                    backward_step(b + s * T, M, self.exp_tst + s * T * T, y + s * T, T)
                    if out.tst != NULL:
                        expect_step(out.tst + s * T * T, NULL if out.tt == NULL else out.tt + i * T * T,
                                    B + i * N + s * T, M, self.exp_tst + s * T * T, y + s * T, T)
            memset(next_, 0, N * sizeof(double))
            if out.ss != NULL:
                memset(out.ss + i * S * S, 0, S * S * sizeof(double))
            for r in range(S):
                for s in range(S):
                    if not self.pair[r * S + s]:
                        continue
                    f = es[i * S + s] / c[i]
                    if x.ss != NULL:
                        f *= ess[(i * S + r) * S + s]
                    if f == 0:
                        continue
                    total = 0
                    for t in range(T):
                        p = f * self.exp_sts[(r * S + s) * T + t] * b[s * T + t]
                        next_[r * T + t] += p
                        p *= A[(i - 1) * N + r * T + t]
                        if out.sts != NULL:
                            out.sts[(r * S + s) * T + t] += p
                        total += p
                    if out.ss != NULL:
                        out.ss[(i * S + r) * S + s] = total
            swap = now
            now = next_
            next_ = swap
        return log_z

    cdef void step_s(self, const double *A, double *B, const double *es, const double *ess) noexcept nogil:
        """B(t', s) out of A(s', t')."""
        cdef Py_ssize_t S = self.S, T = self.T, r, s, t
        cdef double f
        cdef const double *E
        memset(B, 0, S * T * sizeof(double))
        for s in range(S):
            for r in range(S):
                f = es[s]
                if ess != NULL:
                    f *= ess[r * S + s]
                if not self.pair[r * S + s] or f == 0:
                    continue
                E = self.exp_sts + (r * S + s) * T
                for t in range(T):
                    B[s * T + t] += A[r * T + t] * (f * E[t])

    cdef double log_sum_product(self, Scores *x, Py_ssize_t n, Marginals *out, double *work) noexcept nogil:
        """The same in log space: slow, and safe whatever the scores. It wants as much room."""
        cdef Py_ssize_t S = self.S, T = self.T, N = S * T, i, s, r, t, a
        cdef double *A = work
        cdef double *B = A + n * N
        cdef double *now = B + n * N
        cdef double *next_ = now + N
        cdef double *b = next_ + N
        cdef double *swap
        cdef double v, before = 0, log_z = -INFINITY
        for i in range(n):
            for s in range(S):
                for t in range(T):
                    if i == 0:
                        A[s * T + t] = self.start[s * T + t] + x.s[s] + x.t[t]
                        if x.st != NULL:
                            A[s * T + t] += x.st[s * T + t]
                        continue
                    v = -INFINITY
                    for r in range(S):
                        v = log_add(v, A[(i - 1) * N + r * T + t] + self.phi(x, i, r, t, s))
                    B[i * N + s * T + t] = v
                if i == 0:
                    continue
                for t in range(T):
                    v = -INFINITY
                    for a in range(T):
                        v = log_add(v, B[i * N + s * T + a] + self.psi(x, i, a, s, t))
                    A[i * N + s * T + t] = v
        for t in range(N):
            if self.end[t]:
                log_z = log_add(log_z, A[(n - 1) * N + t])
            now[t] = 0 if self.end[t] else -INFINITY
        if out == NULL or not isfinite(log_z):
            return log_z
        if out.scale != NULL:
            for i in range(n):
                v = -INFINITY
                for t in range(N):
                    v = log_add(v, A[i * N + t])
                out.scale[i] = v        # turned into differences below
        for i in range(n - 1, -1, -1):
            for t in range(N):
                out.st[i * N + t] = exp(A[i * N + t] + now[t] - log_z)
            if out.forward != NULL:
                for t in range(N):
                    out.forward[i * N + t] = exp(A[i * N + t] - out.scale[i])
                    out.backward[i * N + t] = exp(now[t] + out.scale[i] - log_z)
            fill_margins(out.st + i * N, out.s + i * S, out.t + i * T, S, T)
            if i == 0:
                for t in range(N):
                    out.start[t] += out.st[t]
                break
            if out.tt != NULL:
                memset(out.tt + i * T * T, 0, T * T * sizeof(double))
            for t in range(N):
                b[t] = -INFINITY
                next_[t] = -INFINITY
            for s in range(S):
                for a in range(T):
                    for t in range(T):
                        v = self.psi(x, i, a, s, t) + now[s * T + t]
                        b[s * T + a] = log_add(b[s * T + a], v)
                        v = exp(B[i * N + s * T + a] + v - log_z)
                        if out.tst != NULL:
                            out.tst[(s * T + a) * T + t] += v
                        if out.tt != NULL:
                            out.tt[(i * T + a) * T + t] += v
            for r in range(S):
                for s in range(S):
                    if out.ss != NULL:
                        out.ss[(i * S + r) * S + s] = 0
                    for a in range(T):
                        v = self.phi(x, i, r, a, s) + b[s * T + a]
                        next_[r * T + a] = log_add(next_[r * T + a], v)
                        v = exp(A[(i - 1) * N + r * T + a] + v - log_z)
                        if out.sts != NULL:
                            out.sts[(r * S + s) * T + a] += v
                        if out.ss != NULL:
                            out.ss[(i * S + r) * S + s] += v
            swap = now
            now = next_
            next_ = swap
        if out.scale != NULL:
            for i in range(n):
                v = out.scale[i]
                out.scale[i] -= before
                before = v
        return log_z

    cdef double phi(self, Scores *x, Py_ssize_t i, Py_ssize_t r, Py_ssize_t a, Py_ssize_t s) noexcept nogil:
        """Score of s after (r, a), i > 0."""
        cdef double v = x.s[i * self.S + s] + self.sts[(r * self.S + s) * self.T + a]
        if x.ss != NULL:
            v += x.ss[(i * self.S + r) * self.S + s]
        return v

    cdef double psi(self, Scores *x, Py_ssize_t i, Py_ssize_t a, Py_ssize_t s, Py_ssize_t t) noexcept nogil:
        """Score of t after (a, s), i > 0."""
        cdef double v = x.t[i * self.T + t] + self.tst[(s * self.T + a) * self.T + t]
        if x.st != NULL:
            v += x.st[(i * self.S + s) * self.T + t]
        if x.tt != NULL:
            v += x.tt[(i * self.T + a) * self.T + t]
        return v

    cdef double path_score(self, Scores *x, Py_ssize_t n, const int32_t *s, const int32_t *t) noexcept nogil:
        """The score of one labelling; -inf when it is forbidden."""
        cdef Py_ssize_t i, T = self.T
        cdef double v
        if not self.end[s[n - 1] * T + t[n - 1]]:
            return -INFINITY
        v = self.start[s[0] * T + t[0]] + x.s[s[0]] + x.t[t[0]]
        if x.st != NULL:
            v += x.st[s[0] * T + t[0]]
        for i in range(1, n):
            v += self.phi(x, i, s[i - 1], t[i - 1], s[i]) + self.psi(x, i, t[i - 1], s[i], t[i])
        return v


cdef uint8_t *copy_flags(flags) except NULL:
    cdef const uint8_t[::1] view = np.ascontiguousarray(flags, dtype=bool).view(np.uint8).reshape(-1)
    cdef uint8_t *out = <uint8_t *> malloc(view.shape[0] + 1)
    if out == NULL:
        raise MemoryError()
    if view.shape[0] > 0:
        memcpy(out, &view[0], view.shape[0])
    return out


cdef inline double take_exp(double *x, Py_ssize_t n) noexcept nogil:
    """x = exp(x - max); the maximum is returned."""
    cdef double top = max_of(x, n)
    cdef Py_ssize_t k
    if not isfinite(top):
        top = 0
    for k in range(n):
        x[k] -= top
    exp_all(x, n)
    return top


cdef inline void fill_margins(const double *st, double *s, double *t, Py_ssize_t S, Py_ssize_t T) noexcept nogil:
    cdef Py_ssize_t a, b
    memset(t, 0, T * sizeof(double))
    for a in range(S):
        s[a] = 0
        for b in range(T):
            s[a] += st[a * T + b]
            t[b] += st[a * T + b]


cdef inline double log_add(double a, double b) noexcept nogil:
    if a < b:
        a, b = b, a
    return a if b == -INFINITY else a + log1p(exp(b - a))
