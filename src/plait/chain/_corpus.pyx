"""Training data as numbers: the features of every item as row numbers, found once and used in every iteration.

Two properties of the data reduce the work of an iteration without changing its result.

Features that occur at the same items are *tied*: they have the same gradient, so from the same start they keep the same
weight forever. They get one row. For example, all features that only one word of the data has are a single row.

The features of an item that depend on only one of its words are a *block*. A block that occurs more than once is summed
once per evaluation; items refer to it as if it were a feature.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcmp

import numpy as np

from plait.core._arrays cimport enlarged
from plait.core._hashing cimport finish, mix
from plait.core._memory cimport KeyMap, clear, free_map, insert, reserve


cdef struct Feature:
    int64_t times       # number of occurrences
    int64_t first       # the first item
    uint64_t places     # a hash of its items: equal for features with the same items


cdef struct Block:
    int64_t times
    int64_t first       # the first segment with it


cdef class Encoder:
    """Numbers the features of one view in order of occurrence; ``finish`` drops rare ones and renumbers the rest.

    ``segments`` are lists of templates, by number: the features of one segment form a block, except for the last.
    """

    cdef KeyMap numbers         # key → its number, from 1
    cdef Feature *features      # [capacity]
    cdef Py_ssize_t capacity
    cdef int32_t *ids           # [used]: the features of all items, one after the other, segment by segment
    cdef Py_ssize_t used, ids_capacity
    cdef list starts            # where the segments end in ids
    cdef int32_t[::1] templates         # of all segments
    cdef int32_t[::1] segment_ends      # [segments]
    cdef int64_t items
    cdef KeyMap block_numbers   # from 1
    cdef Block *blocks          # [blocks_capacity]
    cdef Py_ssize_t blocks_capacity
    cdef list block_of          # [items][segments - 1]: the number of the block, or -1

    def __cinit__(self, segments):
        reserve(&self.numbers, 1 << 15)
        reserve(&self.block_numbers, 1 << 12)
        self.templates = np.array([k for part in segments for k in part], dtype=np.int32)
        self.segment_ends = np.cumsum([len(part) for part in segments]).astype(np.int32)
        self.starts = [np.zeros(1, dtype=np.int64)]
        self.block_of = [np.zeros((0, len(segments) - 1), dtype=np.int32)]

    def __dealloc__(self):
        free_map(&self.numbers)
        free_map(&self.block_numbers)
        free(self.features)
        free(self.ids)
        free(self.blocks)

    def add(self, const uint64_t[:, ::1] keys not None):
        """Add the keys of some items, [items][templates]; 0 is a template that did not fire."""
        cdef Py_ssize_t n = keys.shape[0], width = self.templates.shape[0], parts = self.segment_ends.shape[0], i, k, p
        cdef Py_ssize_t before
        cdef int32_t number
        cdef uint64_t key, place, block
        if keys.shape[1] != width:
            raise ValueError(f"{keys.shape[1]} templates; expected {width}")
        ends, blocks = np.zeros((n, parts), dtype=np.int64), np.full((n, parts - 1), -1, dtype=np.int32)
        cdef int64_t[:, ::1] end = ends
        cdef int32_t[:, ::1] block_of = blocks
        while self.used + n * width > self.ids_capacity:
            self.ids = <int32_t *> enlarged(self.ids, &self.ids_capacity, sizeof(int32_t))
        for i in range(n):
            place = finish(mix(mix(1, self.items), self.items))
            k = 0
            for p in range(parts):
                before = self.used
                block = p + 1
                while k < self.segment_ends[p]:
                    key = keys[i, self.templates[k]]
                    k += 1
                    if key == 0:
                        continue
                    number = self.find(key)
                    self.features[number].times += 1
                    self.features[number].places += place
                    self.ids[self.used] = number
                    self.used += 1
                    block = mix(block, key)
                if p + 1 < parts and self.used - before > 1:
                    block_of[i, p] = self.find_block(finish(block), self.items * parts + p)
                end[i, p] = self.used
            self.items += 1
        self.starts.append(ends.reshape(-1))
        self.block_of.append(blocks)

    cdef int32_t find(self, uint64_t key) except -1:
        """The number of a feature, which may be new."""
        cdef uint64_t *number = &insert(&self.numbers, key).value.number
        if number[0] == 0:
            if self.numbers.count >= 2147483647:
                raise MemoryError("more than 2^31 features")
            if <Py_ssize_t> self.numbers.count > self.capacity:
                self.features = <Feature *> enlarged(self.features, &self.capacity, sizeof(Feature))
            self.features[self.numbers.count - 1] = Feature(0, self.items, 0)
            number[0] = self.numbers.count
        return <int32_t> (number[0] - 1)

    cdef int32_t find_block(self, uint64_t key, int64_t segment) except -1:
        """The number of a block that occurs in this segment."""
        cdef uint64_t *number = &insert(&self.block_numbers, key).value.number
        if number[0] == 0:
            if <Py_ssize_t> self.block_numbers.count > self.blocks_capacity:
                self.blocks = <Block *> enlarged(self.blocks, &self.blocks_capacity, sizeof(Block))
            self.blocks[self.block_numbers.count - 1] = Block(0, segment)
            number[0] = self.block_numbers.count
        self.blocks[number[0] - 1].times += 1
        return <int32_t> (number[0] - 1)

    def finish(self, Py_ssize_t cutoff, bint tie=False, Py_ssize_t max_blocks=0):
        """(keys, members, times, ids, starts, blocks of items, block ids, block starts), see ``CrfCorpus``.

        Features seen fewer than ``cutoff`` times are dropped; with ``tie`` those with the same items share one row; the
        ``max_blocks`` most frequent blocks are taken out of the items. The encoder is empty afterwards.
        """
        cdef Py_ssize_t i, count = self.numbers.count
        cdef uint64_t slot
        keys, times = np.zeros(count, dtype=np.uint64), np.zeros(count, dtype=np.int64)
        cdef uint64_t[::1] key_view = keys
        cdef int64_t[::1] times_view = times
        for slot in range(self.numbers.mask + 1):
            if self.numbers.slots[slot].key != 0:
                key_view[self.numbers.slots[slot].value.number - 1] = self.numbers.slots[slot].key
        for i in range(count):
            times_view[i] = self.features[i].times
        leaders = self.leaders(tie)
        # Frequent rows first, so that they are close together in memory; the others by first occurrence, so that a pass
        # over the data accesses the rare ones sequentially.
        kept = np.nonzero((leaders == np.arange(count)) & (times >= cutoff))[0]
        kept = kept[np.argsort(-times[kept], kind="stable")]
        rows = np.full(count + 1, -1, dtype=np.int32)       # of the leaders of tied features
        rows[kept] = np.arange(len(kept), dtype=np.int32)
        row_of = rows[leaders]                              # of all features
        order = np.argsort(row_of, kind="stable")
        order = order[np.count_nonzero(row_of < 0):]
        members = np.bincount(row_of[order], minlength=len(kept)).astype(np.int64)
        found = self.renumbered(rows, self.shared(max_blocks))
        self.used = self.items = 0
        clear(&self.numbers)
        clear(&self.block_numbers)
        return keys[order], members, times[kept], *found

    cdef leaders(self, bint tie):
        """For each feature the first one that it is tied to.

        Only features with the same first item are compared; there are no more than templates, so hash collisions are
        negligible.
        """
        cdef Py_ssize_t i, j, begin = 0, count = self.numbers.count
        found = np.arange(count, dtype=np.int64)
        cdef int64_t[::1] leader = found
        cdef Feature *a
        cdef Feature *b
        for i in range(count if tie else 0):
            a = self.features + i
            if a.first != self.features[begin].first:
                begin = i
            for j in range(begin, i):
                b = self.features + j
                if leader[j] == j and a.places == b.places and a.times == b.times:
                    leader[i] = j
                    break
        return found

    cdef shared(self, Py_ssize_t limit):
        """The numbers of the most frequent blocks, seen at least twice, by how often they were seen."""
        cdef Py_ssize_t i, count = self.block_numbers.count
        times = np.zeros(count, dtype=np.int64)
        cdef int64_t[::1] times_view = times
        for i in range(count):
            times_view[i] = self.blocks[i].times
        order = np.argsort(-times, kind="stable")[:limit]
        return order[times[order] > 1]

    cdef renumbered(self, const int32_t[::1] rows, const int64_t[::1] shared):
        """(ids, starts, blocks of items, block ids, block starts): rows for features, blocks taken out."""
        cdef Py_ssize_t parts = self.segment_ends.shape[0], n = self.items, b, i, j, p, kept = 0
        cdef int64_t first, size, end
        starts, block_of = np.concatenate(self.starts), np.concatenate(self.block_of)
        cdef int64_t[::1] old = starts
        cdef int32_t[:, ::1] blocks = block_of
        new_number = np.full(self.block_numbers.count, -1, dtype=np.int32)
        cdef int32_t[::1] new = new_number
        block_starts = np.zeros(shared.shape[0] + 1, dtype=np.int64)
        cdef int64_t[::1] block_start = block_starts
        for b in range(shared.shape[0]):
            new[shared[b]] = b
            first = self.blocks[shared[b]].first
            block_start[b + 1] = block_start[b] + self.copy(rows, old[first], old[first + 1], NULL)
        block_ids = np.zeros(block_start[shared.shape[0]] + 1, dtype=np.int32)
        cdef int32_t[::1] block_id = block_ids
        for b in range(shared.shape[0]):
            first = self.blocks[shared[b]].first
            self.copy(rows, old[first], old[first + 1], &block_id[block_start[b]])
        item_starts = np.zeros(n + 1, dtype=np.int64)
        cdef int64_t[::1] start = item_starts
        result = np.zeros(self.used + 1, dtype=np.int32)
        cdef int32_t[::1] out = result
        for i in range(n):
            for p in range(parts):
                first, end = old[i * parts + p], old[i * parts + p + 1]
                if p + 1 < parts and blocks[i, p] >= 0:
                    b = blocks[i, p]
                    blocks[i, p] = -1
                    if new[b] >= 0:
                        # distinguish blocks with the same hash
                        j = self.blocks[b].first
                        size = old[j + 1] - old[j]
                        if size == end - first and memcmp(self.ids + old[j], self.ids + first, size * 4) == 0:
                            blocks[i, p] = new[b]
                            continue
                kept += self.copy(rows, first, end, &out[kept])
            start[i + 1] = kept
        end = block_start[shared.shape[0]]
        return result[:kept].copy(), item_starts, block_of, block_ids[:end].copy(), block_starts

    cdef Py_ssize_t copy(self, const int32_t[::1] rows, int64_t first, int64_t last, int32_t *out) noexcept nogil:
        """Copy the rows of some features, if they have one, to ``out`` unless it is NULL; returns their number."""
        cdef Py_ssize_t count = 0
        cdef int64_t j
        for j in range(first, last):
            if rows[self.ids[j]] >= 0:
                if out != NULL:
                    out[count] = rows[self.ids[j]]
                count += 1
        return count


def seen_labels(const int32_t[::1] ids, const int64_t[::1] starts, const int32_t[:, ::1] block_of,
                const int32_t[::1] block_ids, const int64_t[::1] block_starts, const int32_t[::1] codes,
                Py_ssize_t rows, Py_ssize_t width):
    """(starts, codes): for each row the label codes that it occurs with, ascending. A code of -1 is ignored."""
    cdef Py_ssize_t i, j, b, g, n = codes.shape[0], blocks = block_starts.shape[0] - 1
    flags = np.zeros((rows, width), dtype=np.uint8)
    cdef uint8_t[:, ::1] seen = flags
    block_flags = np.zeros((blocks, width), dtype=np.uint8)
    cdef uint8_t[:, ::1] block_seen = block_flags
    for i in range(n):
        if codes[i] >= 0:
            for j in range(starts[i], starts[i + 1]):
                seen[ids[j], codes[i]] = 1
            for g in range(block_of.shape[1]):
                if block_of[i, g] >= 0:
                    block_seen[block_of[i, g], codes[i]] = 1
    for b in range(blocks):
        for j in range(block_starts[b], block_starts[b + 1]):
            for g in range(width):
                seen[block_ids[j], g] |= block_seen[b, g]
    counts = np.count_nonzero(flags, axis=1) if rows else np.zeros(0, dtype=np.int64)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), np.nonzero(flags)[1].astype(np.int32)
