"""The weight table of training: exact keys, rows that grow, averages for free."""

from libc.math cimport fabs
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

import numpy as np

from plait.core._types cimport add_32, prefetch

from plait.core.rows import check_rows

cdef enum:
    DENSE = 0xffff
    BATCH = 32          # keys looked up together, so that their cache misses overlap


cdef class Scorer:
    """Anything that turns keys into scores."""

    cdef void add(self, const key_t *keys, Py_ssize_t n, score_t *scores) noexcept nogil:
        pass

    cdef void add_each(self, const key_t *keys, Py_ssize_t n, score_t **sums) noexcept nogil:
        cdef Py_ssize_t k
        for k in range(n):
            self.add(keys + k, 1, sums[k])

    def scores(self, const uint64_t[::1] keys not None):
        """The summed rows of some keys, as an array with one score per label."""
        out = np.zeros(self.labels, dtype=np.float32)
        cdef float[::1] view = out
        if keys.shape[0] > 0 and self.labels > 0:
            with nogil:
                self.add(&keys[0], keys.shape[0], &view[0])
        return out


cdef class Trainable(Scorer):
    """A table that a learner can move."""

    cdef int change(self, key_t key, label_t label, double amount) except -1:
        return 0

    cdef double weight(self, key_t key, label_t label) noexcept nogil:
        return 0.0

    def tick(self):
        """One more example has been seen."""
        self.clock += 1

    def get(self, uint64_t key, Py_ssize_t label):
        """The current, unaveraged weight of one feature and label."""
        self._check(label)
        return self.weight(key, <label_t> label)

    def update(self, uint64_t key, Py_ssize_t label, double amount):
        """Add to one weight."""
        self._check(label)
        if key == 0:
            raise ValueError("key 0 stands for a template that did not fire")
        self.change(key, <label_t> label, amount)

    def _check(self, Py_ssize_t label):
        if not 0 <= label < self.labels:
            raise IndexError(f"label {label} of {self.labels}")


cdef inline size_t w_units(Py_ssize_t capacity) noexcept nogil:
    return <size_t> (capacity + 1) // 2

cdef inline size_t label_units(Py_ssize_t capacity) noexcept nogil:
    return <size_t> (capacity + 3) // 4


cdef class Weights(Trainable):
    """Exact keys: every feature that was ever updated has a row of its own."""

    def __cinit__(self, Py_ssize_t labels, Py_ssize_t expected_rows=0):
        if not 1 <= labels < DENSE:
            raise ValueError(f"a row holds 1 to {DENSE - 1} labels, not {labels}")
        cdef uint64_t size = 1024
        while size < 2 * <uint64_t> expected_rows:
            size *= 2
        self.labels = labels
        self.mask = size - 1
        self.slots = <Slot *> calloc(size, sizeof(Slot))
        self.arena_size = 4096
        self.arena = <uint64_t *> malloc(self.arena_size * sizeof(uint64_t))
        self.spare = {}
        if self.slots == NULL or self.arena == NULL:
            raise MemoryError()

    def __dealloc__(self):
        free(self.slots)
        free(self.arena)

    def __len__(self):
        return self.rows

    cdef Slot *find(self, key_t key) noexcept nogil:
        """The slot of this key, or the free slot where it would go."""
        cdef uint64_t at = key & self.mask
        while self.slots[at].key != key and self.slots[at].key != 0:
            at = (at + 1) & self.mask
        return &self.slots[at]

    cdef void add(self, const key_t *keys, Py_ssize_t n, score_t *scores) noexcept nogil:
        cdef score_t *sums[BATCH]
        cdef Py_ssize_t batch, k
        for k in range(BATCH):
            sums[k] = scores
        for batch in range((n + BATCH - 1) // BATCH):
            self.add_each(keys + batch * BATCH, min(<Py_ssize_t> BATCH, n - batch * BATCH), sums)

    cdef void add_each(self, const key_t *keys, Py_ssize_t n, score_t **sums) noexcept nogil:
        cdef Slot *found[BATCH]
        cdef Slot *slot
        cdef Py_ssize_t batch, first, k, j, m
        for batch in range((n + BATCH - 1) // BATCH):
            first = batch * BATCH
            m = min(<Py_ssize_t> BATCH, n - first)
            for k in range(m):
                prefetch(&self.slots[keys[first + k] & self.mask])
            for k in range(m):
                if keys[first + k] == 0:
                    found[k] = NULL
                    continue
                slot = self.find(keys[first + k])
                found[k] = slot if slot.key != 0 else NULL
                if found[k] != NULL:
                    prefetch(self.arena + slot.block)
                    if slot.capacity == DENSE:
                        for j in range(1, (self.labels + 15) // 16):
                            prefetch(self.arena + slot.block + 8 * j)
            for k in range(m):
                if found[k] != NULL:
                    self.add_row(found[k], sums[first + k])

    cdef void add_row(self, const Slot *slot, score_t *scores) noexcept nogil:
        cdef const float *w = <const float *> (self.arena + slot.block)
        cdef const label_t *label
        cdef Py_ssize_t j
        if slot.capacity == DENSE:
            add_32(scores, w, self.labels)
        else:
            label = <const label_t *> (self.arena + slot.block + w_units(slot.capacity))
            for j in range(slot.count):
                scores[label[j]] += w[j]

    cdef int double_index(self) except -1:
        cdef Slot *old = self.slots
        cdef uint64_t old_size = self.mask + 1, i
        cdef Slot *new = <Slot *> calloc(2 * old_size, sizeof(Slot))
        if new == NULL:
            raise MemoryError()
        self.slots = new
        self.mask = 2 * old_size - 1
        for i in range(old_size):
            if old[i].key != 0:
                self.find(old[i].key)[0] = old[i]
        free(old)
        return 0

    cdef uint32_t new_block(self, Py_ssize_t capacity) except? 0xffffffff:
        """A zeroed block for a row of this capacity (DENSE: all labels)."""
        cdef size_t units, block
        cdef Py_ssize_t c = self.labels if capacity == DENSE else capacity
        units = w_units(c) + (0 if capacity == DENSE else label_units(c)) + <size_t> c
        unused = self.spare.get(capacity)
        if unused:
            block = unused.pop()
        else:
            block = self.arena_used
            if block + units >= 0xffffffff:
                raise MemoryError("the weight table is full (32 GiB)")
            if block + units > self.arena_size:
                self._reserve(max(2 * self.arena_size, block + units))
            self.arena_used += units
        memset(self.arena + block, 0, units * sizeof(uint64_t))
        return <uint32_t> block

    def _reserve(self, size_t units):
        cdef uint64_t *larger = <uint64_t *> realloc(self.arena, units * sizeof(uint64_t))
        if larger == NULL:
            raise MemoryError()
        self.arena = larger
        self.arena_size = units

    cdef int grow_row(self, Slot *slot) except -1:
        """Move a full sparse row to a block of twice the room, or to a dense one when that is no larger."""
        cdef Py_ssize_t c = slot.capacity, d = 2 * c, j
        cdef uint32_t old = slot.block, new
        cdef float *w
        cdef double *u
        cdef const float *old_w
        cdef const double *old_u
        cdef const label_t *label
        if w_units(d) + label_units(d) + <size_t> d >= w_units(self.labels) + <size_t> self.labels:
            d = DENSE
        new = self.new_block(d)
        old_w = <const float *> (self.arena + old)
        label = <const label_t *> (self.arena + old + w_units(c))
        old_u = <const double *> (self.arena + old + w_units(c) + label_units(c))
        w = <float *> (self.arena + new)
        if d == DENSE:
            u = <double *> (self.arena + new + w_units(self.labels))
            for j in range(slot.count):
                w[label[j]] = old_w[j]
                u[label[j]] = old_u[j]
            slot.count = <uint16_t> self.labels
        else:
            memcpy(w, old_w, c * sizeof(float))
            memcpy(self.arena + new + w_units(d), label, c * sizeof(label_t))
            memcpy(self.arena + new + w_units(d) + label_units(d), old_u, c * sizeof(double))
        self.spare.setdefault(slot.capacity, []).append(old)
        slot.block = new
        slot.capacity = <uint16_t> d
        return 0

    cdef Py_ssize_t entry(self, key_t key, label_t label) except -1:
        """Where the weight stands in its row; row and entry are made when absent."""
        cdef Slot *slot = self.find(key)
        cdef label_t *known
        cdef Py_ssize_t j
        if slot.key == 0:
            if 2 * (self.rows + 1) > <Py_ssize_t> (self.mask + 1):
                self.double_index()
                slot = self.find(key)
            slot.capacity = 2 if self.labels > 3 else DENSE
            slot.block = self.new_block(slot.capacity)
            slot.count = 0 if slot.capacity != DENSE else <uint16_t> self.labels
            slot.key = key
            self.rows += 1
        if slot.capacity == DENSE:
            return label
        known = <label_t *> (self.arena + slot.block + w_units(slot.capacity))
        for j in range(slot.count):
            if known[j] == label:
                return j
        if slot.count == slot.capacity:
            self.grow_row(slot)
            if slot.capacity == DENSE:
                return label
            known = <label_t *> (self.arena + slot.block + w_units(slot.capacity))
        known[slot.count] = label
        slot.count += 1
        return slot.count - 1

    cdef int change(self, key_t key, label_t label, double amount) except -1:
        cdef Py_ssize_t j = self.entry(key, label)
        cdef Slot *slot = self.find(key)
        cdef Py_ssize_t c = self.labels if slot.capacity == DENSE else slot.capacity
        cdef size_t before_u = w_units(c) + (0 if slot.capacity == DENSE else label_units(c))
        (<float *> (self.arena + slot.block))[j] += <float> amount
        (<double *> (self.arena + slot.block + before_u))[j] += self.clock * amount
        return 0

    cdef double weight(self, key_t key, label_t label) noexcept nogil:
        cdef Slot *slot = self.find(key)
        cdef Py_ssize_t j
        cdef const float *w
        cdef const label_t *known
        if key == 0 or slot.key == 0:
            return 0.0
        w = <const float *> (self.arena + slot.block)
        if slot.capacity == DENSE:
            return w[label]
        known = <const label_t *> (self.arena + slot.block + w_units(slot.capacity))
        for j in range(slot.count):
            if known[j] == label:
                return w[j]
        return 0.0

    def export(self, bint averaged=True, bint zeros=False):
        """The table as arrays (keys, starts, labels, values, sums), rows in order of key and labels ascending in each.

        Row i owns labels[starts[i]:starts[i + 1]]. Values are averaged on request; sums are the raw u. Weights of
        zero, and rows of nothing else, are left out unless asked for (a checkpoint wants them: their sums may differ).
        """
        cdef Py_ssize_t i, j, k, c, total = 0
        cdef uint64_t s
        cdef Slot *slot
        cdef const float *w
        cdef const double *u
        cdef const label_t *known = NULL
        cdef double value, clock = self.clock
        keys = np.empty(self.rows, dtype=np.uint64)
        cdef uint64_t[::1] key_view = keys
        k = 0
        for s in range(self.mask + 1):
            if self.slots[s].key != 0:
                key_view[k] = self.slots[s].key
                total += self.slots[s].count
                k += 1
        keys.sort()
        starts = np.zeros(self.rows + 1, dtype=np.int64)
        labels = np.empty(total, dtype=np.uint16)
        values = np.empty(total, dtype=np.float32)
        sums = np.empty(total, dtype=np.float64)
        cdef long long[::1] start_view = starts
        cdef uint16_t[::1] label_view = labels
        cdef float[::1] value_view = values
        cdef double[::1] sum_view = sums
        order = np.empty(self.labels, dtype=np.int64)
        cdef long long[::1] place = order        # label -> entry of the row at hand, -1: none
        k = 0
        for i in range(self.rows):
            slot = self.find(key_view[i])
            c = self.labels if slot.capacity == DENSE else slot.capacity
            w = <const float *> (self.arena + slot.block)
            u = <const double *> (self.arena + slot.block + w_units(c))
            if slot.capacity == DENSE:
                for j in range(self.labels):
                    place[j] = j
            else:
                known = <const label_t *> (self.arena + slot.block + w_units(c))
                u = u + label_units(c)
                order.fill(-1)
                for j in range(slot.count):
                    place[known[j]] = j
            for j in range(self.labels):
                if place[j] < 0:
                    continue
                value = w[place[j]]
                if averaged and clock > 0:
                    value = value - u[place[j]] / clock
                if zeros or not fabs(value) <= 1e-9:       # what is not a number must not vanish
                    label_view[k] = <uint16_t> j
                    value_view[k] = <float> value
                    sum_view[k] = u[place[j]]
                    k += 1
            start_view[i + 1] = k
        if not zeros:
            kept = np.diff(starts) > 0
            keys = keys[kept]
            starts = np.concatenate([starts[:1], starts[1:][kept]])
        return keys, starts, labels[:k].copy(), values[:k].copy(), sums[:k].copy()

    @classmethod
    def restore(cls, Py_ssize_t labels, double clock, const uint64_t[::1] keys, const long long[::1] starts,
                const uint16_t[::1] label_list, const float[::1] values, const double[::1] sums):
        """The table that was exported unaveraged and with zeros: training goes on as if it had never stopped."""
        check_rows(keys, starts, label_list, values, labels)
        if sums.shape[0] != values.shape[0]:
            raise ValueError("sums that do not belong to the weights")
        cdef Weights table = cls(labels, keys.shape[0])
        cdef Py_ssize_t i, k, j, c
        cdef Slot *slot
        for i in range(keys.shape[0]):
            for k in range(starts[i], starts[i + 1]):
                j = table.entry(keys[i], label_list[k])
                slot = table.find(keys[i])
                c = labels if slot.capacity == DENSE else slot.capacity
                (<float *> (table.arena + slot.block))[j] = values[k]
                (<double *> (table.arena + slot.block + w_units(c)
                             + (0 if slot.capacity == DENSE else label_units(c))))[j] = sums[k]
        table.clock = clock
        return table
