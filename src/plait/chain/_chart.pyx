"""Exact inference in the hybrid chain of Qian et al. (2010): sum-product, Viterbi, n-best; a linear chain is one case.

    phi_i(s', t', s) = s(i, s) + ss(i, s', s) + sts(s', t', s)
    psi_i(t', s, t)  = t(i, t) + st(i, s, t) + tt(i, t', t) + tst(t', s, t)

    B_i(t', s) = sum over s' of A_{i-1}(s', t') exp phi_i(s', t', s)           |S|^2 |T| steps
    A_i(s, t)  = sum over t' of B_i(t', s) exp psi_i(t', s, t)                 |S| |T|^2 steps, |S| |T| where t = t'

and the mirror image backwards. Sums are rescaled at every item, so that long sequences lose no precision; if they
underflow anyway (scores hundreds apart), they are recomputed in log space.
"""

from libc.math cimport INFINITY, exp, isfinite, log
from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import numpy as np

from plait.core._lattice cimport backward_step, exp_all, expect_step, forward_step, log_add, max_of
from plait.core._memory cimport Arena, release, take


cdef double LARGEST_EXPONENT = 500     # exp_all accepts 700; sums of products must stay finite


# The recurrence, with the algebra as a parameter. Sum works on exponentials of the chart's and of the items' scores,
# the others on the scores themselves, by phi and psi. Viterbi in _search has its own loop: single precision, back
# pointers.
cdef struct Sum:        # +, *: fast, and rescaled at every item
    char nothing
cdef struct LogSum:     # log-sum-exp, +
    char nothing
cdef struct Max:        # max, +
    char nothing

ctypedef fused Algebra:
    Sum
    LogSum
    Max


cdef struct Steps:
    double *A       # [n][S][T]
    double *B       # [n][S][T']
    double *now     # [S][T]: what follows an item
    double *next    # [S'][T']: what follows the item before it
    double *b       # [S][T']
    double *y       # [S][T]: psi's part at the item times what follows


cdef inline double zero(Algebra *algebra) noexcept nogil:
    if Algebra is Sum:
        return 0
    else:
        return -INFINITY


cdef inline double add(Algebra *algebra, double a, double b) noexcept nogil:
    if Algebra is LogSum:
        return log_add(a, b)
    elif Algebra is Max:
        return a if a > b else b
    else:
        return a + b


cdef void step_forward(Algebra *algebra, Chart c, const Scores *x, Py_ssize_t i, Steps *steps) noexcept nogil:
    """Compute B_i and A_i from A_{i-1}; for Sum without the factors of t and st."""
    cdef Py_ssize_t S = c.S, T = c.T, N = S * T, s, r, t, a
    cdef const double *before = steps.A + (i - 1) * N
    cdef const double *E
    cdef const double *M = NULL if x.tt == NULL else x.tt + i * T * T
    cdef double *B
    cdef double *A
    cdef double f
    for s in range(S):
        B = steps.B + i * N + s * T
        A = steps.A + i * N + s * T
        for t in range(T):
            B[t] = zero(algebra)
        for r in range(S):
            if not c.pair[r * S + s]:
                continue
            if Algebra is Sum:
                f = x.s[i * S + s]
                if x.ss != NULL:
                    f *= x.ss[(i * S + r) * S + s]
                if f == 0:
                    continue
                E = c.exp_sts + (r * S + s) * T
                for t in range(T):
                    B[t] += before[r * T + t] * (f * E[t])
            else:
                for t in range(T):
                    B[t] = add(algebra, B[t], before[r * T + t] + c.phi(x, i, r, t, s))
        if Algebra is Sum:
            if not c.keeps_tag[s]:
                forward_step(A, B, M, c.exp_tst + s * T * T, T)
                continue
            for t in range(T):
                f = B[t] * c.exp_tst[(s * T + t) * T + t]
                A[t] = f * M[t * T + t] if M != NULL else f
        else:
            for t in range(T):
                A[t] = -INFINITY
                for a in range(t if c.keeps_tag[s] else 0, t + 1 if c.keeps_tag[s] else T):
                    A[t] = add(algebra, A[t], B[a] + c.psi(x, i, a, s, t))


cdef void step_backward(Algebra *algebra, Chart c, const Scores *x, Py_ssize_t i, Steps *steps, Marginals *out,
                        double z) noexcept nogil:
    """Backward values of item i - 1 from those of item i, and the probabilities of pairs; then ``next`` is ``now``.

    ``z`` divides probabilities: for Sum it is the scale of the item, for LogSum log Z. Max has none, and no ``out``.
    """
    cdef Py_ssize_t S = c.S, T = c.T, N = S * T, s, r, t, a
    cdef const double *before = steps.A + (i - 1) * N
    cdef const double *B
    cdef const double *M = NULL if x.tt == NULL else x.tt + i * T * T
    cdef double *now
    cdef double *ahead
    cdef double *b
    cdef double *y
    cdef double *tt = NULL if out == NULL or out.tt == NULL else out.tt + i * T * T
    cdef double *ss = NULL if out == NULL or out.ss == NULL else out.ss + i * S * S
    cdef double *swap
    cdef double f, p, total
    if tt != NULL:
        memset(tt, 0, T * T * sizeof(double))
    if ss != NULL:
        memset(ss, 0, S * S * sizeof(double))
    for t in range(N):
        steps.next[t] = zero(algebra)
    for s in range(S):
        B = steps.B + i * N + s * T
        now = steps.now + s * T
        b = steps.b + s * T
        if Algebra is Sum:
            y = steps.y + s * T
            for t in range(T):
                y[t] = now[t] * x.t[i * T + t]
            if x.st != NULL:
                for t in range(T):
                    y[t] *= x.st[i * N + s * T + t]
            if not c.keeps_tag[s]:
                backward_step(b, M, c.exp_tst + s * T * T, y, T)
                if out.tst != NULL:
                    expect_step(out.tst + s * T * T, tt, B, M, c.exp_tst + s * T * T, y, T)
                continue
            for t in range(T):
                f = c.exp_tst[(s * T + t) * T + t]
                if M != NULL:
                    f *= M[t * T + t]
                f *= y[t]
                b[t] = f
                p = f * B[t]
                if out.tst != NULL:
                    out.tst[(s * T + t) * T + t] += p
                if tt != NULL:
                    tt[t * T + t] += p
        else:
            for a in range(T):
                b[a] = -INFINITY
                for t in range(a if c.keeps_tag[s] else 0, a + 1 if c.keeps_tag[s] else T):
                    f = c.psi(x, i, a, s, t) + now[t]
                    b[a] = add(algebra, b[a], f)
                    if Algebra is LogSum:
                        p = exp(B[a] + f - z)
                        if out.tst != NULL:
                            out.tst[(s * T + a) * T + t] += p
                        if tt != NULL:
                            tt[a * T + t] += p
    for r in range(S):
        for s in range(S):
            if not c.pair[r * S + s]:
                continue
            b = steps.b + s * T
            ahead = steps.next + r * T
            total = 0
            if Algebra is Sum:
                f = x.s[i * S + s] / z
                if x.ss != NULL:
                    f *= x.ss[(i * S + r) * S + s]
                if f == 0:
                    continue
                for t in range(T):
                    p = f * c.exp_sts[(r * S + s) * T + t] * b[t]
                    ahead[t] += p
                    p *= before[r * T + t]
                    if out.sts != NULL:
                        out.sts[(r * S + s) * T + t] += p
                    total += p
            else:
                for t in range(T):
                    f = c.phi(x, i, r, t, s) + b[t]
                    ahead[t] = add(algebra, ahead[t], f)
                    if Algebra is LogSum:
                        p = exp(before[r * T + t] + f - z)
                        if out.sts != NULL:
                            out.sts[(r * S + s) * T + t] += p
                        total += p
            if ss != NULL:
                ss[r * S + s] = total
    swap = steps.now
    steps.now = steps.next
    steps.next = swap


cdef class Workspace:
    """Reusable memory for one sequence at a time."""

    def __dealloc__(self):
        free(self.numbers)

    cdef double *reserve(self, size_t count) except NULL nogil:
        """Space for ``count`` numbers; the previous content is lost."""
        if count > self.size:
            free(self.numbers)
            self.numbers = <double *> malloc(count * sizeof(double))
            self.size = count if self.numbers != NULL else 0
            if self.numbers == NULL:
                with gil:
                    raise MemoryError()
        return self.numbers


cdef class Chart:
    """The label sets, the allowed transitions, and the label-only scores.

    Constraints are arrays of truth values: begin and end [S][T], pair [S'][S], triple [S][T'][T]; scores are start
    [S][T], sts [S'][S][T'] and tst [S][T'][T].
    """

    def __cinit__(self, begin, end, pair, triple):
        cdef Py_ssize_t S, T
        S, T = np.shape(begin)
        if S < 1 or T < 1:
            raise ValueError("no labels")
        if np.shape(end) != (S, T) or np.shape(pair) != (S, S) or np.shape(triple) != (S, T, T):
            raise ValueError("constraints of different shapes")
        self.S, self.T = S, T
        self.begin = copy_flags(begin, &self.arena)
        self.end = copy_flags(end, &self.arena)
        self.pair = copy_flags(pair, &self.arena)
        self.triple = copy_flags(triple, &self.arena)
        others = np.asarray(triple, dtype=bool) & ~np.eye(T, dtype=bool)
        self.keeps_tag = copy_flags(~others.any(axis=(1, 2)), &self.arena)
        self.start = <double *> take(&self.arena, S * T * sizeof(double))
        self.sts = <double *> take(&self.arena, S * S * T * sizeof(double))
        self.tst = <double *> take(&self.arena, S * T * T * sizeof(double))
        self.exp_start = <double *> take(&self.arena, S * T * sizeof(double))
        self.exp_sts = <double *> take(&self.arena, S * S * T * sizeof(double))
        self.exp_tst = <double *> take(&self.arena, S * T * T * sizeof(double))
        self.sts32 = <float *> take(&self.arena, S * S * T * sizeof(float))
        self.tst32 = <float *> take(&self.arena, S * T * T * sizeof(float))
        self.set_scores(np.zeros((S, T)), np.zeros((S, S, T)), np.zeros((S, T, T)))

    def __dealloc__(self):
        release(&self.arena)

    def set_scores(self, const double[:, ::1] start not None, const double[:, :, ::1] sts not None,
                   const double[:, :, ::1] tst not None):
        """Set the label-only scores; those of forbidden labels are ignored."""
        cdef Py_ssize_t S = self.S, T = self.T, i
        if (start.shape[0] != S or start.shape[1] != T or sts.shape[0] != S or sts.shape[1] != S or sts.shape[2] != T
                or tst.shape[0] != S or tst.shape[1] != T or tst.shape[2] != T):
            raise ValueError("scores of another shape")
        self.needs_logs = max(np.abs(start).max(), np.abs(sts).max(), np.abs(tst).max()) > LARGEST_EXPONENT
        fill_table(self.start, self.exp_start, &start[0, 0], self.begin, 1, S * T)
        fill_table(self.sts, self.exp_sts, &sts[0, 0, 0], self.pair, T, S * S * T)
        fill_table(self.tst, self.exp_tst, &tst[0, 0, 0], self.triple, 1, S * T * T)
        for i in range(S * S * T):
            self.sts32[i] = <float> self.sts[i]
        for i in range(S * T * T):
            self.tst32[i] = <float> self.tst[i]

    cdef size_t work_size(self, Py_ssize_t n, bint st, bint ss, bint tt) noexcept nogil:
        """The number of doubles that the sums need for n items, with scores of these views."""
        cdef size_t S = self.S, T = self.T, N = S * T, m = n
        return m * (S + T + 2 * N + 1 + (N if st else 0) + (S * S if ss else 0) + (T * T if tt else 0)) + 4 * N

    cdef double sum_product(self, Scores *x, Py_ssize_t n, Marginals *out, double *work) noexcept nogil:
        """log Z, and all probabilities. Not finite when no labelling is allowed."""
        cdef Py_ssize_t S = self.S, T = self.T, N = S * T, i, s, t
        cdef Steps steps
        cdef Scores e       # exponentials of the scores
        cdef double *c      # what the sums of each item were divided by
        cdef double shift, total, log_z = 0
        cdef double *here
        if self.needs_logs:
            return self.log_sum_product(x, n, out, work)
        e.s = work
        e.t = e.s + n * S
        c = lay_out_steps(&steps, e.t + n * T, n, N)
        e.st = copied(x.st, c + n, n * N)
        e.ss = copied(x.ss, c + n + (n * N if x.st != NULL else 0), n * S * S)
        e.tt = copied(x.tt, c + n + (n * N if x.st != NULL else 0) + (n * S * S if x.ss != NULL else 0), n * T * T)
        copied(x.s, e.s, n * S)
        copied(x.t, e.t, n * T)
        for i in range(n):
            c[i] = take_max(e.s + i * S, S) + take_max(e.t + i * T, T)
            if x.st != NULL:
                c[i] += take_max(e.st + i * N, N)
            if i > 0 and x.ss != NULL:
                c[i] += take_max(e.ss + i * S * S, S * S)
            if i > 0 and x.tt != NULL:
                c[i] += take_max(e.tt + i * T * T, T * T)
        # all items at once: those of one would leave the vectors half empty
        exp_all(e.s, n * (S + T))
        if x.st != NULL:
            exp_all(e.st, n * N)
        if x.ss != NULL:
            exp_all(e.ss + S * S, (n - 1) * S * S)
        if x.tt != NULL:
            exp_all(e.tt + T * T, (n - 1) * T * T)
        for i in range(n):
            shift = c[i]
            here = steps.A + i * N
            if i == 0:
                for s in range(S):
                    for t in range(T):
                        here[s * T + t] = self.exp_start[s * T + t] * e.s[s]
            else:
                step_forward[Sum](NULL, self, &e, i, &steps)
            for s in range(S):
                for t in range(T):
                    here[s * T + t] *= e.t[i * T + t]
            if x.st != NULL:
                for t in range(N):
                    here[t] *= e.st[i * N + t]
            total = sum_of(here, N)
            if not (total > 0 and isfinite(total)) or not isfinite(1 / total):
                return self.log_sum_product(x, n, out, work)
            c[i] = total
            log_z += shift + log(total)
            if out.scale != NULL:
                out.scale[i] = shift + log(total)
            total = 1 / total
            for t in range(N):
                here[t] *= total
            if i > 0:
                for t in range(N):
                    steps.B[i * N + t] *= total
        total = 0
        here = steps.A + (n - 1) * N
        for t in range(N):
            if self.end[t]:
                total += here[t]
        if not (total > 0 and isfinite(1 / total)):
            return self.log_sum_product(x, n, out, work)
        log_z += log(total)
        for t in range(N):
            steps.now[t] = 1 / total if self.end[t] else 0
        for i in range(n - 1, -1, -1):
            here = out.st + i * N
            for t in range(N):
                here[t] = steps.A[i * N + t] * steps.now[t]
            if out.forward != NULL:
                memcpy(out.forward + i * N, steps.A + i * N, N * sizeof(double))
                memcpy(out.backward + i * N, steps.now, N * sizeof(double))
            self.fill_marginals(out, i)
            if i > 0:
                step_backward[Sum](NULL, self, &e, i, &steps, out, c[i])
        return log_z

    cdef double log_sum_product(self, Scores *x, Py_ssize_t n, Marginals *out, double *work) noexcept nogil:
        """The same in log space: slower, but safe for any scores. It needs less memory."""
        cdef Py_ssize_t S = self.S, T = self.T, N = S * T, i, s, t
        cdef Steps steps
        cdef double v, before = 0, log_z = -INFINITY
        lay_out_steps(&steps, work, n, N)
        for s in range(S):
            for t in range(T):
                steps.A[s * T + t] = self.first_score(x, s, t)
        for i in range(1, n):
            step_forward[LogSum](NULL, self, x, i, &steps)
        for t in range(N):
            if self.end[t]:
                log_z = log_add(log_z, steps.A[(n - 1) * N + t])
            steps.now[t] = 0 if self.end[t] else -INFINITY
        if not isfinite(log_z):
            return log_z
        if out.scale != NULL:
            for i in range(n):
                v = -INFINITY
                for t in range(N):
                    v = log_add(v, steps.A[i * N + t])
                out.scale[i] = v        # converted to differences below
        for i in range(n - 1, -1, -1):
            for t in range(N):
                out.st[i * N + t] = exp(steps.A[i * N + t] + steps.now[t] - log_z)
            if out.forward != NULL:
                for t in range(N):
                    out.forward[i * N + t] = exp(steps.A[i * N + t] - out.scale[i])
                    out.backward[i * N + t] = exp(steps.now[t] + out.scale[i] - log_z)
            self.fill_marginals(out, i)
            if i > 0:
                step_backward[LogSum](NULL, self, x, i, &steps, out, log_z)
        if out.scale != NULL:
            for i in range(n):
                v = out.scale[i]
                out.scale[i] -= before
                before = v
        return log_z

    cdef void complete(self, Scores *x, Py_ssize_t n, double *completion, double *half) noexcept nogil:
        """completion(i, y), [n][S][T]: the best score that can be added after label y at item i; half [S][T]."""
        cdef Py_ssize_t N = self.S * self.T, i, t
        cdef Steps steps
        steps.A = steps.B = completion      # not used: no probabilities are computed
        steps.b = half
        for t in range(N):
            completion[(n - 1) * N + t] = 0 if self.end[t] else -INFINITY
        for i in range(n - 1, 0, -1):
            steps.now = completion + i * N
            steps.next = steps.now - N
            step_backward[Max](NULL, self, x, i, &steps, NULL, 0)

    cdef void fill_marginals(self, Marginals *out, Py_ssize_t i) noexcept nogil:
        """The probabilities of s and t at an item from those of st."""
        cdef Py_ssize_t S = self.S, T = self.T, a, b
        cdef const double *st = out.st + i * S * T
        cdef double *s = out.s + i * S
        cdef double *t = out.t + i * T
        memcpy(t, st, T * sizeof(double))
        for a in range(S):
            s[a] = sum_of(st + a * T, T)
        for a in range(1, S):
            for b in range(T):
                t[b] += st[a * T + b]
        if i == 0:
            for a in range(S * T):
                out.start[a] += st[a]

    cdef double first_score(self, Scores *x, Py_ssize_t s, Py_ssize_t t) noexcept nogil:
        """Score of the labels of item 0."""
        cdef double v = self.start[s * self.T + t] + x.s[s] + x.t[t]
        if x.st != NULL:
            v += x.st[s * self.T + t]
        return v

    cdef double phi(self, const Scores *x, Py_ssize_t i, Py_ssize_t r, Py_ssize_t a, Py_ssize_t s) noexcept nogil:
        """Score of s after (r, a), i > 0."""
        cdef double v = x.s[i * self.S + s] + self.sts[(r * self.S + s) * self.T + a]
        if x.ss != NULL:
            v += x.ss[(i * self.S + r) * self.S + s]
        return v

    cdef double psi(self, const Scores *x, Py_ssize_t i, Py_ssize_t a, Py_ssize_t s, Py_ssize_t t) noexcept nogil:
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
        v = self.first_score(x, s[0], t[0])
        for i in range(1, n):
            v += self.phi(x, i, s[i - 1], t[i - 1], s[i]) + self.psi(x, i, t[i - 1], s[i], t[i])
        return v


cdef void fill_table(double *table, double *exponentials, const double *x, const uint8_t *allowed, Py_ssize_t each,
                     Py_ssize_t n) noexcept nogil:
    """Copy scores, -inf where they are not allowed, and their exponentials; a flag is for ``each`` scores in a row."""
    cdef Py_ssize_t i
    for i in range(n):
        table[i] = x[i] if allowed[i // each] else -INFINITY
    memcpy(exponentials, table, n * sizeof(double))
    exp_all(exponentials, n)


cdef uint8_t *copy_flags(flags, Arena *arena) except NULL:
    cdef const uint8_t[::1] view = np.ascontiguousarray(flags, dtype=bool).view(np.uint8).reshape(-1)
    cdef uint8_t *out = <uint8_t *> take(arena, view.shape[0])
    memcpy(out, &view[0], view.shape[0])
    return out


cdef double *copied(const double *x, double *to, Py_ssize_t n) noexcept nogil:
    """A copy of some numbers; NULL where there are none."""
    if x == NULL:
        return NULL
    memcpy(to, x, n * sizeof(double))
    return to


cdef double *lay_out_steps(Steps *steps, double *work, Py_ssize_t n, Py_ssize_t N) noexcept nogil:
    """Lay out the tables of a recurrence in memory; returns where they end."""
    steps.A = work
    steps.B = steps.A + n * N
    steps.now = steps.B + n * N
    steps.next = steps.now + N
    steps.b = steps.next + N
    steps.y = steps.b + N
    return steps.y + N


cdef inline double take_max(double *x, Py_ssize_t n) noexcept nogil:
    """Subtract the maximum, and return it."""
    cdef double top = max_of(x, n)
    cdef Py_ssize_t k
    if not isfinite(top):
        top = 0
    for k in range(n):
        x[k] -= top
    return top


cdef inline double sum_of(const double *x, Py_ssize_t n) noexcept nogil:
    """Four running sums, so that additions need not wait for each other."""
    cdef double a = 0, b = 0, c = 0, d = 0
    cdef Py_ssize_t k = 0
    while k + 4 <= n:
        a += x[k]
        b += x[k + 1]
        c += x[k + 2]
        d += x[k + 3]
        k += 4
    while k < n:
        a += x[k]
        k += 1
    return (a + b) + (c + d)
