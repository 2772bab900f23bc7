"""The CRF objective: the negative log-likelihood of labelled sequences and its gradient, many threads, one result.

Work is done in two steps on a few batches of sequences at a time. First each batch is scored and its probabilities,
less the gold labels, are laid down; batches are independent. Then every thread takes a range of rows of the weights and
adds up what belongs to them, in the order of the data. No two threads write the same number, and the order of every sum
is fixed: the result is the same, bit by bit, for any number of threads.

Weights lie in one vector: start [S][T], sts [S'][S][T'], tst [S][T'][T], then the rows of the views s, t, st, ss, tt.
With one s there is no sts: it would be a second weight for what the weights tst of one t' have in common.
A row holds one weight for each label of its view, or only for those it was seen with; ``codes`` tells which.
"""

from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

import numpy as np

from plait.chain._chart cimport Chart, Marginals, Scores, Workspace

from plait.core._lattice cimport add_row

cdef enum:
    VIEWS = 5


cdef class Slot:
    """The probabilities of one batch, and memory for the work on one sequence."""

    cdef Workspace margins, scores, work, sums
    cdef Marginals m
    cdef Py_ssize_t first, last     # items of the batch
    cdef double loss

    def __cinit__(self):
        self.margins = Workspace()
        self.scores = Workspace()
        self.work = Workspace()
        self.sums = Workspace()


cdef class Objective:
    """Labelled sequences and their features; ``views`` is five (ids, starts) or None, in the order s t st ss tt.

    ``row_starts`` has, over the rows of all views in order, where the row begins in the weights; ``codes`` the label
    of each weight from ``row_starts[0]`` on, or nothing when all rows are whole. ``classes`` gives each item one of the
    restrictions ``mask_s`` and ``mask_t`` (rows of 0 and -inf).
    """

    cdef readonly Chart chart
    cdef readonly Py_ssize_t size       # of the weight vector
    cdef readonly Py_ssize_t rows
    cdef int64_t[::1] sentences         # [count + 1]: where each begins
    cdef int32_t[::1] gold_s, gold_t
    cdef uint8_t[::1] classes
    cdef double[:, ::1] mask_s, mask_t
    cdef list arrays                    # what the next two point into
    cdef int32_t *ids[VIEWS]
    cdef int64_t *starts[VIEWS]
    cdef int64_t first_row[VIEWS + 1]
    cdef Py_ssize_t width[VIEWS]
    cdef bint used[VIEWS]
    cdef int64_t[::1] row_starts
    cdef int32_t[::1] codes
    cdef int32_t[::1] touched           # [rows]: times in the present batches, for the stochastic step
    cdef int64_t[::1] times             # [rows]: in all data

    def __cinit__(self, Chart chart not None, sentences, gold_s, gold_t, classes, mask_s, mask_t, views, rows_of_view,
                  row_starts, codes, times):
        cdef Py_ssize_t S = chart.S, T = chart.T, v
        self.chart = chart
        self.sentences = sentences
        self.gold_s, self.gold_t = gold_s, gold_t
        self.classes, self.mask_s, self.mask_t = classes, mask_s, mask_t
        self.row_starts, self.codes, self.times = row_starts, codes, times
        self.arrays = []
        widths = (S, T, S * T, S * S, T * T)
        self.first_row[0] = 0
        for v in range(VIEWS):
            self.width[v] = widths[v]
            self.used[v] = views[v] is not None
            if views[v] is not None:
                ids, starts = views[v]
                self.arrays += [ids, starts]
                self.ids[v] = int_address(ids)
                self.starts[v] = long_address(starts)
            self.first_row[v + 1] = self.first_row[v] + rows_of_view[v]
        self.rows = self.first_row[VIEWS]
        self.size = row_starts[len(row_starts) - 1]
        self.touched = np.zeros(self.rows + 1, dtype=np.int32)

    def slots(self, Py_ssize_t count):
        """Memory for so many batches at a time."""
        return [Slot() for _ in range(count)]

    def bytes_per_item(self):
        """What the probabilities of one item take."""
        cdef Py_ssize_t S = self.chart.S, T = self.chart.T
        return 8 * (S + T + S * T + (S * S if self.used[3] else 0) + (T * T if self.used[4] else 0))

    def score_batch(self, Slot slot not None, const int64_t[::1] batch not None, const double[::1] w not None):
        """Probabilities less gold of the sequences with these numbers, into the slot."""
        cdef Py_ssize_t S = self.chart.S, T = self.chart.T, items = 0, k, longest = 0, n
        for k in range(batch.shape[0]):
            n = self.sentences[batch[k] + 1] - self.sentences[batch[k]]
            items += n
            longest = max(longest, n)
        cdef Py_ssize_t ss = S * S if self.used[3] else 0, tt = T * T if self.used[4] else 0
        cdef double *p = slot.margins.reserve(items * (S + T + S * T + ss + tt) + 1)
        slot.m.s = p
        slot.m.t = p + items * S
        slot.m.st = slot.m.t + items * T
        slot.m.ss = slot.m.st + items * S * T if ss else NULL
        slot.m.tt = slot.m.st + items * (S * T + ss) if tt else NULL
        p = slot.sums.reserve(self.row_starts[0])
        memset(p, 0, self.row_starts[0] * sizeof(double))
        slot.m.start = p
        slot.m.sts = p + S * T if S > 1 else NULL
        slot.m.tst = p + S * T + (S * S * T if S > 1 else 0)
        slot.scores.reserve(longest * (S + T + (S * T if self.used[2] else 0) + ss + tt) + 1)
        slot.work.reserve(self.chart.work_size(longest, self.used[2], self.used[3], self.used[4]))
        slot.loss = 0
        with nogil:
            items = 0
            for k in range(batch.shape[0]):
                n = self.sentences[batch[k] + 1] - self.sentences[batch[k]]
                if n > 0:
                    slot.loss += self.one(slot, self.sentences[batch[k]], n, items, &w[0])
                items += n
        return slot.loss

    cdef double one(self, Slot slot, Py_ssize_t first, Py_ssize_t n, Py_ssize_t place, const double *w) noexcept nogil:
        """log Z less the gold score of the sequence at ``first``; its probabilities go to ``place`` in the slot."""
        cdef Py_ssize_t S = self.chart.S, T = self.chart.T, i, k, s, t
        cdef Scores x
        cdef Marginals m = slot.m
        cdef double *p = slot.scores.numbers
        cdef double loss
        x.s = p
        x.t = x.s + n * S
        p = x.t + n * T
        x.st = p if self.used[2] else NULL
        p += n * S * T if self.used[2] else 0
        x.ss = p if self.used[3] else NULL
        p += n * S * S if self.used[3] else 0
        x.tt = p if self.used[4] else NULL
        self.add_scores(0, first, n, x.s, w)
        self.add_scores(1, first, n, x.t, w)
        self.add_scores(2, first, n, x.st, w)
        self.add_scores(3, first, n, x.ss, w)
        self.add_scores(4, first, n, x.tt, w)
        for i in range(n):
            k = self.classes[first + i]
            if k > 0:
                for s in range(S):
                    x.s[i * S + s] += self.mask_s[k, s]
                for t in range(T):
                    x.t[i * T + t] += self.mask_t[k, t]
        m.s += place * S
        m.t += place * T
        m.st += place * S * T
        if m.ss != NULL:
            m.ss += place * S * S
            memset(m.ss, 0, S * S * sizeof(double))
        if m.tt != NULL:
            m.tt += place * T * T
            memset(m.tt, 0, T * T * sizeof(double))
        loss = -self.chart.path_score(&x, n, &self.gold_s[first], &self.gold_t[first])
        loss += self.chart.sum_product(&x, n, &m, slot.work.numbers)
        for i in range(n):
            s = self.gold_s[first + i]
            t = self.gold_t[first + i]
            m.s[i * S + s] -= 1
            m.t[i * T + t] -= 1
            m.st[(i * S + s) * T + t] -= 1
            if i == 0:
                m.start[s * T + t] -= 1
                continue
            k = self.gold_t[first + i - 1]
            m.tst[(s * T + k) * T + t] -= 1
            if m.tt != NULL:
                m.tt[(i * T + k) * T + t] -= 1
            if m.sts != NULL:
                m.sts[(self.gold_s[first + i - 1] * S + s) * T + k] -= 1
            if m.ss != NULL:
                m.ss[(i * S + self.gold_s[first + i - 1]) * S + s] -= 1
        return loss

    cdef void add_scores(self, Py_ssize_t v, Py_ssize_t first, Py_ssize_t n, double *out,
                         const double *w) noexcept nogil:
        """out[i] = the sum of the rows of the view's features at each item."""
        cdef Py_ssize_t width = self.width[v], i, j
        cdef int64_t at, row, k, end, base = self.row_starts[0]
        cdef double *here
        if out == NULL:
            return
        memset(out, 0, n * width * sizeof(double))
        if not self.used[v]:
            return
        for i in range(n):
            here = out + i * width
            for j in range(self.starts[v][first + i], self.starts[v][first + i + 1]):
                row = self.first_row[v] + self.ids[v][j]
                at = self.row_starts[row]
                end = self.row_starts[row + 1]
                if end - at == width:
                    add_row(here, w + at, width)
                else:
                    for k in range(at, end):
                        here[self.codes[k - base]] += w[k]

    def collect(self, list slots not None, list batches not None, int64_t low, int64_t high,
                double[::1] gradient not None, bint count=False):
        """Add the slots' probabilities to the gradient of rows ``low`` to ``high`` - 1; ``count`` how often."""
        cdef Py_ssize_t b
        for b in range(len(slots)):
            self.collect_one(slots[b], batches[b], low, high, &gradient[0], count)

    cdef int collect_one(self, Slot slot, const int64_t[::1] batch, int64_t low, int64_t high, double *g,
                         bint count) except -1:
        cdef Py_ssize_t v, k, i, j, place, n, width
        cdef int64_t row, at, end, p, base = self.row_starts[0]
        cdef double *source[VIEWS]
        cdef double *here
        source[:] = [slot.m.s, slot.m.t, slot.m.st, slot.m.ss, slot.m.tt]
        with nogil:
            for v in range(VIEWS):
                if not self.used[v] or self.first_row[v] >= high or self.first_row[v + 1] <= low:
                    continue
                width = self.width[v]
                place = 0
                for k in range(batch.shape[0]):
                    i = self.sentences[batch[k]]
                    n = self.sentences[batch[k] + 1]
                    while i < n:
                        here = source[v] + place * width
                        for j in range(self.starts[v][i], self.starts[v][i + 1]):
                            row = self.first_row[v] + self.ids[v][j]
                            if row < low or row >= high:
                                continue
                            at = self.row_starts[row]
                            end = self.row_starts[row + 1]
                            self.touched[row] += count
                            if end - at == width:
                                add_row(g + at, here, width)
                            else:
                                for p in range(at, end):
                                    g[p] += here[self.codes[p - base]]
                        i += 1
                        place += 1
        return 0

    def collect_labels(self, list slots not None, double[::1] gradient not None):
        """Add the slots' label-only sums to the head of the gradient."""
        cdef Slot slot
        for slot in slots:
            add_row(&gradient[0], slot.m.start, self.row_starts[0])

    def adagrad_step(self, list batches not None, int64_t low, int64_t high, double[::1] w not None,
                     double[::1] gradient not None, double[::1] squares not None, double rate, double decay,
                     double lasso):
        """Move the rows ``low`` to ``high`` - 1 that the batches touched, and clear their gradient.

        The prior's pull (``decay`` times the weight, and ``lasso`` towards 0, over a whole pass) is shared out over the
        times a row is touched.
        """
        cdef Py_ssize_t v, k, i, j, n, b
        cdef int64_t row, p
        cdef double share
        cdef const int64_t[::1] batch
        for b in range(len(batches)):
            batch = batches[b]
            with nogil:
                for v in range(VIEWS):
                    if not self.used[v] or self.first_row[v] >= high or self.first_row[v + 1] <= low:
                        continue
                    for k in range(batch.shape[0]):
                        i = self.sentences[batch[k]]
                        n = self.sentences[batch[k] + 1]
                        for j in range(self.starts[v][i], self.starts[v][n]):
                            row = self.first_row[v] + self.ids[v][j]
                            if row < low or row >= high or self.touched[row] == 0:
                                continue
                            share = <double> self.touched[row] / self.times[row]
                            self.touched[row] = 0
                            for p in range(self.row_starts[row], self.row_starts[row + 1]):
                                move(&w[p], &gradient[p], &squares[p], rate, decay * share)
                                if lasso > 0 and squares[p] > 0:
                                    shrink(&w[p], rate * lasso * share / sqrt(squares[p]))

    def adagrad_labels(self, double[::1] w not None, double[::1] gradient not None, double[::1] squares not None,
                       double rate, double decay):
        """Move the label-only weights."""
        cdef int64_t p
        for p in range(self.row_starts[0]):
            move(&w[p], &gradient[p], &squares[p], rate, decay)


cdef int32_t *int_address(int32_t[::1] array) noexcept:
    return &array[0] if array.shape[0] > 0 else NULL


cdef int64_t *long_address(int64_t[::1] array) noexcept:
    return &array[0] if array.shape[0] > 0 else NULL


cdef inline void shrink(double *w, double by) noexcept nogil:
    """Towards 0, and not past it."""
    if w[0] > by:
        w[0] -= by
    elif w[0] < -by:
        w[0] += by
    else:
        w[0] = 0


cdef inline void move(double *w, double *g, double *squares, double rate, double decay) noexcept nogil:
    cdef double step = g[0] + decay * w[0]
    g[0] = 0
    if step != 0:
        squares[0] += step * step
        w[0] -= rate * step / sqrt(squares[0])
