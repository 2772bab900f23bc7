"""First-order projective trees (Eisner 2000): the best one, and the sum over all of them with its marginals.

Words count from 1 and 0 is the root, which has exactly one child. With C complete and I incomplete half-spans, headed
at the left end (right-ward, R) or at the right end (L), and s(h, m) the score of an arc:

    base(i, j)  = sum over r, i <= r < j, of C_R(i, r) * C_L(r + 1, j)      for i = 0 only r = 0: one child
    I_R(i, j)   = base(i, j) * s(i, j)              I_L(i, j) = base(i, j) * s(j, i)
    C_R(i, j)   = sum over r, i < r <= j, of I_R(i, r) * C_R(r, j)
    C_L(i, j)   = sum over r, i <= r < j, of C_L(i, r) * I_L(r, j)

The best tree reads sum as max and * as +; the partition function reads them as log-sum-exp and +.
"""

from libc.math cimport INFINITY, exp, log
from libc.stdlib cimport free

import numpy as np

from plait.core._arrays cimport allocated
from plait.core._lattice cimport log_add


cdef struct Spans:
    Py_ssize_t size     # words and the root; item (i, j) is at i * size + j
    double *cr          # C_R
    double *cl          # C_L
    double *ir          # I_R
    double *il          # I_L


cdef int make_spans(Spans *spans, Py_ssize_t size) except -1:
    cdef Py_ssize_t i
    spans.size = size
    spans.cr = <double *> allocated(4 * size * size * sizeof(double))
    spans.cl = spans.cr + size * size
    spans.ir = spans.cl + size * size
    spans.il = spans.ir + size * size
    for i in range(4 * size * size):
        spans.cr[i] = -INFINITY
    for i in range(size):
        spans.cr[i * size + i] = 0
        spans.cl[i * size + i] = 0
    return 0


cdef struct Max:        # the best: max, +
    double top


cdef struct LogSum:     # all: log-sum-exp, +; the sum so far is exp(top) * rest
    double top
    double rest


ctypedef fused Algebra:
    Max
    LogSum


cdef inline void clear(Algebra *sum) noexcept nogil:
    sum.top = -INFINITY
    if Algebra is LogSum:
        sum.rest = 0


cdef inline void put(Algebra *sum, double x) noexcept nogil:
    if Algebra is Max:
        if x > sum.top:
            sum.top = x
    else:
        if x == -INFINITY:
            return
        if x <= sum.top:
            sum.rest += exp(x - sum.top)
        else:
            sum.rest = sum.rest * exp(sum.top - x) + 1 if sum.top > -INFINITY else 1
            sum.top = x


cdef inline double value(const Algebra *sum) noexcept nogil:
    if Algebra is Max:
        return sum.top
    else:
        return sum.top + log(sum.rest) if sum.rest > 0 else -INFINITY


cdef void fill(Algebra *sum, Spans *s, const double *score) noexcept nogil:
    """The recurrence, with the algebra as its parameter; ``sum`` is scratch."""
    cdef Py_ssize_t n = s.size, w, i, j, r
    cdef double base
    for w in range(1, n):
        for i in range(n - w):
            j = i + w
            clear(sum)
            for r in range(i, j if i > 0 else 1):
                put(sum, s.cr[i * n + r] + s.cl[(r + 1) * n + j])
            base = value(sum)
            s.ir[i * n + j] = base + score[i * n + j]
            s.il[i * n + j] = base + score[j * n + i] if i > 0 else -INFINITY
            clear(sum)
            for r in range(i + 1, j + 1):
                put(sum, s.ir[i * n + r] + s.cr[r * n + j])
            s.cr[i * n + j] = value(sum)
            clear(sum)
            for r in range(i, j if i > 0 else i):
                put(sum, s.cl[i * n + r] + s.il[r * n + j])
            s.cl[i * n + j] = value(sum)


cdef void fill_outside(const Spans *s, Spans *o, const double *score) noexcept nogil:
    """Log outside scores of all items; those of empty spans (i, i) are not needed and not written."""
    cdef Py_ssize_t n = s.size, w, i, j, r
    cdef double out, above
    for i in range(n):
        o.cr[i * n + i] = -INFINITY
        o.cl[i * n + i] = -INFINITY
    o.cr[n - 1] = 0
    for w in range(n - 1, 0, -1):
        for i in range(n - w):
            j = i + w
            out = o.cr[i * n + j]
            if out > -INFINITY:
                for r in range(i + 1, j + 1):
                    o.ir[i * n + r] = log_add(o.ir[i * n + r], out + s.cr[r * n + j])
                    if r < j:
                        o.cr[r * n + j] = log_add(o.cr[r * n + j], out + s.ir[i * n + r])
            out = o.cl[i * n + j]
            if i > 0 and out > -INFINITY:
                for r in range(i, j):
                    o.il[r * n + j] = log_add(o.il[r * n + j], out + s.cl[i * n + r])
                    if r > i:
                        o.cl[i * n + r] = log_add(o.cl[i * n + r], out + s.il[r * n + j])
            above = o.ir[i * n + j] + score[i * n + j]
            if i > 0:
                above = log_add(above, o.il[i * n + j] + score[j * n + i])
            if above == -INFINITY:
                continue
            for r in range(i, j if i > 0 else 1):
                if r > i:
                    o.cr[i * n + r] = log_add(o.cr[i * n + r], above + s.cl[(r + 1) * n + j])
                if r + 1 < j:
                    o.cl[(r + 1) * n + j] = log_add(o.cl[(r + 1) * n + j], above + s.cr[i * n + r])


cdef inline Py_ssize_t best_split(const double *a, const double *b, Py_ssize_t step, Py_ssize_t first,
                                  Py_ssize_t last) noexcept nogil:
    """The first r in first .. last - 1 with the largest a[r] + b[r * step]."""
    cdef Py_ssize_t r, best = first
    for r in range(first + 1, last):
        if a[r] + b[r * step] > a[best] + b[best * step]:
            best = r
    return best


cdef void trace(const Spans *s, Py_ssize_t i, Py_ssize_t j, int kind, int *head) noexcept nogil:
    """Trace back the best tree; kind 0: C_R, 1: C_L, 2: the base of an arc between i and j."""
    cdef Py_ssize_t n = s.size, best
    while i < j:
        if kind == 0:
            best = best_split(s.ir + i * n, s.cr + j, n, i + 1, j + 1)
            head[best] = <int> i
            trace(s, i, best, 2, head)
            i = best
        elif kind == 1:
            best = best_split(s.cl + i * n, s.il + j, n, i, j)
            head[best] = <int> j
            trace(s, best, j, 2, head)
            j = best
        else:
            best = best_split(s.cr + i * n, s.cl + n + j, n, i, j if i > 0 else 1)
            trace(s, i, best, 0, head)
            kind, i = 1, best + 1


cdef int check(const double[:, ::1] score) except -1:
    if score.shape[0] != score.shape[1] or score.shape[0] < 1:
        raise ValueError(f"arc scores are {score.shape[0]} by {score.shape[1]}; expected a square, row 0 the root")
    return 0


def best_tree(const double[:, ::1] score not None):
    """(heads of the words 1, 2, ..., score) of the best projective tree; score[h, m], −inf forbids an arc.

    >>> import numpy as np
    >>> best_tree(np.array([[0, 1, 2.0], [0, 0, 3], [0, 4, 0]]))
    ([2, 0], 6.0)

    The score is −inf if there is no tree.
    """
    cdef Spans s
    cdef Max scratch
    cdef Py_ssize_t n
    cdef double total
    check(score)
    n = score.shape[0]
    heads = np.zeros(n, dtype=np.intc)
    cdef int[::1] head = heads
    make_spans(&s, n)
    with nogil:
        fill(&scratch, &s, &score[0, 0])
        total = s.cr[n - 1]
        if total > -INFINITY:
            trace(&s, 0, n - 1, 0, &head[0])
    free(s.cr)
    return heads[1:].tolist(), total


def marginals(const double[:, ::1] score not None):
    """(log Z, P[h, m]) over all projective trees: inside-outside in log space."""
    cdef Spans s, o
    cdef LogSum scratch
    cdef Py_ssize_t n, h, m
    cdef double z, item
    check(score)
    n = score.shape[0]
    found = np.zeros((n, n))
    cdef double[:, ::1] p = found
    make_spans(&s, n)
    try:
        make_spans(&o, n)
    except MemoryError:
        free(s.cr)
        raise
    with nogil:
        fill(&scratch, &s, &score[0, 0])
        z = s.cr[n - 1]
        if z > -INFINITY:
            fill_outside(&s, &o, &score[0, 0])
            for h in range(n):
                for m in range(1, n):
                    if h < m:
                        item = s.ir[h * n + m] + o.ir[h * n + m]
                    elif m < h:
                        item = s.il[m * n + h] + o.il[m * n + h]
                    else:
                        continue
                    if item > -INFINITY:
                        p[h, m] = exp(item - z)
    free(s.cr)
    free(o.cr)
    return z, found
