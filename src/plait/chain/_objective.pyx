"""The CRF objective: the negative log-likelihood of labelled sequences and its gradient, many threads, one result.

A few batches of sequences are processed at a time, in two steps. First each batch is scored and its probabilities minus
the gold labels are stored; batches are independent. Then every thread takes a range of rows of the weights and sums
their gradient, in the order of the data. No two threads write the same number, and the order of every sum is fixed: the
result is bit-for-bit the same for any number of threads.

Blocks of features that many items share are summed once, before all batches, and their part of the gradient is
distributed to their features once, after all batches.

Weights are in one vector: start [S][T], sts [S'][S][T'], tst [S][T'][T], then the rows of the views s, t, st, ss, tt.
With one s there is no sts: it would be a second weight for what the weights tst of one t' have in common.
A row has one weight for each label of its view, or only for those it occurs with, listed in ``codes``.
"""

from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

import numpy as np

from plait.chain._chart cimport Chart, Marginals, Scores, Workspace

from plait.core._lattice cimport add_row

cdef enum:
    VIEWS = 5


cdef struct View:
    bint used
    Py_ssize_t width        # labels
    int64_t first_row       # among the rows of all views
    int64_t last_row
    # the rows of item i are ids[starts[i]] to ids[starts[i + 1] - 1], counted from first_row, and those of its blocks
    const int32_t *ids
    const int64_t *starts
    Py_ssize_t groups
    const int32_t *block_of         # [items][groups], -1 where there is none
    Py_ssize_t blocks
    const int32_t *block_ids
    const int64_t *block_starts
    double *block_scores            # [blocks][width]
    double *block_sums              # [blocks][width]: the gradient by these scores


cdef class Slot:
    """The probabilities of one batch, and scratch memory for one sequence."""

    cdef Workspace marginals, scores, work, sums
    cdef Marginals m
    cdef Py_ssize_t first, last     # items of the batch
    cdef double loss

    def __cinit__(self):
        self.marginals = Workspace()
        self.scores = Workspace()
        self.work = Workspace()
        self.sums = Workspace()


cdef class Objective:
    """Labelled sequences and their features; ``views`` is five tuples (ids, starts, blocks of items, block ids, block
    starts) or None, in the order s t st ss tt.

    ``row_starts`` has, over the rows of all views in order, where the row begins in the weights; ``codes`` the label
    of each weight from ``row_starts[0]`` on, or nothing if all rows are dense; ``times`` how often a row is used, and
    ``members`` how many features it represents. ``classes`` selects the mask of each item from ``mask_s`` and
    ``mask_t`` (rows of 0 and -inf).
    """

    cdef readonly Chart chart
    cdef readonly Py_ssize_t size       # of the weight vector
    cdef readonly Py_ssize_t rows
    cdef int64_t[::1] sentences         # [count + 1]: where each begins
    cdef int32_t[::1] gold_s, gold_t
    cdef uint8_t[::1] classes
    cdef double[:, ::1] mask_s, mask_t
    cdef list arrays                    # keeps the arrays of the views alive
    cdef View views[VIEWS]
    cdef int64_t[::1] row_starts
    cdef int32_t[::1] codes
    cdef int32_t[::1] uses              # [rows]: occurrences in the current batches, for AdaGrad
    cdef int64_t[::1] times             # [rows]: occurrences in all data
    cdef int64_t[::1] members           # [rows]

    def __cinit__(self, Chart chart not None, sentences, gold_s, gold_t, classes, mask_s, mask_t, views, rows_of_view,
                  row_starts, codes, times, members):
        cdef Py_ssize_t S = chart.S, T = chart.T, v, first = 0
        self.chart = chart
        self.sentences = sentences
        self.gold_s, self.gold_t = gold_s, gold_t
        self.classes, self.mask_s, self.mask_t = classes, mask_s, mask_t
        self.row_starts, self.codes, self.times, self.members = row_starts, codes, times, members
        self.arrays = []
        widths = (S, T, S * T, S * S, T * T)
        for v in range(VIEWS):
            self.views[v].width = widths[v]
            self.views[v].used = views[v] is not None
            self.views[v].first_row = first
            first += rows_of_view[v]
            self.views[v].last_row = first
            if views[v] is not None:
                ids, starts, block_of, block_ids, block_starts = views[v]
                self.bind_view(&self.views[v], ids, starts, block_of, block_ids, block_starts)
        self.rows = first
        self.size = row_starts[len(row_starts) - 1]
        self.uses = np.zeros(self.rows + 1, dtype=np.int32)

    cdef int bind_view(self, View *view, const int32_t[::1] ids, const int64_t[::1] starts,
                       const int32_t[:, ::1] block_of, const int32_t[::1] block_ids,
                       const int64_t[::1] block_starts) except -1:
        """Set the pointers of a view to its arrays."""
        view.ids = &ids[0] if ids.shape[0] > 0 else NULL
        view.starts = &starts[0]
        view.groups = block_of.shape[1]
        view.block_of = &block_of[0, 0] if block_of.size > 0 else NULL
        view.blocks = block_starts.shape[0] - 1
        view.block_ids = &block_ids[0] if block_ids.shape[0] > 0 else NULL
        view.block_starts = &block_starts[0]
        if view.blocks == 0:
            view.groups = 0
        cdef double[:, ::1] scores = np.zeros((view.blocks + 1, view.width))
        cdef double[:, ::1] sums = np.zeros((view.blocks + 1, view.width))
        view.block_scores = &scores[0, 0]
        view.block_sums = &sums[0, 0]
        self.arrays += [ids, starts, block_of, block_ids, block_starts, scores, sums]
        return 0

    def slots(self, Py_ssize_t count):
        """Memory for ``count`` batches at a time."""
        return [Slot() for _ in range(count)]

    def bytes_per_item(self):
        """The memory that the probabilities of one item take."""
        cdef Py_ssize_t S = self.chart.S, T = self.chart.T
        return 8 * (S + T + S * T + (S * S if self.views[3].used else 0) + (T * T if self.views[4].used else 0))

    def score_batch(self, Slot slot not None, const int64_t[::1] batch not None, const double[::1] w not None):
        """Probabilities minus gold of the sequences with these numbers, stored in the slot."""
        cdef Py_ssize_t S = self.chart.S, T = self.chart.T, items = 0, k, longest = 0, n
        for k in range(batch.shape[0]):
            n = self.sentences[batch[k] + 1] - self.sentences[batch[k]]
            items += n
            longest = max(longest, n)
        cdef Py_ssize_t ss = S * S if self.views[3].used else 0, tt = T * T if self.views[4].used else 0
        cdef double *p = slot.marginals.reserve(items * (S + T + S * T + ss + tt) + 1)
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
        slot.scores.reserve(longest * (S + T + (S * T if self.views[2].used else 0) + ss + tt) + 1)
        slot.work.reserve(self.chart.work_size(longest, self.views[2].used, self.views[3].used, self.views[4].used))
        slot.loss = 0
        with nogil:
            items = 0
            for k in range(batch.shape[0]):
                n = self.sentences[batch[k] + 1] - self.sentences[batch[k]]
                if n > 0:
                    slot.loss += self.score_sequence(slot, self.sentences[batch[k]], n, items, &w[0])
                items += n
        return slot.loss

    cdef double score_sequence(self, Slot slot, Py_ssize_t first, Py_ssize_t n, Py_ssize_t place,
                               const double *w) noexcept nogil:
        """log Z minus the gold score of the sequence at ``first``; its probabilities go to ``place`` in the slot."""
        cdef Py_ssize_t S = self.chart.S, T = self.chart.T, i, k, s, t
        cdef Scores x
        cdef Marginals m = slot.m
        cdef double *p = slot.scores.numbers
        cdef double loss
        x.s = p
        x.t = x.s + n * S
        p = x.t + n * T
        x.st = p if self.views[2].used else NULL
        p += n * S * T if self.views[2].used else 0
        x.ss = p if self.views[3].used else NULL
        p += n * S * S if self.views[3].used else 0
        x.tt = p if self.views[4].used else NULL
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

    def score_blocks(self, Py_ssize_t part, Py_ssize_t parts, const double[::1] w not None):
        """Sum the weights of one of several parts of the blocks, and clear their part of the gradient."""
        cdef Py_ssize_t v, b, first, last
        cdef View *view
        with nogil:
            for v in range(VIEWS):
                view = &self.views[v]
                first, last = view.blocks * part // parts, view.blocks * (part + 1) // parts
                if not view.used or first == last:
                    continue
                memset(view.block_scores + first * view.width, 0, (last - first) * view.width * sizeof(double))
                memset(view.block_sums + first * view.width, 0, (last - first) * view.width * sizeof(double))
                for b in range(first, last):
                    self.add_weights(view, view.block_ids + view.block_starts[b],
                                     view.block_starts[b + 1] - view.block_starts[b],
                                     view.block_scores + b * view.width, &w[0])

    cdef void add_scores(self, Py_ssize_t v, Py_ssize_t first, Py_ssize_t n, double *out,
                         const double *w) noexcept nogil:
        """out[i] = the sum of the rows and blocks of the view's features at each item."""
        cdef const View *view = &self.views[v]
        cdef Py_ssize_t width = view.width, i, g
        cdef const int32_t *blocks
        if out == NULL:
            return
        memset(out, 0, n * width * sizeof(double))
        if not view.used:
            return
        for i in range(n):
            blocks = view.block_of + (first + i) * view.groups
            for g in range(view.groups):
                if blocks[g] >= 0:
                    add_row(out + i * width, view.block_scores + blocks[g] * width, width)
            self.add_weights(view, view.ids + view.starts[first + i],
                             view.starts[first + i + 1] - view.starts[first + i], out + i * width, w)

    cdef inline void add_weights(self, const View *view, const int32_t *ids, Py_ssize_t count, double *out,
                                 const double *w) noexcept nogil:
        """Add the weights of some rows to the scores of their labels."""
        cdef Py_ssize_t j
        cdef int64_t at, end, k, base = self.row_starts[0]
        for j in range(count):
            at = self.row_starts[view.first_row + ids[j]]
            end = self.row_starts[view.first_row + ids[j] + 1]
            if end - at == view.width:
                add_row(out, w + at, view.width)
            else:
                for k in range(at, end):
                    out[self.codes[k - base]] += w[k]

    def collect(self, list slots not None, list batches not None, int64_t low, int64_t high,
                double[::1] gradient not None, bint count=False):
        """Add the slots' probabilities to the gradient of rows ``low`` to ``high`` - 1; ``count`` their uses.

        The part of blocks is added by ``collect_blocks`` and ``distribute_blocks``.
        """
        cdef Py_ssize_t b, v, k, i, j, n
        cdef Slot slot
        cdef const int64_t[::1] batch
        cdef View *view
        cdef double *here
        cdef double *source[VIEWS]
        for b in range(len(slots)):
            slot, batch = slots[b], batches[b]
            source[:] = [slot.m.s, slot.m.t, slot.m.st, slot.m.ss, slot.m.tt]
            with nogil:
                for v in range(VIEWS):
                    view = &self.views[v]
                    if not view.used or view.first_row >= high or view.last_row <= low:
                        continue
                    here = source[v]
                    for k in range(batch.shape[0]):
                        i = self.sentences[batch[k]]
                        n = self.sentences[batch[k] + 1]
                        if count:
                            for j in range(view.starts[i], view.starts[n]):
                                if low <= view.first_row + view.ids[j] < high:
                                    self.uses[view.first_row + view.ids[j]] += 1
                        while i < n:
                            self.add_gradient(view, view.ids + view.starts[i], view.starts[i + 1] - view.starts[i],
                                              low, high, here, &gradient[0])
                            i += 1
                            here += view.width

    cdef inline void add_gradient(self, const View *view, const int32_t *ids, Py_ssize_t count, int64_t low,
                                  int64_t high, const double *source, double *g) noexcept nogil:
        """Add values by label to the gradient of those of some rows that are in ``low`` .. ``high`` - 1."""
        cdef Py_ssize_t j
        cdef int64_t row, at, end, k, base = self.row_starts[0]
        for j in range(count):
            row = view.first_row + ids[j]
            if row < low or row >= high:
                continue
            at = self.row_starts[row]
            end = self.row_starts[row + 1]
            if end - at == view.width:
                add_row(g + at, source, view.width)
            else:
                for k in range(at, end):
                    g[k] += source[self.codes[k - base]]

    def collect_blocks(self, list slots not None, list batches not None, Py_ssize_t part, Py_ssize_t parts):
        """Add the slots' probabilities to the sums of one of several parts of the blocks."""
        cdef Py_ssize_t b, v, k, i, g, low, high
        cdef int32_t block
        cdef Slot slot
        cdef const int64_t[::1] batch
        cdef View *view
        cdef double *here
        cdef double *source[VIEWS]
        for b in range(len(slots)):
            slot, batch = slots[b], batches[b]
            source[:] = [slot.m.s, slot.m.t, slot.m.st, slot.m.ss, slot.m.tt]
            with nogil:
                for v in range(VIEWS):
                    view = &self.views[v]
                    low, high = view.blocks * part // parts, view.blocks * (part + 1) // parts
                    if not view.used or low == high:
                        continue
                    here = source[v]
                    for k in range(batch.shape[0]):
                        for i in range(self.sentences[batch[k]], self.sentences[batch[k] + 1]):
                            for g in range(view.groups):
                                block = view.block_of[i * view.groups + g]
                                if low <= block < high:
                                    add_row(view.block_sums + block * view.width, here, view.width)
                            here += view.width

    def distribute_blocks(self, int64_t low, int64_t high, double[::1] gradient not None):
        """Add the sums of blocks to the gradient of those of their rows that are in ``low`` .. ``high`` - 1."""
        cdef Py_ssize_t v, b
        cdef View *view
        with nogil:
            for v in range(VIEWS):
                view = &self.views[v]
                for b in range(view.blocks if view.used else 0):
                    self.add_gradient(view, view.block_ids + view.block_starts[b],
                                      view.block_starts[b + 1] - view.block_starts[b], low, high,
                                      view.block_sums + b * view.width, &gradient[0])

    def collect_labels(self, list slots not None, double[::1] gradient not None):
        """Add the slots' label-only sums to the head of the gradient."""
        cdef Slot slot
        for slot in slots:
            add_row(&gradient[0], slot.m.start, self.row_starts[0])

    def adagrad_step(self, list batches not None, int64_t low, int64_t high, double[::1] w not None,
                     double[::1] gradient not None, double[::1] squares not None, double rate, double decay,
                     double lasso):
        """Update the rows ``low`` to ``high`` - 1 that occur in the batches, and clear their gradient.

        The penalties of a whole pass (``decay`` times the weight, and ``lasso`` towards 0) are divided among the
        occurrences of a row. A number of ``w`` is the sum of the equal weights of all members of the row; the gradient
        and its squares are those of one of them.
        """
        cdef Py_ssize_t v, k, i, j, n, b
        cdef int64_t row, p
        cdef double share, members
        cdef View *view
        cdef const int64_t[::1] batch
        for b in range(len(batches)):
            batch = batches[b]
            with nogil:
                for v in range(VIEWS):
                    view = &self.views[v]
                    if not view.used or view.first_row >= high or view.last_row <= low:
                        continue
                    for k in range(batch.shape[0]):
                        i = self.sentences[batch[k]]
                        n = self.sentences[batch[k] + 1]
                        for j in range(view.starts[i], view.starts[n]):
                            row = view.first_row + view.ids[j]
                            if row < low or row >= high or self.uses[row] == 0:
                                continue
                            share = <double> self.uses[row] / self.times[row]
                            members = <double> self.members[row]
                            self.uses[row] = 0
                            for p in range(self.row_starts[row], self.row_starts[row + 1]):
                                adagrad_update(&w[p], &gradient[p], &squares[p], rate * members,
                                               decay * share / members)
                                if lasso > 0 and squares[p] > 0:
                                    shrink(&w[p], members * rate * lasso * share / sqrt(squares[p]))

    def adagrad_labels(self, double[::1] w not None, double[::1] gradient not None, double[::1] squares not None,
                       double rate, double decay):
        """Update the label-only weights."""
        cdef int64_t p
        for p in range(self.row_starts[0]):
            adagrad_update(&w[p], &gradient[p], &squares[p], rate, decay)


cdef inline void shrink(double *w, double by) noexcept nogil:
    """Move a weight towards 0, but not past it."""
    if w[0] > by:
        w[0] -= by
    elif w[0] < -by:
        w[0] += by
    else:
        w[0] = 0


cdef inline void adagrad_update(double *w, double *g, double *squares, double rate, double decay) noexcept nogil:
    cdef double step = g[0] + decay * w[0]
    g[0] = 0
    if step != 0:
        squares[0] += step * step
        w[0] -= rate * step / sqrt(squares[0])
