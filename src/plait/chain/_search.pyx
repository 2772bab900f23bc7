"""The doors of the chart: probabilities, the best labelling and the n best, for scores given as arrays.

Scores of n items are s [n][S], t [n][T], st [n][S][T], ss [n][S][S], tt [n][T][T]; the last three may be None, and -inf
forbids a label at an item. A *bonus* is a stretch of labels that is worth more when it is taken as a whole.
"""

from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc, realloc

import numpy as np

from plait.chain._chart cimport Chart, Marginals, Scores, Workspace

cdef extern from "sums.h" nogil:
    void max_step(float *best, int32_t *back, const float *source, const float *M, const float *E, Py_ssize_t n)


cdef Scores point(Chart chart, s, t, st, ss, tt, list keep) except *:
    """The arrays as pointers; copies that were needed are kept alive in ``keep``."""
    cdef Scores x
    cdef Py_ssize_t n = len(s), S = chart.S, T = chart.T
    shapes = [(s, (n, S)), (t, (n, T)), (st, (n, S, T)), (ss, (n, S, S)), (tt, (n, T, T))]
    addresses = []
    for array, shape in shapes:
        if array is None:
            addresses.append(None)
            continue
        if np.shape(array) != shape:
            raise ValueError(f"scores of shape {np.shape(array)}; expected {shape}")
        flat = np.ascontiguousarray(array, dtype=np.float64).reshape(-1)
        keep.append(flat)
        addresses.append(flat)
    x.s = address(addresses[0])
    x.t = address(addresses[1])
    x.st = address(addresses[2])
    x.ss = address(addresses[3])
    x.tt = address(addresses[4])
    return x


cdef double *address(flat) except? NULL:
    if flat is None or len(flat) == 0:
        return NULL
    cdef double[::1] view = flat
    return &view[0]


def probabilities(Chart chart not None, s, t, st=None, ss=None, tt=None, bint logs=False, stretches=()):
    """(log Z, probabilities): of labels and pairs at every item, and the sums of start, sts and tst over all items.

    ``stretches`` are (start, [(s, t), ...]): "stretches" are the probabilities that these labels stand there, one by
    one from ``start`` on. ``logs`` asks for the slow and safe way. log Z is -inf when no labelling is allowed;
    probabilities are then {}.
    """
    cdef Py_ssize_t n = len(s), S = chart.S, T = chart.T
    cdef list keep = []
    cdef Scores x = point(chart, s, t, st, ss, tt, keep)
    cdef Marginals m
    cdef double log_z
    cdef double[:, ::1] ms = np.zeros((n, S)), mt = np.zeros((n, T)), start = np.zeros((S, T))
    cdef double[:, :, ::1] mst = np.zeros((n, S, T)), mss = np.zeros((n, S, S)), mtt = np.zeros((n, T, T))
    cdef double[:, :, ::1] sts = np.zeros((S, S, T)), tst = np.zeros((S, T, T))
    if n == 0:
        return 0.0, {}
    cdef double[:, :, ::1] forward = np.zeros((n, S, T)), backward = np.zeros((n, S, T))
    cdef double[::1] scale = np.zeros(n)
    m = Marginals(&ms[0, 0], &mt[0, 0], &mst[0, 0, 0], &mss[0, 0, 0], &mtt[0, 0, 0],
                  &start[0, 0], &sts[0, 0, 0], &tst[0, 0, 0], &forward[0, 0, 0], &backward[0, 0, 0], &scale[0])
    cdef Workspace work = Workspace()
    cdef double *room = work.take(chart.room(&x, n))
    with nogil:
        log_z = chart.log_sum_product(&x, n, &m, room) if logs else chart.sum_product(&x, n, &m, room)
    if not np.isfinite(log_z):
        return log_z, {}
    names = ("s", "t", "st", "ss", "tt", "start", "sts", "tst")
    found = dict(zip(names, map(np.asarray, (ms, mt, mst, mss, mtt, start, sts, tst))))
    cdef Py_ssize_t at, k, a, b, before_a, before_b
    cdef double v
    chances = []
    for at, labels in stretches:
        a, b = labels[0]
        v = log(forward[at, a, b]) if forward[at, a, b] > 0 else -INFINITY
        for k in range(1, len(labels)):
            before_a, before_b = a, b
            a, b = labels[k]
            v += chart.phi(&x, at + k, before_a, before_b, a) + chart.psi(&x, at + k, before_b, a, b) - scale[at + k]
        chances.append(min(1.0, exp(v) * backward[at + len(labels) - 1, a, b]))
    found["stretches"] = np.array(chances)
    return log_z, found


def partition(Chart chart not None, s, t, st=None, ss=None, tt=None):
    """log Z alone."""
    cdef Py_ssize_t n = len(s)
    cdef list keep = []
    if n == 0:
        return 0.0
    cdef Scores x = point(chart, s, t, st, ss, tt, keep)
    cdef Workspace work = Workspace()
    cdef double *room = work.take(chart.room(&x, n))
    cdef double log_z
    with nogil:
        log_z = chart.sum_product(&x, n, NULL, room)
    return log_z


def labelling_score(Chart chart not None, const int32_t[::1] s_path, const int32_t[::1] t_path, s, t, st=None, ss=None,
                    tt=None):
    """The score of one labelling; -inf when it is forbidden."""
    cdef list keep = []
    cdef Scores x = point(chart, s, t, st, ss, tt, keep)
    if s_path.shape[0] != len(s) or t_path.shape[0] != len(s):
        raise ValueError("labels for another length")
    return 0.0 if len(s) == 0 else chart.path_score(&x, len(s), &s_path[0], &t_path[0])


def best(Chart chart not None, const float[:, ::1] s, const float[:, ::1] t, st=None, ss=None, tt=None, bonuses=()):
    """(s labels, t labels, score) of the best labelling, in single precision; score -inf when none is allowed.

    ``bonuses`` are (start, [(s, t), ...], value): a labelling that holds these labels from ``start`` on, one for each
    item, gains the value, if it is positive. The last label of a bonus must differ from the first of every other.
    """
    cdef Py_ssize_t n = s.shape[0], S = chart.S, T = chart.T, N = S * T, i, a, b, k, r, at, state
    if t.shape[0] != n or (n > 0 and (s.shape[1] != S or t.shape[1] != T)):
        raise ValueError("scores of another shape")
    s_best, t_best = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32)
    if n == 0:
        return s_best, t_best, 0.0
    cdef int32_t[::1] s_out = s_best, t_out = t_best
    cdef const float[:, :, ::1] st_view = st if st is not None else np.zeros((0, 0, 0), dtype=np.float32)
    cdef const float[:, :, ::1] ss_view = ss if ss is not None else np.zeros((0, 0, 0), dtype=np.float32)
    cdef const float[:, :, ::1] tt_view = tt if tt is not None else np.zeros((0, 0, 0), dtype=np.float32)
    cdef bint has_st = st is not None, has_ss = ss is not None, has_tt = tt is not None
    cdef float *A = <float *> malloc((n * N + 2 * N) * sizeof(float))
    cdef float *B = A + n * N
    cdef int32_t *back_t = <int32_t *> malloc(2 * n * N * sizeof(int32_t))
    cdef int32_t *back_s = back_t + n * N
    cdef float v, f, top
    cdef double score = 0
    if A == NULL or back_t == NULL:
        free(A)
        free(back_t)
        raise MemoryError()
    # bonuses, by the item they end at
    ending = {}
    for number, (at, labels, value) in enumerate(bonuses):
        if value > 0 and labels and 0 <= at and at + len(labels) <= n:
            ending.setdefault(at + len(labels) - 1, []).append(number)
    jumps = {}
    cdef bint has_jumps = bool(ending)
    for i in range(n):
        if i == 0:
            for a in range(S):
                for b in range(T):
                    A[a * T + b] = <float> chart.start[a * T + b] + s[0, a] + t[0, b]
        else:
            for a in range(S):
                for b in range(T):
                    top = -INFINITY
                    back_s[i * N + a * T + b] = 0
                    for r in range(S):
                        if not chart.pair[r * S + a]:
                            continue
                        v = A[(i - 1) * N + r * T + b] + <float> chart.sts[(r * S + a) * T + b]
                        if has_ss:
                            v += ss_view[i, r, a]
                        if v > top:
                            top = v
                            back_s[i * N + a * T + b] = <int32_t> r
                    B[a * T + b] = top + s[i, a]
                if chart.stays[a]:
                    for b in range(T):
                        v = B[a * T + b] + chart.tst32[(a * T + b) * T + b]
                        if has_tt:
                            v += tt_view[i, b, b]
                        A[i * N + a * T + b] = v
                        back_t[i * N + a * T + b] = <int32_t> b
                else:
                    max_step(A + i * N + a * T, back_t + i * N + a * T, B + a * T,
                             &tt_view[i, 0, 0] if has_tt else NULL, chart.tst32 + a * T * T, T)
                for b in range(T):
                    A[i * N + a * T + b] += t[i, b]
        if has_st:
            for a in range(S):
                for b in range(T):
                    A[i * N + a * T + b] += st_view[i, a, b]
        if has_jumps and i in ending:
            for number in ending[i]:
                at, labels, value = bonuses[number]
                a, b = labels[0]
                f = A[at * N + a * T + b]
                for k in range(1, len(labels)):
                    r = a
                    state = b
                    a, b = labels[k]
                    f += <float> chart.sts[(r * S + a) * T + state] + s[at + k, a] + t[at + k, b]
                    f += chart.tst32[(a * T + state) * T + b]
                    if has_ss:
                        f += ss_view[at + k, r, a]
                    if has_tt:
                        f += tt_view[at + k, state, b]
                    if has_st:
                        f += st_view[at + k, a, b]
                f += <float> value
                if f > A[i * N + a * T + b]:
                    A[i * N + a * T + b] = f
                    jumps[i, a * T + b] = number
    state = -1
    for k in range(N):
        if chart.end[k] and (state < 0 or A[(n - 1) * N + k] > A[(n - 1) * N + state]):
            state = k
    score = A[(n - 1) * N + state] if state >= 0 else -INFINITY
    i = n - 1
    while i >= 0 and state >= 0:
        a, b = state // T, state % T
        if has_jumps and (i, state) in jumps:
            at, labels, value = bonuses[jumps[i, state]]
            for k in range(len(labels)):
                s_out[at + k], t_out[at + k] = labels[k]
            i = at
            a, b = labels[0]
            state = a * T + b
        s_out[i] = <int32_t> a
        t_out[i] = <int32_t> b
        if i > 0:
            k = back_t[i * N + state]           # t'
            state = back_s[i * N + a * T + k] * T + k
        i -= 1
    free(A)
    free(back_t)
    return s_best, t_best, score


# A labelling in the making, for n-best: its last label, where it came from, and its score so far.
cdef struct Partial:
    Py_ssize_t parent
    int32_t item
    int32_t state
    double score
    double hope     # score + the best that can still be added: exact, so that the search never errs


cdef struct Heap:
    Py_ssize_t *places
    Py_ssize_t size, room


def best_n(Chart chart not None, Py_ssize_t count, s, t, st=None, ss=None, tt=None):
    """The ``count`` best labellings (fewer when there are not as many), best first, as (s labels, t labels, score).

    Best-first search over prefixes, with the best completion of each label as what may still be hoped for: the
    labellings come out in order, and hardly anything else is looked at.
    """
    cdef Py_ssize_t n = len(s), S = chart.S, T = chart.T, N = S * T, i, a, b, r, k, state, at, used = 0, room = 1024
    cdef list keep = []
    if n == 0:
        return [(np.zeros(0, np.int32), np.zeros(0, np.int32), 0.0)]
    cdef Scores x = point(chart, s, t, st, ss, tt, keep)
    completion = np.full((n, N), -np.inf)
    half = np.full(N, -np.inf)
    cdef double[:, ::1] H = completion
    cdef double[::1] h = half
    cdef double v
    cdef Heap heap
    for state in range(N):
        if chart.end[state]:
            H[n - 1, state] = 0
    with nogil:
        for i in range(n - 1, 0, -1):
            for a in range(S):
                for r in range(T):
                    h[a * T + r] = -INFINITY
                    for b in range(T):
                        if chart.triple[(a * T + r) * T + b]:
                            v = chart.psi(&x, i, r, a, b) + H[i, a * T + b]
                            if v > h[a * T + r]:
                                h[a * T + r] = v
            for r in range(S):
                for b in range(T):
                    for a in range(S):
                        v = chart.phi(&x, i, r, b, a) + h[a * T + b]
                        if v > H[i - 1, r * T + b]:
                            H[i - 1, r * T + b] = v
    cdef Partial *partials = <Partial *> malloc(room * sizeof(Partial))
    heap.places = <Py_ssize_t *> malloc(room * sizeof(Py_ssize_t))
    heap.size = 0
    heap.room = room
    if partials == NULL or heap.places == NULL:
        free(partials)
        free(heap.places)
        raise MemoryError()
    found = []
    try:
        for state in range(N):
            a, b = state // T, state % T
            v = chart.start[state] + x.s[a] + x.t[b]
            if x.st != NULL:
                v += x.st[state]
            if v + H[0, state] == -INFINITY:
                continue
            partials, room = grow(partials, used, room)
            partials[used] = Partial(-1, 0, <int32_t> state, v, v + H[0, state])
            push(&heap, partials, used)
            used += 1
        while heap.size > 0 and len(found) < count:
            at = pop(&heap, partials)
            i = partials[at].item
            if i == n - 1:
                found.append(trace(partials, at, n, T))
                continue
            r, k = partials[at].state // T, partials[at].state % T
            for a in range(S):
                if not chart.pair[r * S + a]:
                    continue
                for b in range(T):
                    if H[i + 1, a * T + b] == -INFINITY or not chart.triple[(a * T + k) * T + b]:
                        continue
                    v = partials[at].score + chart.phi(&x, i + 1, r, k, a) + chart.psi(&x, i + 1, k, a, b)
                    if v == -INFINITY:
                        continue
                    partials, room = grow(partials, used, room)
                    partials[used] = Partial(at, <int32_t> (i + 1), <int32_t> (a * T + b), v, v + H[i + 1, a * T + b])
                    push(&heap, partials, used)
                    used += 1
    finally:
        free(partials)
        free(heap.places)
    return found


cdef (Partial *, Py_ssize_t) grow(Partial *partials, Py_ssize_t used, Py_ssize_t room) except *:
    if used < room:
        return partials, room
    cdef Partial *larger = <Partial *> realloc(partials, 2 * room * sizeof(Partial))
    if larger == NULL:
        raise MemoryError()
    return larger, 2 * room


cdef inline bint before(Partial *partials, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    """Equal hopes: the older one first, so that ties fall the same way always."""
    return partials[a].hope > partials[b].hope or (partials[a].hope == partials[b].hope and a < b)


cdef int push(Heap *heap, Partial *partials, Py_ssize_t place) except -1:
    cdef Py_ssize_t *larger
    cdef Py_ssize_t at = heap.size, up
    if at == heap.room:
        larger = <Py_ssize_t *> realloc(heap.places, 2 * heap.room * sizeof(Py_ssize_t))
        if larger == NULL:
            raise MemoryError()
        heap.places = larger
        heap.room *= 2
    heap.size += 1
    while at > 0:
        up = (at - 1) // 2
        if not before(partials, place, heap.places[up]):
            break
        heap.places[at] = heap.places[up]
        at = up
    heap.places[at] = place
    return 0


cdef Py_ssize_t pop(Heap *heap, Partial *partials) noexcept nogil:
    cdef Py_ssize_t top = heap.places[0], place, at = 0, child
    heap.size -= 1
    if heap.size == 0:
        return top
    place = heap.places[heap.size]
    while True:
        child = 2 * at + 1
        if child >= heap.size:
            break
        if child + 1 < heap.size and before(partials, heap.places[child + 1], heap.places[child]):
            child += 1
        if not before(partials, heap.places[child], place):
            break
        heap.places[at] = heap.places[child]
        at = child
    heap.places[at] = place
    return top


cdef trace(Partial *partials, Py_ssize_t at, Py_ssize_t n, Py_ssize_t T):
    s, t = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32)
    cdef int32_t[::1] s_out = s, t_out = t
    cdef double score = partials[at].score
    while at >= 0:
        s_out[partials[at].item] = <int32_t> (partials[at].state // T)
        t_out[partials[at].item] = <int32_t> (partials[at].state % T)
        at = partials[at].parent
    return s, t, score
