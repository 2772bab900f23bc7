"""The weight table of training: exact keys, growing rows, lazy averaging."""

from libc.math cimport fabs
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

import numpy as np

from plait.core._memory cimport Slot, find, free_map, insert, reserve
from plait.core._rows cimport BATCH, add_32, prefetch
from plait.core._types cimport uint16_t

from plait.core.rows import check_rows

cdef extern from "key_tables.h" nogil:
    void *table_memory "plait_table_memory" (size_t size)
    uint64_t *filter_word "plait_filter_word" (const uint64_t *words, uint64_t slots, key_t key)
    uint64_t filter_bits "plait_filter_bits" (key_t key)

cdef enum:
    DENSE = 0xffff
    AHEAD = 16          # keys whose filter words are prefetched


cdef class Scorer:
    """Maps keys to scores; a subclass overrides at least one of ``add`` and ``add_each``."""

    cdef void add(self, const key_t *keys, Py_ssize_t n, score_t *scores) noexcept nogil:
        cdef score_t *sums[BATCH]
        cdef Py_ssize_t batch, k
        for k in range(BATCH):
            sums[k] = scores
        for batch in range((n + BATCH - 1) // BATCH):
            self.add_each(keys + batch * BATCH, min(<Py_ssize_t> BATCH, n - batch * BATCH), sums)

    cdef void add_each(self, const key_t *keys, Py_ssize_t n, score_t **sums) noexcept nogil:
        cdef Py_ssize_t first = 0, k = 0
        while first < n:
            while k < n and sums[k] == sums[first]:     # the keys of one sum are looked up together
                k += 1
            self.add(keys + first, k - first, sums[first])
            first = k

    def scores(self, const uint64_t[::1] keys not None):
        """The summed rows of some keys, as an array with one score per label."""
        out = np.zeros(self.labels, dtype=np.float32)
        cdef float[::1] view = out
        if keys.shape[0] > 0 and self.labels > 0:
            with nogil:
                self.add(&keys[0], keys.shape[0], &view[0])
        return out


cdef class Trainable(Scorer):
    """A table that a learner can update."""

    cdef int change(self, key_t key, label_t label, double amount) except -1:
        return 0

    cdef double weight(self, key_t key, label_t label) noexcept nogil:
        return 0.0

    def tick(self):
        """Count one more example."""
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


cdef inline const uint64_t *filter_of(const KeyMap *map) noexcept nogil:
    """The filter of a map, which follows its slots."""
    return <const uint64_t *> (map.slots + map.mask + 1)


cdef Py_ssize_t find_rows(const KeyMap *map, const uint64_t *blocks, Py_ssize_t labels, const key_t *keys,
                          Py_ssize_t *at, Py_ssize_t n, Py_ssize_t *places, const Slot **found) noexcept nogil:
    """The next rows of the keys from ``at`` on, up to BATCH, and the indices of their keys; advances ``at``.

    Memory accesses overlap: to the filter, then to the slots of keys that pass it, then to their rows.
    """
    cdef const uint64_t *filter = filter_of(map)
    cdef uint64_t size = map.mask + 1, bits
    cdef const uint64_t *block
    cdef const Slot *slot
    cdef Py_ssize_t i = at[0], k, j, some = 0, rows = 0
    for k in range(i, min(i + AHEAD, n)):
        prefetch(filter_word(filter, size, keys[k]))
    while i < n and some < BATCH:
        if i + AHEAD < n:
            prefetch(filter_word(filter, size, keys[i + AHEAD]))
        bits = filter_bits(keys[i])
        places[some] = i
        some += filter_word(filter, size, keys[i])[0] & bits == bits
        i += 1
    at[0] = i
    for k in range(some):
        prefetch(&map.slots[keys[places[k]] & map.mask])
    for k in range(some):
        slot = find(map, keys[places[k]])
        if slot.key == 0:       # and so it is for key 0
            continue
        found[rows] = slot
        places[rows] = places[k]
        rows += 1
        block = blocks + slot.value.row.start
        prefetch(block)
        if slot.value.row.capacity == DENSE:
            for j in range(1, (labels + 15) // 16):
                prefetch(block + 8 * j)
    return rows


cdef class Weights(Trainable):
    """Exact keys: every feature that was ever updated has its own row."""

    def __cinit__(self, Py_ssize_t labels, Py_ssize_t expected_rows=0):
        if not 1 <= labels < DENSE:
            raise ValueError(f"a row holds 1 to {DENSE - 1} labels, not {labels}")
        self.labels = labels
        reserve(&self.rows, expected_rows)
        self.size = 4096
        self.blocks = <uint64_t *> table_memory(self.size * sizeof(uint64_t))
        self.spare = {}
        if self.blocks == NULL:
            raise MemoryError()

    def __dealloc__(self):
        free_map(&self.rows)
        free(self.blocks)

    def __len__(self):
        return self.rows.count

    cdef void add(self, const key_t *keys, Py_ssize_t n, score_t *scores) noexcept nogil:
        self.add_rows(keys, n, scores, NULL)

    cdef void add_each(self, const key_t *keys, Py_ssize_t n, score_t **sums) noexcept nogil:
        self.add_rows(keys, n, NULL, sums)

    cdef void add_rows(self, const key_t *keys, Py_ssize_t n, score_t *scores, score_t **sums) noexcept nogil:
        """Add the rows of all keys to ``scores`` or, unless ``sums`` is NULL, each to its own sum."""
        cdef const Slot *found[BATCH]
        cdef Py_ssize_t places[BATCH]
        cdef Py_ssize_t at = 0, k
        while at < n:
            for k in range(find_rows(&self.rows, self.blocks, self.labels, keys, &at, n, places, found)):
                self.add_row(&found[k].value.row, scores if sums == NULL else sums[places[k]])

    cdef void add_row(self, const Row *row, score_t *scores) noexcept nogil:
        cdef const float *w = <const float *> (self.blocks + row.start)
        cdef const label_t *label
        cdef Py_ssize_t j
        if row.capacity == DENSE:
            add_32(scores, w, self.labels)
        else:
            label = <const label_t *> (self.blocks + row.start + w_units(row.capacity))
            for j in range(row.count):
                scores[label[j]] += w[j]

    cdef double *sums_of(self, const Row *row) noexcept nogil:
        """The u of a row."""
        if row.capacity == DENSE:
            return <double *> (self.blocks + row.start + w_units(self.labels))
        return <double *> (self.blocks + row.start + w_units(row.capacity) + label_units(row.capacity))

    cdef uint32_t new_block(self, Py_ssize_t capacity) except? 0xffffffff:
        """A zeroed block for a row of this capacity (DENSE: all labels)."""
        cdef size_t units, block
        cdef Py_ssize_t c = self.labels if capacity == DENSE else capacity
        units = w_units(c) + (0 if capacity == DENSE else label_units(c)) + <size_t> c
        unused = self.spare.get(capacity)
        if unused:
            block = unused.pop()
        else:
            block = self.used
            if block + units >= 0xffffffff:
                raise MemoryError("the weight table is full (32 GiB)")
            if block + units > self.size:
                self._reserve(max(2 * self.size, block + units))
            self.used += units
        memset(self.blocks + block, 0, units * sizeof(uint64_t))
        return <uint32_t> block

    def _reserve(self, size_t units):
        cdef uint64_t *larger = <uint64_t *> table_memory(units * sizeof(uint64_t))
        if larger == NULL:
            raise MemoryError()
        memcpy(larger, self.blocks, self.used * sizeof(uint64_t))
        free(self.blocks)
        self.blocks = larger
        self.size = units

    cdef int grow_row(self, Row *row) except -1:
        """Move a full sparse row to a block of twice the capacity, or to a dense one when that is no larger."""
        cdef Py_ssize_t c = row.capacity, d = 2 * c, j
        cdef Row old = row[0]
        cdef float *w
        cdef double *u
        cdef const float *old_w
        cdef const double *old_u
        cdef const label_t *label
        if w_units(d) + label_units(d) + <size_t> d >= w_units(self.labels) + <size_t> self.labels:
            d = DENSE
        row.start = self.new_block(d)
        row.capacity = <uint16_t> d
        old_w = <const float *> (self.blocks + old.start)
        label = <const label_t *> (self.blocks + old.start + w_units(c))
        old_u = self.sums_of(&old)
        w = <float *> (self.blocks + row.start)
        u = self.sums_of(row)
        if d == DENSE:
            for j in range(old.count):
                w[label[j]] = old_w[j]
                u[label[j]] = old_u[j]
            row.count = <uint16_t> self.labels
        else:
            memcpy(w, old_w, c * sizeof(float))
            memcpy(self.blocks + row.start + w_units(d), label, c * sizeof(label_t))
            memcpy(u, old_u, c * sizeof(double))
        self.spare.setdefault(old.capacity, []).append(old.start)
        return 0

    cdef Row *entry(self, key_t key, label_t label, Py_ssize_t *at) except NULL:
        """The row of a key, and the index of a label's weight in it; both are created if absent."""
        cdef Row *row = &insert(&self.rows, key).value.row
        cdef label_t *known
        cdef Py_ssize_t j
        if row.capacity == 0:
            filter_word(filter_of(&self.rows), self.rows.mask + 1, key)[0] |= filter_bits(key)
            row.start = self.new_block(2 if self.labels > 3 else DENSE)
            row.capacity = 2 if self.labels > 3 else DENSE
            row.count = 0 if row.capacity != DENSE else <uint16_t> self.labels
        at[0] = label
        if row.capacity == DENSE:
            return row
        known = <label_t *> (self.blocks + row.start + w_units(row.capacity))
        for j in range(row.count):
            if known[j] == label:
                at[0] = j
                return row
        if row.count == row.capacity:
            self.grow_row(row)
            if row.capacity == DENSE:
                return row
            known = <label_t *> (self.blocks + row.start + w_units(row.capacity))
        at[0] = row.count
        known[row.count] = label
        row.count += 1
        return row

    cdef int change(self, key_t key, label_t label, double amount) except -1:
        cdef Py_ssize_t j
        cdef const Row *row = self.entry(key, label, &j)
        (<float *> (self.blocks + row.start))[j] += <float> amount
        self.sums_of(row)[j] += self.clock * amount
        return 0

    cdef double weight(self, key_t key, label_t label) noexcept nogil:
        cdef const Slot *slot = find(&self.rows, key)
        cdef const Row *row = &slot.value.row
        cdef Py_ssize_t j
        cdef const float *w = <const float *> (self.blocks + row.start)
        cdef const label_t *known
        if key == 0 or slot.key == 0:
            return 0.0
        if row.capacity == DENSE:
            return w[label]
        known = <const label_t *> (self.blocks + row.start + w_units(row.capacity))
        for j in range(row.count):
            if known[j] == label:
                return w[j]
        return 0.0

    def export(self, bint averaged=True, bint zeros=False):
        """The table as arrays (keys, starts, labels, values, sums), rows in order of key and labels ascending in each.

        Row i owns labels[starts[i]:starts[i + 1]]. Values are averaged on request; sums are the raw u. Zero weights,
        and rows of zeros, are omitted unless requested (a checkpoint needs them: their sums may not be zero).
        """
        cdef Py_ssize_t i, j, k, total = 0, rows = self.rows.count
        cdef uint64_t s
        cdef const Row *row
        cdef const float *w
        cdef const double *u
        cdef const label_t *known = NULL
        cdef double value, clock = self.clock
        keys = np.empty(rows, dtype=np.uint64)
        cdef uint64_t[::1] key_view = keys
        k = 0
        for s in range(self.rows.mask + 1):
            if self.rows.slots[s].key != 0:
                key_view[k] = self.rows.slots[s].key
                total += self.rows.slots[s].value.row.count
                k += 1
        keys.sort()
        starts = np.zeros(rows + 1, dtype=np.int64)
        labels = np.empty(total, dtype=np.uint16)
        values = np.empty(total, dtype=np.float32)
        sums = np.empty(total, dtype=np.float64)
        cdef long long[::1] start_view = starts
        cdef uint16_t[::1] label_view = labels
        cdef float[::1] value_view = values
        cdef double[::1] sum_view = sums
        order = np.empty(self.labels, dtype=np.int64)
        cdef long long[::1] place = order        # label -> entry of the current row, -1: none
        k = 0
        for i in range(rows):
            row = &find(&self.rows, key_view[i]).value.row
            w = <const float *> (self.blocks + row.start)
            u = self.sums_of(row)
            if row.capacity == DENSE:
                for j in range(self.labels):
                    place[j] = j
            else:
                known = <const label_t *> (self.blocks + row.start + w_units(row.capacity))
                order.fill(-1)
                for j in range(row.count):
                    place[known[j]] = j
            for j in range(self.labels):
                if place[j] < 0:
                    continue
                value = w[place[j]]
                if averaged and clock > 0:
                    value = value - u[place[j]] / clock
                if zeros or not fabs(value) <= 1e-9:       # NaN must be kept
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
        """The inverse of ``export`` without averaging and with zeros: training continues as if never interrupted."""
        check_rows(keys, starts, label_list, values, labels)
        if sums.shape[0] != values.shape[0]:
            raise ValueError("the sums and the weights differ in number")
        cdef Weights table = cls(labels, keys.shape[0])
        cdef Py_ssize_t i, k, j
        cdef const Row *row
        for i in range(keys.shape[0]):
            for k in range(starts[i], starts[i + 1]):
                row = table.entry(keys[i], label_list[k], &j)
                (<float *> (table.blocks + row.start))[j] = values[k]
                table.sums_of(row)[j] = sums[k]
        table.clock = clock
        return table
