"""The doors of the chart: probabilities, the best labelling and the n best, for scores given as arrays.

Scores of n items are s [n][S], t [n][T], st [n][S][T], ss [n][S][S], tt [n][T][T]; the last three may be None, and -inf
forbids a label at an item. A *bonus* is a stretch of labels that is worth more when it is taken as a whole.
"""

from libc.math cimport INFINITY, NAN, exp, log
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

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


def probabilities(Chart chart not None, s, t, st=None, ss=None, tt=None, bint logs=False, stretches=(),
                  bint pairs=True):
    """(log Z, probabilities): of labels and pairs at every item, and the sums of start, sts and tst over all items.

    Without ``pairs`` only those of s, t, st and start: faster when there are many tags.

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
    cdef Py_ssize_t size = n if pairs else 1
    cdef double[:, :, ::1] mst = np.zeros((n, S, T)), mss = np.zeros((size, S, S)), mtt = np.zeros((size, T, T))
    cdef double[:, :, ::1] sts = np.zeros((S, S, T)), tst = np.zeros((S, T, T))
    if n == 0:
        return 0.0, {}
    cdef double[:, :, ::1] forward = np.zeros((n, S, T)), backward = np.zeros((n, S, T))
    cdef double[::1] scale = np.zeros(n)
    m = Marginals(&ms[0, 0], &mt[0, 0], &mst[0, 0, 0], &mss[0, 0, 0], &mtt[0, 0, 0],
                  &start[0, 0], &sts[0, 0, 0], &tst[0, 0, 0], &forward[0, 0, 0], &backward[0, 0, 0], &scale[0])
    if not pairs:
        m.ss = m.tt = m.sts = m.tst = NULL
    cdef Workspace work = Workspace()
    cdef double *room = work.take(chart.room(&x, n))
    with nogil:
        log_z = chart.log_sum_product(&x, n, &m, room) if logs else chart.sum_product(&x, n, &m, room)
    if not np.isfinite(log_z):
        return log_z, {}
    names = ("s", "t", "st", "ss", "tt", "start", "sts", "tst")
    found = dict(zip(names, map(np.asarray, (ms, mt, mst, mss, mtt, start, sts, tst))))
    if not pairs:
        for name in ("ss", "tt", "sts", "tst"):
            del found[name]
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


# Scores in single precision, as Scores in _chart.
cdef struct Scores32:
    const float *s
    const float *t
    const float *st
    const float *ss
    const float *tt


# Bonuses, sorted by the item they end at.
cdef struct Bonuses:
    Py_ssize_t count
    const int32_t *start    # [count]: first item
    const int32_t *end      # [count]: last item
    const int32_t *at       # [count + 1]: where the labels of each begin in the next
    const int32_t *state    # s * T + t
    const float *value      # [count]


def best(Chart chart not None, const float[:, ::1] s, const float[:, ::1] t, st=None, ss=None, tt=None, bonuses=()):
    """(s labels, t labels, score) of the best labelling, in single precision; score -inf when none is allowed.

    ``bonuses`` are (start, [(s, t), ...], value): a labelling that holds these labels from ``start`` on, one for each
    item, gains the value, if it is positive. The last label of a bonus must differ from the first of every other.
    """
    cdef Py_ssize_t n = s.shape[0], S = chart.S, T = chart.T
    if t.shape[0] != n or (n > 0 and (s.shape[1] != S or t.shape[1] != T)):
        raise ValueError("scores of another shape")
    s_best, t_best = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32)
    if n == 0:
        return s_best, t_best, 0.0
    for array, shape in ((st, (n, S, T)), (ss, (n, S, S)), (tt, (n, T, T))):
        if array is not None and np.shape(array) != shape:
            raise ValueError(f"scores of shape {np.shape(array)}; expected {shape}")
    cdef int32_t[::1] s_out = s_best, t_out = t_best
    cdef const float[:, :, ::1] view
    cdef Scores32 x
    cdef Bonuses extra
    cdef double score
    x.s, x.t, x.st, x.ss, x.tt = &s[0, 0], &t[0, 0], NULL, NULL, NULL
    if st is not None:
        view = st
        x.st = &view[0, 0, 0]
    if ss is not None:
        view = ss
        x.ss = &view[0, 0, 0]
    if tt is not None:
        view = tt
        x.tt = &view[0, 0, 0]
    kept = [(at + len(labels) - 1, at, labels, value) for at, labels, value in bonuses
            if value > 0 and labels and 0 <= at and at + len(labels) <= n]
    kept.sort(key=lambda item: item[:2])
    cdef const int32_t[::1] starts = np.array([at for _, at, _, _ in kept] or [0], dtype=np.int32)
    cdef const int32_t[::1] ends = np.array([end for end, _, _, _ in kept] or [0], dtype=np.int32)
    cdef const int32_t[::1] places = np.cumsum([0, *(len(labels) for _, _, labels, _ in kept)], dtype=np.int32)
    cdef const int32_t[::1] states = np.array([a * T + b for _, _, labels, _ in kept for a, b in labels] or [0],
                                              dtype=np.int32)
    cdef const float[::1] values = np.array([value for _, _, _, value in kept] or [0], dtype=np.float32)
    extra = Bonuses(len(kept), &starts[0], &ends[0], &places[0], &states[0], &values[0])
    with nogil:
        score = viterbi(chart, &x, n, &extra, &s_out[0], &t_out[0])
    if score != score:
        raise MemoryError()
    return s_best, t_best, score


cdef double viterbi(Chart chart, const Scores32 *x, Py_ssize_t n, const Bonuses *extra, int32_t *s_out,
                    int32_t *t_out) noexcept nogil:
    """The score of the best labelling, which goes to s_out and t_out; NaN when there is no memory."""
    cdef Py_ssize_t S = chart.S, T = chart.T, N = S * T, i, a, b, k, state, bonus = 0, at
    cdef float *A = <float *> malloc((n * N + N) * sizeof(float))
    cdef float *B = A + n * N
    cdef int32_t *back_t = <int32_t *> malloc(3 * n * N * sizeof(int32_t))
    cdef int32_t *back_s = back_t + n * N
    cdef int32_t *jump = back_s + n * N     # number of the bonus + 1 that a label ends
    cdef float v
    cdef double score
    cdef float *here
    if A == NULL or back_t == NULL:
        free(A)
        free(back_t)
        return NAN
    if extra.count > 0:
        memset(jump, 0, n * N * sizeof(int32_t))
    for i in range(n):
        here = A + i * N
        for a in range(S):
            if i == 0:
                for b in range(T):
                    here[a * T + b] = <float> chart.start[a * T + b] + x.s[a]
            else:
                chain_s(chart, x, i, a, A, B + a * T, back_s + i * N + a * T)
                if chart.stays[a]:
                    for b in range(T):
                        v = B[a * T + b] + chart.tst32[(a * T + b) * T + b]
                        if x.tt != NULL:
                            v += x.tt[(i * T + b) * T + b]
                        here[a * T + b] = v
                        back_t[i * N + a * T + b] = <int32_t> b
                else:
                    max_step(here + a * T, back_t + i * N + a * T, B + a * T,
                             x.tt + i * T * T if x.tt != NULL else NULL, chart.tst32 + a * T * T, T)
            for b in range(T):
                here[a * T + b] += x.t[i * T + b]
        if x.st != NULL:
            for k in range(N):
                here[k] += x.st[i * N + k]
        while bonus < extra.count and extra.end[bonus] == i:
            at = extra.start[bonus]
            v = A[at * N + extra.state[extra.at[bonus]]]
            for k in range(1, extra.at[bonus + 1] - extra.at[bonus]):
                v += edge(chart, x, at + k, extra.state[extra.at[bonus] + k - 1], extra.state[extra.at[bonus] + k])
            v += extra.value[bonus]
            state = extra.state[extra.at[bonus + 1] - 1]
            if v > here[state]:
                here[state] = v
                jump[i * N + state] = <int32_t> (bonus + 1)
            bonus += 1
    state = -1
    for k in range(N):
        if chart.end[k] and (state < 0 or A[(n - 1) * N + k] > A[(n - 1) * N + state]):
            state = k
    score = A[(n - 1) * N + state] if state >= 0 else -INFINITY
    i = n - 1
    while i >= 0 and state >= 0:
        if extra.count > 0 and jump[i * N + state] > 0:
            bonus = jump[i * N + state] - 1
            for k in range(extra.at[bonus], extra.at[bonus + 1]):
                at = extra.start[bonus] + k - extra.at[bonus]
                s_out[at] = <int32_t> (extra.state[k] // T)
                t_out[at] = <int32_t> (extra.state[k] % T)
            i = extra.start[bonus]
            state = extra.state[extra.at[bonus]]
        a, b = state // T, state % T
        s_out[i] = <int32_t> a
        t_out[i] = <int32_t> b
        if i > 0:
            k = back_t[i * N + state]           # t'
            state = back_s[i * N + a * T + k] * T + k
        i -= 1
    free(A)
    free(back_t)
    return score


cdef inline void chain_s(Chart chart, const Scores32 *x, Py_ssize_t i, Py_ssize_t s, const float *A, float *B,
                         int32_t *back) noexcept nogil:
    """B(t', s) = s(i, s) + max over s' of A(s', t') + ss(i, s', s) + sts(s', t', s), for one s."""
    cdef Py_ssize_t S = chart.S, T = chart.T, r, t
    cdef const float *row
    cdef const double *step
    cdef float extra, v
    for t in range(T):
        B[t] = -INFINITY
        back[t] = 0
    for r in range(S):
        if not chart.pair[r * S + s]:
            continue
        row = A + ((i - 1) * S + r) * T
        step = chart.sts + (r * S + s) * T
        extra = x.ss[(i * S + r) * S + s] if x.ss != NULL else 0
        for t in range(T):
            v = row[t] + (<float> step[t] + extra)
            if v > B[t]:
                B[t] = v
                back[t] = <int32_t> r
    for t in range(T):
        B[t] += x.s[i * S + s]


cdef inline float edge(Chart chart, const Scores32 *x, Py_ssize_t i, Py_ssize_t before,
                       Py_ssize_t state) noexcept nogil:
    """The score of one step between whole labels."""
    cdef Py_ssize_t S = chart.S, T = chart.T, r = before // T, a = before % T, s = state // T, t = state % T
    cdef float v = <float> chart.sts[(r * S + s) * T + a] + chart.tst32[(s * T + a) * T + t]
    v += x.s[i * S + s] + x.t[i * T + t]
    if x.ss != NULL:
        v += x.ss[(i * S + r) * S + s]
    if x.tt != NULL:
        v += x.tt[(i * T + a) * T + t]
    if x.st != NULL:
        v += x.st[i * S * T + state]
    return v


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
