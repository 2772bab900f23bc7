"""Frozen tables: zero weights dropped, 8- or 16-bit numbers, one 8-byte slot per feature.

Stored weights are whole numbers times a power of two, so that their sums in single precision are exact: the same
scores come out whatever the order of summation, on every machine.
"""

from libc.math cimport fabsf
from libc.stdint cimport uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy, memset

import numpy as np

from plait.core._packing import is_packable, pack
from plait.core._unpacking import new_index, unpack
from plait.core.rows import LARGEST, check_rows, check_scale

from plait.core._hashing cimport finish, mix
from plait.core._rows cimport BATCH, add_many_8, add_many_16, find8, prefetch
from plait.core._types cimport int8_t, int16_t

cdef enum:
    SLOTS = 8           # of a bucket
    BUCKET = 16         # numbers of a bucket: fingerprints, then rows
    MAX_LABELS = 0xffff
    TINY = 1024         # bytes of a table too small for packing to pay
    MAX_WORDS = 1 << 20     # of a filter: 20 bits of a fingerprint select one
    MAX_PROBES = 1024   # consecutive full buckets; even an index 85 per cent full has a few dozen at most

cdef float LARGEST_WEIGHT = LARGEST

cdef extern from "key_tables.h" nogil:
    void *table_memory "plait_table_memory" (size_t size)


cdef inline uint64_t home(uint64_t salted, uint64_t buckets) noexcept nogil:
    """Scale the low half to 0 .. buckets - 1: any table size works, so files need no padding to a power of two."""
    return (<uint64_t> <uint32_t> salted * buckets) >> 32


cdef inline uint32_t fingerprint(uint64_t salted) noexcept nogil:
    cdef uint32_t high = <uint32_t> (salted >> 32)
    return high if high != 0 else 1


cdef inline uint64_t filter_bits(uint32_t mark) noexcept nogil:
    return (<uint64_t> 1 << (mark & 63)) | (<uint64_t> 1 << ((mark >> 6) & 63))


cdef inline void add_dense(const uint16_t **rows, Py_ssize_t count, Py_ssize_t labels, int bits, float scale,
                           score_t *scores) noexcept nogil:
    """Add several rows to one sum."""
    cdef Py_ssize_t j, k
    cdef float value
    if bits == 8:
        add_many_8(scores, <const int8_t *const *> rows, count, labels, scale)
    elif bits == 16:
        add_many_16(scores, <const int16_t *const *> rows, count, labels, scale)
    else:
        for k in range(count):
            for j in range(labels):    # floats at odd positions of the arena are not aligned
                memcpy(&value, rows[k] + 2 * j, 4)
                scores[j] += value


cdef inline void add_sparse(const uint16_t *row, int bits, float scale, score_t *scores) noexcept nogil:
    cdef Py_ssize_t j, count = row[0]
    cdef float value
    row += 1
    if bits == 8:
        for j in range(count):
            scores[row[j] >> 8] += scale * <int8_t> (row[j] & 0xff)
    elif bits == 16:
        for j in range(count):
            scores[row[j]] += scale * <int16_t> row[count + j]
    else:
        for j in range(count):
            memcpy(&value, row + count + 2 * j, 4)
            scores[row[j]] += value


cdef inline bint are_small(const uint16_t *from_, uint64_t count) noexcept nogil:
    """Whether ``count`` floats are valid weights."""
    cdef float value
    cdef uint64_t j
    for j in range(count):
        memcpy(&value, from_ + 2 * j, 4)
        if not fabsf(value) <= LARGEST_WEIGHT:      # true for NaN too
            return False
    return True


cdef struct Batch:          # keys being looked up
    Py_ssize_t count
    uint64_t salted[2 * BATCH]
    score_t *sums[2 * BATCH]    # the targets of keys that pass the filter, then of those that have a row
    uint32_t found[2 * BATCH]


cdef class FrozenWeights(Scorer):
    """Read-only rows, made by ``freeze``, ``open_packed`` or from the arrays of old model files.

    ``rows_are_sound``: the rows need no check (``open_packed``).
    """

    def __cinit__(self, index, arena, Py_ssize_t labels, int bits, double scale, uint64_t salt,
                  bint rows_are_sound=False):
        if bits not in (8, 16, 32) or (bits == 8 and labels > 256):
            raise ValueError(f"{bits} bits with {labels} labels is not a table this version reads")
        if not 1 <= labels < MAX_LABELS:
            raise ValueError(f"a row holds 1 to {MAX_LABELS - 1} labels, not {labels}")
        check_scale(scale, bits)
        self.index = np.ascontiguousarray(index, dtype=np.uint32)
        self.arena = np.ascontiguousarray(arena, dtype=np.uint16)
        if self.index.ndim != 2 or self.index.shape[1] != BUCKET or len(self.index) == 0 or len(self.arena) == 0:
            raise ValueError("an empty table, or one of another shape")
        self.labels = labels
        self.bits = bits
        self.scale = scale
        self.salt = salt
        self.buckets = len(self.index)
        cdef const uint32_t[:, ::1] index_view = self.index
        cdef const uint16_t[::1] arena_view = self.arena
        self._index = &index_view[0, 0]
        self._arena = &arena_view[0]
        self.check(not rows_are_sound or bits == 32)

    def __dealloc__(self):
        free(self.filter)

    def filter_unknown(self):
        """Build a filter of the known keys: a sixth faster if four of five keys are unknown, otherwise not.

        Not thread-safe: no other thread may use the table meanwhile.
        """
        cdef uint64_t b, words = 1, rows = len(self)
        cdef uint32_t mark
        cdef int slot
        if self.filter != NULL:
            return
        while 8 * words < rows and words < MAX_WORDS:
            words *= 2
        cdef uint64_t *filter = <uint64_t *> table_memory(words * sizeof(uint64_t))
        if filter == NULL:
            raise MemoryError()
        memset(filter, 0, words * sizeof(uint64_t))
        for b in range(self.buckets):
            for slot in range(SLOTS):
                mark = self._index[b * BUCKET + slot]
                if mark != 0:
                    filter[(mark >> 12) & (words - 1)] |= filter_bits(mark)
        self.filter_mask = <uint32_t> (words - 1)
        self.filter = filter

    cdef int check(self, bint rows) except -1:
        """Check that all rows are inside the arena and disjoint, labels valid, probe sequences short, weights finite.

        Then no input can cause an invalid access. Rows are marked first and checked in the order of the arena, each
        once, however many features share them. Without ``rows`` only the index is checked.
        """
        cdef uint64_t size = len(self.arena)
        cdef uint8_t *marks = NULL
        cdef const char *fault
        if rows:
            marks = <uint8_t *> calloc(size, 1)
            if marks == NULL:
                raise MemoryError()
        with nogil:
            fault = self.check_index(marks, size)
            if rows and fault == NULL:
                fault = self.check_marked(marks, size)
        free(marks)
        if fault != NULL:
            raise ValueError((<bytes> fault).decode())
        return 0

    cdef const char *check_index(self, uint8_t *marks, uint64_t size) noexcept nogil:
        """Mark the starts of rows, 1 sparse and 2 dense, unless marks is NULL; returns what is wrong, or NULL."""
        cdef uint64_t b, at, run = 0, longest = 0, first = self.buckets
        cdef const uint32_t *bucket
        cdef uint8_t kind
        cdef int slot
        for b in range(self.buckets):
            bucket = self._index + b * BUCKET
            for slot in range(SLOTS):
                if bucket[slot] == 0:
                    continue
                if slot > 0 and bucket[slot - 1] == 0:
                    return "a slot of the weight table stands where no search finds it"
                if marks == NULL:
                    continue
                at = bucket[SLOTS + slot] >> 1
                kind = 1 + (bucket[SLOTS + slot] & 1)
                if at >= size or (marks[at] != 0 and marks[at] != kind):
                    return "the weight table points outside itself"
                marks[at] = kind
            if bucket[SLOTS - 1] == 0:      # a probe sequence ends here
                first = min(first, b)
                run = 0
            else:
                run += 1
                longest = max(longest, run)
        if first == self.buckets or max(longest, run + first) > MAX_PROBES:
            return "the index of the weight table is full: a search would not end"
        return NULL

    cdef const char *check_marked(self, const uint8_t *marks, uint64_t size) noexcept nogil:
        """What is wrong with the marked rows, or NULL."""
        cdef uint64_t at = 0, length, j, n = self.labels
        cdef uint64_t dense = (n + 1) // 2 if self.bits == 8 else n * (self.bits // 16)
        cdef uint64_t width = 1 if self.bits == 8 else 1 + self.bits // 16
        cdef const uint16_t *row
        while at < size:
            if marks[at] == 0:
                at += 1
                continue
            row = self._arena + at
            length = dense if marks[at] == 2 else 1 + row[0] * width
            if at + length > size or (marks[at] == 1 and row[0] > n):
                return "the weight table points outside itself"
            for j in range(1, length):
                if marks[at + j] != 0:
                    return "rows of the weight table overlap"
            if marks[at] == 1:
                for j in range(row[0]):
                    if (row[1 + j] >> 8 if self.bits == 8 else row[1 + j]) >= n:
                        return "the weight table points outside itself"
            if self.bits == 32 and not are_small(row if marks[at] == 2 else row + 1 + row[0],
                                                 n if marks[at] == 2 else row[0]):
                return "a weight is not finite, or too large"
            at += length
        return NULL

    def __len__(self):
        return int(np.count_nonzero(self.index[:, :SLOTS]))

    def arrays(self):
        """What a model file stores; ``core.tables.open_table`` reads it back."""
        if self.is_packable():
            return {"packed": pack(self.index, self.arena, self.labels, self.bits)}
        return {"index": self.index, "arena": self.arena}

    def header(self):
        """The small numbers that belong to the arrays."""
        kind = "packed" if self.is_packable() else "rows"
        return {"kind": kind, "labels": self.labels, "bits": self.bits, "scale": self.scale, "salt": self.salt}

    def is_packable(self):
        """Whether a model file stores the table packed: not if it is tiny, or has hardly any features for its size."""
        return self.index.nbytes + self.arena.nbytes > TINY and is_packable(len(self), len(self.index), len(self.arena))

    def __reduce__(self):
        return FrozenWeights, (self.index, self.arena, self.labels, self.bits, self.scale, self.salt)

    cdef void add(self, const key_t *keys, Py_ssize_t n, score_t *scores) noexcept nogil:
        add_in_batches(self, keys, n, scores, NULL)

    cdef void add_each(self, const key_t *keys, Py_ssize_t n, score_t **sums) noexcept nogil:
        add_in_batches(self, keys, n, NULL, sums)


cdef void add_in_batches(FrozenWeights table, const key_t *keys, Py_ssize_t n, score_t *scores,
                         score_t **sums) noexcept nogil:
    """Add the rows of all keys to ``scores`` or, unless ``sums`` is NULL, each to its own sum.

    Three batches are in flight: while the buckets of one are prefetched, those of the previous one are searched, and
    the rows of the one before that are added.
    """
    cdef Batch batches[3]
    cdef Batch *started = &batches[0]
    cdef Batch *searched = &batches[1]
    cdef Batch *added = &batches[2]
    cdef Batch *unused
    cdef Py_ssize_t first = 0
    searched.count = added.count = 0
    while first < n or searched.count > 0 or added.count > 0:
        started.count = 0
        if first < n:
            first = start_batch(table, keys, first, n, scores, sums, started)
        if searched.count > 0:
            find_rows(table, searched)
        if added.count > 0:
            add_rows(table, added)
        unused = added
        added = searched
        searched = started
        started = unused


cdef inline void fetch_bucket(FrozenWeights table, uint64_t salted) noexcept nogil:
    cdef const uint32_t *bucket = table._index + home(salted, table.buckets) * BUCKET
    prefetch(bucket)
    if <size_t> bucket % 64 != 0:       # buckets lie in two lines each, as in some mapped files
        prefetch(bucket + BUCKET - 1)


cdef inline Py_ssize_t start_batch(FrozenWeights table, const key_t *keys, Py_ssize_t first, Py_ssize_t n,
                                   score_t *scores, score_t **sums, Batch *batch) noexcept nogil:
    """Start a batch with the keys from ``first`` on, and prefetch their buckets; returns the first key left over."""
    cdef Py_ssize_t k, j, m, some = 0
    cdef uint64_t bits
    cdef uint32_t mark
    if table.filter == NULL:
        m = min(<Py_ssize_t> BATCH, n - first)
        for k in range(first, first + m):
            batch.salted[some] = mix(table.salt, keys[k])
            batch.sums[some] = scores if sums == NULL else sums[k]
            fetch_bucket(table, batch.salted[some])
            some += keys[k] != 0
        batch.count = some
        return first + m
    while first < n and some < BATCH:
        m = min(<Py_ssize_t> BATCH, n - first)
        for k in range(m):
            batch.salted[some + k] = mix(table.salt, keys[first + k])
            prefetch(table.filter + ((batch.salted[some + k] >> 44) & table.filter_mask))
        j = some
        for k in range(m):
            batch.salted[some] = batch.salted[j + k]
            batch.sums[some] = scores if sums == NULL else sums[first + k]
            mark = fingerprint(batch.salted[some])
            bits = filter_bits(mark)
            some += (keys[first + k] != 0) & (table.filter[(mark >> 12) & table.filter_mask] & bits == bits)
        first += m
    for k in range(some):
        fetch_bucket(table, batch.salted[k])
    batch.count = some
    return first


cdef inline void find_rows(FrozenWeights table, Batch *batch) noexcept nogil:
    """Search the buckets; keys that have a row stay in the batch, and their rows are prefetched."""
    cdef Py_ssize_t extra_lines = (table.labels * table.bits // 8 + 63) // 64     # of a dense row, beside its first
    cdef Py_ssize_t k, j, rows = 0
    cdef const uint32_t *bucket
    cdef const uint16_t *row
    cdef uint64_t b
    cdef uint32_t mark
    cdef int slot
    for k in range(batch.count):
        b = home(batch.salted[k], table.buckets)
        mark = fingerprint(batch.salted[k])
        while True:
            bucket = table._index + b * BUCKET
            slot = find8(bucket, mark)
            if slot >= 0:
                batch.found[rows] = bucket[SLOTS + slot]
                batch.sums[rows] = batch.sums[k]
                row = table._arena + (batch.found[rows] >> 1)
                prefetch(row)
                if batch.found[rows] & 1:
                    for j in range(extra_lines):
                        prefetch(row + 32 * (j + 1))
                rows += 1
                break
            if bucket[SLOTS - 1] == 0:
                break
            b += 1
            if b == table.buckets:
                b = 0
    batch.count = rows


cdef inline void add_rows(FrozenWeights table, Batch *batch) noexcept nogil:
    """Add the rows to their sums; dense rows of the same sum are added together, except for floats."""
    cdef const uint16_t *together[2 * BATCH]
    cdef const uint16_t *row
    cdef Py_ssize_t k, dense = 0
    cdef float scale = <float> table.scale
    for k in range(batch.count):
        row = table._arena + (batch.found[k] >> 1)
        if batch.found[k] & 1:
            together[dense] = row
            dense += 1
        else:
            add_sparse(row, table.bits, scale, batch.sums[k])
        if dense > 0 and (table.bits == 32 or k + 1 == batch.count or batch.sums[k + 1] != batch.sums[k]):
            add_dense(together, dense, table.labels, table.bits, scale, batch.sums[k])
            dense = 0


cdef inline bint is_faster_dense(Py_ssize_t count, Py_ssize_t labels) noexcept nogil:
    # A sparse entry costs 7 instructions, a dense row a quarter for each label and a few more; but dense rows are
    # larger, and what does not fit the cache is slow. A parser's rows of 128 labels become dense at 14 weights.
    return 12 * count >= labels + 40


NO_ROW = 0xffffffff
cdef uint32_t NO_ROW_C = 0xffffffff


def freeze(const uint64_t[::1] keys, const long long[::1] starts, const uint16_t[::1] labels,
           const float[::1] values, Py_ssize_t label_count, int bits=16):
    """Rows as ``Weights.export`` gives them → a FrozenWeights with 8, 16 or 32 bits a weight.

    >>> import numpy as np
    >>> table = freeze(np.array([7], np.uint64), np.array([0, 2]), np.array([0, 2], np.uint16),
    ...                np.array([0.5, -1.0], np.float32), 3)
    >>> table.scores(np.array([7, 8], np.uint64)).tolist()
    [0.5, 0.0, -1.0]
    """
    if bits == 8 and label_count > 256:
        raise ValueError("8 bits hold at most 256 labels")
    check_rows(keys, starts, labels, values, label_count)
    largest = float(np.max(np.abs(values), initial=0.0))
    scale = 1.0 if bits == 32 else power_of_two_scale(largest, bits)
    stored = np.asarray(values) if bits == 32 else np.rint(np.asarray(values) / scale).astype(np.int32)
    cdef Py_ssize_t n = keys.shape[0], i, j, count, width = 1 if bits == 8 else 1 + bits // 16
    cdef const int[::1] number
    cdef const uint16_t[::1] halves
    if bits == 32:
        halves = np.ascontiguousarray(stored, dtype=np.float32).view(np.uint16)
        number = np.ones(len(stored), dtype=np.int32)
    else:
        number = stored
        halves = np.zeros(0, dtype=np.uint16)
    dense_units = (label_count + 1) // 2 if bits == 8 else label_count * (bits // 16)
    cdef Py_ssize_t capacity = 1, dense = dense_units
    for i in range(n):
        count = starts[i + 1] - starts[i]
        capacity += dense if is_faster_dense(count, label_count) else 1 + min(count * width, dense)
    if capacity >= 1 << 31:
        raise ValueError("the weight table is too large to freeze (4 GiB); raise the feature cut-off")
    arena = np.zeros(capacity, dtype=np.uint16)
    places = np.full(n, NO_ROW, dtype=np.uint32)
    # Rows of 32 bits are hardly ever equal and are not compared.
    known = np.full(1 << max(int(n).bit_length() + 1, 3) if bits < 32 else 0, NO_ROW, dtype=np.uint32)
    cdef uint32_t[::1] seen = known     # rows of the arena by what they hold: features with equal rows share one
    cdef uint16_t[::1] unit = arena
    cdef uint32_t[::1] place = places
    cdef Py_ssize_t used = 0, at
    cdef int8_t *bytes_
    for i in range(n):
        count = 0
        for j in range(starts[i], starts[i + 1]):
            if labels[j] >= label_count:
                raise ValueError(f"label {labels[j]} of {label_count}")
            count += number[j] != 0
        if count == 0:
            continue
        if 1 + count * width >= dense or is_faster_dense(count, label_count):
            place[i] = <uint32_t> (used << 1 | 1)
            bytes_ = <int8_t *> &unit[used]
            for j in range(starts[i], starts[i + 1]):
                if bits == 8:
                    bytes_[labels[j]] = <int8_t> number[j]
                elif bits == 16:
                    unit[used + labels[j]] = <uint16_t> <int16_t> number[j]
                else:
                    unit[used + 2 * labels[j]] = halves[2 * j]
                    unit[used + 1 + 2 * labels[j]] = halves[2 * j + 1]
            used += share_row(unit, &place[i], dense, width, seen)
        else:
            place[i] = <uint32_t> (used << 1)
            unit[used] = <uint16_t> count
            at = 0
            for j in range(starts[i], starts[i + 1]):
                if number[j] == 0:
                    continue
                if bits == 8:
                    unit[used + 1 + at] = <uint16_t> (labels[j] << 8) | <uint16_t> (number[j] & 0xff)
                elif bits == 16:
                    unit[used + 1 + at] = labels[j]
                    unit[used + 1 + count + at] = <uint16_t> <int16_t> number[j]
                else:
                    unit[used + 1 + at] = labels[j]
                    unit[used + 1 + count + 2 * at] = halves[2 * j]
                    unit[used + 2 + count + 2 * at] = halves[2 * j + 1]
                at += 1
            used += share_row(unit, &place[i], 1 + count * width, width, seen)
    index, salt = build_index(keys, places)
    return FrozenWeights(index, arena[:max(used, 1)].copy(), label_count, bits, scale, salt)


cdef Py_ssize_t share_row(uint16_t[::1] unit, uint32_t *place, Py_ssize_t size, Py_ssize_t width,
                          uint32_t[::1] seen) except -1 nogil:
    """The size of the row at ``place``, written last; 0 if an equal row exists, which is then used instead."""
    cdef const uint16_t *row = &unit[place[0] >> 1]
    cdef const uint16_t *other
    cdef uint64_t h = 0x726f7773, mask = <uint64_t> seen.shape[0] - 1
    cdef Py_ssize_t k
    if seen.shape[0] == 0:
        return size
    for k in range(size):
        h = mix(h, row[k])
    h = finish(h) & mask
    while seen[h] != NO_ROW_C:
        other = &unit[seen[h] >> 1]
        if (seen[h] & 1) == (place[0] & 1) and (seen[h] & 1 or 1 + other[0] * width == size):
            if memcmp(row, other, size * sizeof(uint16_t)) == 0:
                memset(<void *> row, 0, size * sizeof(uint16_t))
                place[0] = seen[h]
                return 0
        h = (h + 1) & mask
    seen[h] = place[0]
    return size


def open_packed(packed, Py_ssize_t labels, int bits, double scale, uint64_t salt):
    """The inverse of packing by ``FrozenWeights.arrays``; a ValueError for invalid bytes."""
    index, arena = unpack(packed, labels, bits)
    return FrozenWeights(index, arena, labels, bits, scale, salt, rows_are_sound=True)


def power_of_two_scale(double largest, int bits):
    """The smallest power of two that keeps the largest weight within 8 or 16 bits."""
    limit = 127 if bits == 8 else 32767
    if largest == 0:
        return 1.0
    return float(2.0 ** np.ceil(np.log2(largest / limit)))


def build_index(const uint64_t[::1] keys, const uint32_t[::1] places):
    """An index of the keys that have a row, and a salt under which they do not collide.

    It is 60 per cent full: one bucket in eight has no free slot, so that searches go on behind it. At 85 per cent it is
    every second one.
    """
    cdef uint64_t count = int(np.count_nonzero(np.asarray(places) != NO_ROW))
    cdef uint64_t buckets = count * 10 // 48 + 1 if count >= SLOTS else 1
    cdef uint64_t salt = 0, salted, b
    cdef Py_ssize_t i, slot
    cdef uint32_t mark
    cdef bint clash = True
    cdef uint32_t[:, ::1] view
    while clash:
        salt += 1
        clash = False
        index = new_index(buckets)
        view = index
        for i in range(keys.shape[0]):
            if places[i] == NO_ROW_C:
                continue
            salted = mix(salt, keys[i])
            mark = fingerprint(salted)
            b = home(salted, buckets)
            slot = 0
            while view[b, slot] != 0:
                if view[b, slot] == mark:
                    clash = True
                slot += 1
                if slot == SLOTS:
                    slot = 0
                    b = b + 1 if b + 1 < buckets else 0
            view[b, slot] = mark
            view[b, SLOTS + slot] = places[i]
    return index, salt
