"""The Python interface of the chart: probabilities and the best labelling, for scores given as arrays.

Scores of n items are a dict of s [n][S], t [n][T], st [n][S][T], ss [n][S][S], tt [n][T][T]; the last three may be
missing or None, and -inf forbids a label at an item. A *bonus* raises the score of a span if it is labelled by one of
some *patterns*.
"""

from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t
from libc.stdlib cimport free
from libc.string cimport memset

import numpy as np

from plait.chain._chart cimport Chart, Marginals, Scores, Workspace

from plait.core._arrays cimport allocated
from plait.core._lattice cimport max_step


cdef list checked(Chart chart, scores, kind):
    """The arrays of scores, flat and of this kind; None where there is none."""
    cdef Py_ssize_t n = len(scores["s"]), S = chart.S, T = chart.T
    found = []
    for view, shape in (("s", (n, S)), ("t", (n, T)), ("st", (n, S, T)), ("ss", (n, S, S)), ("tt", (n, T, T))):
        array = scores.get(view)
        if array is not None and np.shape(array) != shape:
            raise ValueError(f"scores of shape {np.shape(array)}; expected {shape}")
        found.append(None if array is None else np.ascontiguousarray(array, dtype=kind).reshape(-1))
    return found


cdef Scores as_scores(Chart chart, scores, list keep) except *:
    """The arrays as pointers; ``keep`` keeps copies alive."""
    cdef double *numbers[5]
    cdef const double[::1] flat
    cdef Py_ssize_t k
    keep += checked(chart, scores, np.float64)
    for k in range(5):
        flat = keep[k]
        numbers[k] = <double *> &flat[0] if flat is not None and flat.shape[0] > 0 else NULL
    return Scores(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])


def probabilities(Chart chart not None, dict scores not None, *, bint logs=False, spans=(), bint pairs=True):
    """(log Z, probabilities): of labels and pairs at every item, and the sums of start, sts and tst over all items.

    Without ``pairs`` only those of s, t, st and start: faster when there are many tags.

    ``spans`` are (start, [(s, t), ...]): "spans" are the probabilities that the items from ``start`` on have these
    labels. ``logs`` forces the computation in log space. log Z is -inf if no labelling is allowed; probabilities are
    then {}.
    """
    cdef Py_ssize_t n = len(scores["s"]), S = chart.S, T = chart.T
    cdef list keep = []
    cdef Scores x = as_scores(chart, scores, keep)
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
    cdef double *numbers = work.reserve(chart.work_size(n, x.st != NULL, x.ss != NULL, x.tt != NULL))
    with nogil:
        log_z = chart.log_sum_product(&x, n, &m, numbers) if logs else chart.sum_product(&x, n, &m, numbers)
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
    for at, labels in spans:
        a, b = labels[0]
        v = log(forward[at, a, b]) if forward[at, a, b] > 0 else -INFINITY
        for k in range(1, len(labels)):
            before_a, before_b = a, b
            a, b = labels[k]
            v += chart.phi(&x, at + k, before_a, before_b, a) + chart.psi(&x, at + k, before_b, a, b) - scale[at + k]
        chances.append(min(1.0, exp(v) * backward[at + len(labels) - 1, a, b]))
    found["spans"] = np.array(chances)
    return log_z, found


def labelling_score(Chart chart not None, const int32_t[::1] s_path, const int32_t[::1] t_path, dict scores not None):
    """The score of one labelling; -inf when it is forbidden."""
    cdef list keep = []
    cdef Scores x = as_scores(chart, scores, keep)
    cdef Py_ssize_t n = len(scores["s"])
    if s_path.shape[0] != n or t_path.shape[0] != n:
        raise ValueError("labels for another length")
    return 0.0 if n == 0 else chart.path_score(&x, n, &s_path[0], &t_path[0])


# Scores in single precision, as Scores in _chart.
cdef struct Scores32:
    const float *s
    const float *t
    const float *st
    const float *ss
    const float *tt


# How a span is labelled: a single item by ``single``; otherwise first by the labels of ``head``, then by ``inside``,
# and by ``last`` at the end. A pattern is a row [single, inside, last, head...] of states s * T + t.
cdef struct Patterns:
    Py_ssize_t count, width     # width: 3 + labels in the head
    const int32_t *state        # [count][width]
    # prefix sums of the steps from inside to inside, so that a span of any length is scored in constant time
    double *run                 # [count][n], allowed steps
    int32_t *blocked            # [count][n], number of forbidden steps


# Spans with a bonus, sorted by their last item; each has the patterns from..to - 1.
cdef struct Bonuses:
    Py_ssize_t count
    const int32_t *start        # [count]: first item
    const int32_t *end          # [count]: last item
    const int32_t *from_        # [count]
    const int32_t *to           # [count]
    const float *value          # [count]


def best(Chart chart not None, dict scores not None, patterns=None, bonuses=None):
    """(s labels, t labels, score) of the best labelling, in single precision; score -inf when none is allowed.

    ``patterns`` is an array of rows [single, inside, last, head...] of labels s * T + t, and ``bonuses`` are five
    arrays (start, end, from, to, value): the score of a labelling in which the items from start to end - 1 are labelled
    by one of the patterns from..to - 1 is raised by the value, if it is positive. Patterns must differ in their last
    label, only a span of one item may begin with the last label of a pattern, and each span is listed once.
    """
    cdef Py_ssize_t n = len(scores["s"]), k
    s_best, t_best = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32)
    arrays = checked(chart, scores, np.float32)
    if n == 0:
        return s_best, t_best, 0.0
    cdef int32_t[::1] s_out = s_best, t_out = t_best
    cdef const float[::1] flat
    cdef const float *numbers[5]
    cdef double score
    for k in range(5):
        flat = arrays[k]
        numbers[k] = &flat[0] if flat is not None else NULL
    cdef Scores32 x = Scores32(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
    cdef Bonuses extra = Bonuses(0, NULL, NULL, NULL, NULL, NULL)
    cdef Patterns known = Patterns(0, 0, NULL, NULL, NULL)
    if bonuses is not None and len(bonuses[0]) > 0:
        rows, columns = checked_bonuses(patterns, bonuses, n, chart.S * chart.T)
        if len(columns[0]) > 0:
            known = as_patterns(rows)
            extra = as_bonuses(columns)
    with nogil:
        score = viterbi(chart, &x, n, &known, &extra, &s_out[0], &t_out[0])
    return s_best, t_best, score


cdef tuple checked_bonuses(patterns, bonuses, Py_ssize_t n, Py_ssize_t labels):
    """Contiguous arrays sorted by end, without zero bonuses; ValueError for numbers out of range."""
    rows = np.ascontiguousarray(patterns, dtype=np.int32)
    starts, ends, first, past = (np.asarray(column, dtype=np.int32) for column in bonuses[:4])
    values = np.asarray(bonuses[4], dtype=np.float32)
    if rows.ndim != 2 or rows.shape[1] < 4 or rows.min() < 0 or rows.max() >= labels:
        raise ValueError("patterns of unknown labels")
    if not all(len(column) == len(starts) for column in (ends, first, past, values)) or not np.isfinite(values).all():
        raise ValueError("bonuses of different lengths, or not finite")
    if (starts < 0).any() or (starts >= ends).any() or (ends > n).any():
        raise ValueError("a bonus outside the sequence")
    if (first < 0).any() or (past > len(rows)).any():
        raise ValueError("a bonus with unknown patterns")
    kept = np.flatnonzero(values > 0)
    kept = kept[np.argsort(ends[kept], kind="stable")]
    return rows, tuple(np.ascontiguousarray(c[kept]) for c in (starts, ends - 1, first, past, values))


cdef Patterns as_patterns(const int32_t[:, ::1] rows):
    return Patterns(rows.shape[0], rows.shape[1], &rows[0, 0], NULL, NULL)


cdef Bonuses as_bonuses(tuple columns):
    cdef const int32_t[::1] starts = columns[0], ends = columns[1], first = columns[2], past = columns[3]
    cdef const float[::1] values = columns[4]
    return Bonuses(len(values), &starts[0], &ends[0], &first[0], &past[0], &values[0])


cdef double viterbi(Chart chart, const Scores32 *x, Py_ssize_t n, Patterns *patterns, const Bonuses *extra,
                    int32_t *s_out, int32_t *t_out) except? -1 nogil:
    """The score of the best labelling, which is written to s_out and t_out."""
    cdef Py_ssize_t S = chart.S, T = chart.T, N = S * T, i, a, b, k, state, bonus = 0, at, runs = patterns.count * n
    cdef char *memory = <char *> allocated(runs * (sizeof(double) + sizeof(int32_t)) + (n * N + N) * sizeof(float)
                                           + 3 * n * N * sizeof(int32_t))
    cdef float *A = <float *> (memory + runs * (sizeof(double) + sizeof(int32_t)))
    cdef float *B = A + n * N
    cdef int32_t *back_t = <int32_t *> (B + N)
    cdef int32_t *back_s = back_t + n * N
    cdef int32_t *jump = back_s + n * N     # number + 1 of the bonus whose span ends with a label
    cdef float v
    cdef double score
    cdef float *here
    patterns.run = <double *> memory
    patterns.blocked = <int32_t *> (patterns.run + runs)
    if extra.count > 0:
        memset(jump, 0, n * N * sizeof(int32_t))
        sum_runs(chart, x, n, patterns)
    for i in range(n):
        here = A + i * N
        for a in range(S):
            if i == 0:
                for b in range(T):
                    here[a * T + b] = <float> chart.start[a * T + b] + x.s[a]
            else:
                chain_s(chart, x, i, a, A, B + a * T, back_s + i * N + a * T)
                if chart.keeps_tag[a]:
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
            for k in range(extra.from_[bonus], extra.to[bonus]):
                state = label_at(patterns, k, i - at, i - at + 1)
                v = (A[at * N + label_at(patterns, k, 0, i - at + 1)] + stretch_steps(chart, x, n, patterns, k, at, i)
                     + extra.value[bonus])
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
            at = extra.start[bonus]
            k = extra.from_[bonus]
            while label_at(patterns, k, i - at, i - at + 1) != state:
                k += 1
            for a in range(at, i + 1):
                state = label_at(patterns, k, a - at, i - at + 1)
                s_out[a] = <int32_t> (state // T)
                t_out[a] = <int32_t> (state % T)
            state = label_at(patterns, k, 0, i - at + 1)
            i = at
        a, b = state // T, state % T
        s_out[i] = <int32_t> a
        t_out[i] = <int32_t> b
        if i > 0:
            k = back_t[i * N + state]           # t'
            state = back_s[i * N + a * T + k] * T + k
        i -= 1
    free(memory)
    return score


cdef inline Py_ssize_t label_at(const Patterns *patterns, Py_ssize_t k, Py_ssize_t place,
                                Py_ssize_t length) noexcept nogil:
    """The label of one item of a span under pattern k."""
    cdef const int32_t *row = patterns.state + k * patterns.width
    if length == 1:
        return row[0]
    if place == length - 1:
        return row[2]
    return row[3 + place] if place < patterns.width - 3 else row[1]


cdef void sum_runs(Chart chart, const Scores32 *x, Py_ssize_t n, Patterns *patterns) noexcept nogil:
    cdef Py_ssize_t k, i, inside
    cdef double v
    for k in range(patterns.count):
        inside = patterns.state[k * patterns.width + 1]
        patterns.run[k * n] = 0
        patterns.blocked[k * n] = 0
        for i in range(1, n):
            v = edge(chart, x, i, inside, inside)
            patterns.run[k * n + i] = patterns.run[k * n + i - 1] + (v if v > -INFINITY else 0)
            patterns.blocked[k * n + i] = patterns.blocked[k * n + i - 1] + (v == -INFINITY)


cdef inline double stretch_steps(Chart chart, const Scores32 *x, Py_ssize_t n, const Patterns *patterns, Py_ssize_t k,
                                 Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """The steps between the labels of the items start..end under pattern k."""
    cdef Py_ssize_t length = end - start + 1, heads = patterns.width - 3, i
    cdef Py_ssize_t inside = min(start + heads, end)    # the first item that is labelled as inside, or the last one
    cdef double v = 0
    for i in range(start + 1, inside + 1):
        v += edge(chart, x, i, label_at(patterns, k, i - 1 - start, length), label_at(patterns, k, i - start, length))
    if inside < end:
        if patterns.blocked[k * n + end - 1] != patterns.blocked[k * n + inside]:
            return -INFINITY
        v += patterns.run[k * n + end - 1] - patterns.run[k * n + inside]
        v += edge(chart, x, end, label_at(patterns, k, length - 2, length), label_at(patterns, k, length - 1, length))
    return v


cdef inline void chain_s(Chart chart, const Scores32 *x, Py_ssize_t i, Py_ssize_t s, const float *A, float *B,
                         int32_t *back) noexcept nogil:
    """B(t', s) = s(i, s) + max over s' of A(s', t') + ss(i, s', s) + sts(s', t', s), for one s."""
    cdef Py_ssize_t S = chart.S, T = chart.T, r, t
    cdef const float *row
    cdef const float *step
    cdef float extra, v
    for t in range(T):
        B[t] = -INFINITY
        back[t] = 0
    for r in range(S):
        if not chart.pair[r * S + s]:
            continue
        row = A + ((i - 1) * S + r) * T
        step = chart.sts32 + (r * S + s) * T
        extra = x.ss[(i * S + r) * S + s] if x.ss != NULL else 0
        for t in range(T):      # branch-free, so that it is vectorized
            v = row[t] + (step[t] + extra)
            back[t] = <int32_t> r if v > B[t] else back[t]
            B[t] = v if v > B[t] else B[t]
    for t in range(T):
        B[t] += x.s[i * S + s]


cdef inline float edge(Chart chart, const Scores32 *x, Py_ssize_t i, Py_ssize_t before,
                       Py_ssize_t state) noexcept nogil:
    """The score of one step between states s * T + t."""
    cdef Py_ssize_t S = chart.S, T = chart.T, r = before // T, a = before % T, s = state // T, t = state % T
    cdef float v = chart.sts32[(r * S + s) * T + a] + chart.tst32[(s * T + a) * T + t]
    v += x.s[i * S + s] + x.t[i * T + t]
    if x.ss != NULL:
        v += x.ss[(i * S + r) * S + s]
    if x.tt != NULL:
        v += x.tt[(i * T + a) * T + t]
    if x.st != NULL:
        v += x.st[i * S * T + state]
    return v
