"""Packing: the index and the arena of a frozen table as one array of bytes, a third as large.

A table in memory is laid out for speed: fingerprints and positions in cache lines with free slots, frequent labels in
rows that are mostly zeros. None of that is information. What is stored is

  * the features in the order of the index; in a bucket by fingerprint, so that the gaps suffice;
  * for each the number of its row among those that several features share, the most shared first (small numbers), or
    otherwise the row itself, so that no row needs an address;
  * a row as its weights and their labels: in a sparse row each in the context of the previous one, in a dense row as
    masks, which of eight labels have a weight.

All are entropy-coded (_entropy.pxd), in three streams that can be read in parallel; the low bits of the gaps, which are
noise, are stored uncompressed. ``unpack`` restores the table except for the order of rows and of the fingerprints in a
bucket: scores and speed are the same.
"""

from libc.stdint cimport uint8_t

import numpy as np

from plait.core._entropy cimport BitWriter, SymbolWriter, zigzag
from plait.core._types cimport int16_t, uint16_t, uint32_t

cdef uint64_t MAX_UNITS = <uint64_t> 1 << 31


def is_packable(uint64_t features, uint64_t buckets, uint64_t units):
    """Whether the size of a table is in proportion to its features, as that of ``freeze`` is.

    A feature takes at least ``NOISE`` bytes of a file, so a small file cannot exhaust the memory. The position of a row
    has 31 bits: with more units it could overflow into the middle of another row.
    """
    return buckets <= features + SLOTS and units <= 64 * features + (1 << 16) and units < MAX_UNITS


def pack(index, arena, Py_ssize_t labels, int bits):
    """One array of bytes; ``unpack`` is the inverse."""
    gaps, places, occupancy = in_order(index)
    shared, references = shared_rows(places)
    cdef Shape shape = shape_of(labels, bits, labels <= 256)
    cdef SymbolWriter slots = SymbolWriter(), words = SymbolWriter(), weights = SymbolWriter()
    cdef BitWriter rest = BitWriter()
    units = write_rows(arena, places, occupancy, gaps, shared, references, &shape, slots, words, weights, rest)
    models = BitWriter()
    last = weights.coded(np.array([SIZE, WEIGHT]), models)
    first = slots.coded(np.array([OCCUPANCY, GAP]), models)
    tried = [with_context(words, &shape, context) for context in range(shape.context + 1)]
    context, contexts, middle = min(tried, key=lambda coded: len(coded[1]) + len(coded[2]))
    sections = [models.finished(), contexts, rest.finished(), first, middle]
    fields = [len(gaps), len(occupancy), units, len(shared), context, *map(len, sections)]
    noise = gaps.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :NOISE]
    return np.frombuffer(
        b"".join([np.array(fields, dtype="<u4").tobytes(), noise.tobytes(), *sections, last]), dtype=np.uint8
    )


def in_order(index):
    """[features] the gaps between fingerprints and the row positions, in stored order; [buckets] their numbers."""
    prints, places = index[:, :SLOTS].astype(np.int64), index[:, SLOTS:]
    prints[prints == 0] = 1 << 32       # free slots stay last
    order = np.argsort(prints, axis=1, kind="stable")
    prints, places = np.take_along_axis(prints, order, axis=1), np.take_along_axis(places, order, axis=1)
    used = prints < 1 << 32
    gaps = np.diff(prints, axis=1, prepend=0)
    return gaps[used].astype(np.uint32), np.ascontiguousarray(places[used]), used.sum(axis=1, dtype=np.uint8)


def shared_rows(places):
    """The places of rows that several features share, the most shared first; [features] number of the row, or 0."""
    rows, first, which, counts = np.unique(places, return_index=True, return_inverse=True, return_counts=True)
    several = np.flatnonzero(counts > 1)
    several = several[np.lexsort((first[several], -counts[several]))]
    number = np.zeros(len(rows), dtype=np.uint32)
    number[several] = np.arange(1, len(several) + 1)
    return np.ascontiguousarray(rows[several]), np.ascontiguousarray(number[which])


cdef with_context(SymbolWriter words, const Shape *shape, int context):
    """References, masks and labels coded with or without the context of a label, and their models, as bytes."""
    labels = np.arange(contexts_of(shape.labels, shape.context)) * context
    models = BitWriter()
    first = MASK + shape.mask_models
    coded = words.coded(np.concatenate([np.arange(first), first + labels]), models)
    return context, models.finished(), coded


cdef Py_ssize_t write_rows(
    const uint16_t[::1] arena, const uint32_t[::1] places, const uint8_t[::1] occupancy, const uint32_t[::1] gaps,
    const uint32_t[::1] shared, const uint32_t[::1] references, const Shape *shape,
    SymbolWriter slots, SymbolWriter words, SymbolWriter weights, BitWriter rest,
) except -1:
    """Write shared rows, then the buckets with the rows of single features; returns the units of all rows."""
    cdef Py_ssize_t b, k, i = 0, units = 0
    for k in range(shared.shape[0]):
        units += write_row(&arena[shared[k] >> 1], shared[k] & 1, shape, words, weights, rest)
    for b in range(occupancy.shape[0]):
        slots.put(OCCUPANCY, occupancy[b])
        for _ in range(occupancy[b]):
            slots.put(GAP, gaps[i] >> (8 * NOISE))
            words.put_number(REFERENCE, references[i], rest)
            if references[i] == 0:
                units += write_row(&arena[places[i] >> 1], places[i] & 1, shape, words, weights, rest)
            i += 1
    return units


cdef Py_ssize_t write_row(const uint16_t *row, bint dense, const Shape *shape, SymbolWriter words,
                          SymbolWriter weights, BitWriter rest) except -1:
    """Write one row; returns its units in the arena."""
    if dense:
        weights.put_number(SIZE, 0, rest)
        write_dense(row, shape, words, weights, rest)
        return shape.dense
    weights.put_number(SIZE, 1 + row[0], rest)
    write_sparse(row, shape, words, weights, rest)
    return 1 + row[0] * shape.width


cdef int write_dense(const uint16_t *row, const Shape *shape, SymbolWriter words, SymbolWriter weights,
                     BitWriter rest) except -1:
    cdef Py_ssize_t k, label
    cdef int mask
    for k in range(shape.masks):
        mask = 0
        for label in range(8 * k, min(8 * k + 8, <Py_ssize_t> shape.labels)):
            if dense_weight(row, label, shape.bits) != 0:
                mask |= 1 << (label - 8 * k)
                write_weight(dense_weight(row, label, shape.bits), shape.bits, weights, rest)
        words.put(MASK + min(<int> k, MAX_MASKS - 1), mask)
    return 0


cdef int write_sparse(const uint16_t *row, const Shape *shape, SymbolWriter words, SymbolWriter weights,
                      BitWriter rest) except -1:
    cdef Py_ssize_t j, n = row[0]
    cdef int label, before = -1, first = MASK + <int> shape.mask_models
    row += 1
    for j in range(n):
        label = row[j] >> 8 if shape.bits == 8 else row[j]
        if shape.many:
            words.put_number(first, zigzag(label - before - 1), rest)
        else:
            words.put(first + before + 1, label)
        before = label
        write_weight(row[j] & 0xff if shape.bits == 8 else dense_weight(row + n, j, shape.bits), shape.bits,
                     weights, rest)
    return 0


cdef inline uint32_t dense_weight(const uint16_t *row, Py_ssize_t label, int bits) noexcept nogil:
    """The bits of a weight of a dense row."""
    if bits == 8:
        return (<const uint8_t *> row)[label]
    return row[label] if bits == 16 else row[2 * label] | <uint32_t> row[2 * label + 1] << 16


cdef int write_weight(uint32_t weight, int bits, SymbolWriter out, BitWriter rest) except -1:
    if bits == 8:
        return out.put(WEIGHT, weight)
    if bits == 16:
        return out.put_number(WEIGHT, zigzag(<int16_t> weight), rest)
    return rest.put(weight, 32)
