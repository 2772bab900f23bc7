"""Unpacking: the index and the arena of a frozen table from the bytes written by ``pack``, or from any others.

No bytes cause an access outside the table: the fields are checked before anything is allocated, every row before it is
written. That the table is consistent (searches end, rows are disjoint) is checked by FrozenWeights, as for any table.
"""

from libc.stdint cimport uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import numpy as np

from plait.core._packing import is_packable

from plait.core._entropy cimport (
    SYMBOLS,
    BitReader,
    Model,
    SymbolReader,
    is_finished,
    is_used_up,
    next_number,
    next_symbol,
    open_bits,
    open_symbols,
    read_models,
    take_bits,
    unzigzag,
)
from plait.core._packing cimport (
    BUCKET,
    FIELDS,
    GAP,
    MASK,
    MAX_MASKS,
    NOISE,
    OCCUPANCY,
    REFERENCE,
    SIZE,
    SLOTS,
    WEIGHT,
    Fields,
    Shape,
    contexts_of,
    shape_of,
)
from plait.core._types cimport uint16_t, uint32_t, uint64_t

cdef extern from "portable.h" nogil:
    int lowest_bit "plait_lowest_bit" (unsigned int bits)

cdef enum:
    LINE = 64           # bytes of a cache line


cdef struct Table:
    Shape shape
    Fields fields
    const uint8_t *noise
    SymbolReader slots
    SymbolReader labels
    SymbolReader weights
    BitReader rest
    Model *models       # of sizes, weights, occupancy, gaps; of references, masks, and labels in each context
    uint32_t *index
    uint16_t *arena
    uint64_t used       # units of the arena


def new_index(Py_ssize_t buckets):
    """An empty index with buckets aligned to cache lines; numpy aligns to 16 bytes only."""
    memory = np.zeros(buckets * BUCKET * sizeof(uint32_t) + LINE, dtype=np.uint8)
    first = -memory.ctypes.data % LINE
    return memory[first:first + buckets * BUCKET * sizeof(uint32_t)].view(np.uint32).reshape(buckets, BUCKET)


def unpack(packed, Py_ssize_t labels, int bits):
    """(index, arena) of a packed table; a ValueError for invalid bytes."""
    cdef const uint8_t[::1] content = packed
    cdef Table table
    cdef uint64_t size = content.shape[0], needed
    if bits not in (8, 16, 32) or not 1 <= labels <= 0xffff or bits == 8 and labels > 256:
        raise ValueError(f"{bits} bits with {labels} labels is not a table this version reads")
    if size < 4 * FIELDS:
        raise ValueError("the packed table is cut off")
    memcpy(&table.fields, &content[0], 4 * FIELDS)
    cdef Fields fields = table.fields
    table.shape = shape_of(labels, bits, fields.context)
    if fields.context > 1 or (table.shape.many and fields.context > 0):
        raise ValueError("the packed table has contexts that this version does not read")
    needed = 4 * FIELDS + NOISE * <uint64_t> fields.features + fields.models + fields.contexts + fields.rest
    needed += <uint64_t> fields.slots + fields.labels
    if needed > size:
        raise ValueError("the packed table is cut off")
    if not is_packable(fields.features, fields.buckets, fields.units) or fields.shared > fields.features:
        raise ValueError("the packed table is larger than its features allow")
    index = new_index(fields.buckets)
    arena = np.zeros(1, dtype=np.uint16) if fields.units == 0 else np.empty(fields.units, dtype=np.uint16)
    if fields.buckets == 0:
        raise ValueError("the packed table has no index")
    cdef uint32_t[:, ::1] index_view = index
    cdef uint16_t[::1] arena_view = arena
    table.index, table.arena, table.used = &index_view[0, 0], &arena_view[0], 0
    cdef const char *fault
    with nogil:
        fault = read_table(&table, &content[0], &content[0] + size)
    if fault != NULL:
        raise ValueError(f"the packed table is damaged: {(<bytes> fault).decode()}")
    return index, arena


cdef const char *read_table(Table *table, const uint8_t *at, const uint8_t *end) noexcept nogil:
    """Fill the index and the arena; returns what is wrong, or NULL."""
    cdef Fields *fields = &table.fields
    cdef Py_ssize_t contexts = contexts_of(table.shape.labels, table.shape.context)
    cdef int symbols = SYMBOLS if table.shape.many else <int> table.shape.labels
    cdef BitReader models, context_models
    cdef const char *fault
    table.noise = at + 4 * FIELDS
    at = table.noise + NOISE * <uint64_t> fields.features
    models = open_bits(at, at + fields.models)
    at += fields.models
    context_models = open_bits(at, at + fields.contexts)
    at += fields.contexts
    table.rest = open_bits(at, at + fields.rest)
    at += fields.rest
    table.slots = open_symbols(at, at + fields.slots)
    at += fields.slots
    table.labels = open_symbols(at, at + fields.labels)
    table.weights = open_symbols(at + fields.labels, end)
    table.models = <Model *> malloc((4 + MASK + table.shape.mask_models + contexts) * sizeof(Model))
    cdef uint32_t *shared = <uint32_t *> malloc((<uint64_t> fields.shared + 1) * sizeof(uint32_t))
    if table.models == NULL or shared == NULL:
        fault = "too large for the available memory"
    else:
        fault = read_models(&models, table.models, 2, SYMBOLS)
        if fault == NULL:
            fault = read_models(&models, table.models + 2 + OCCUPANCY, 1, SLOTS + 1)
        if fault == NULL:
            fault = read_models(&models, table.models + 2 + GAP, 1, SYMBOLS)
        if fault == NULL:
            fault = read_models(&context_models, table.models + 4, MASK + table.shape.mask_models, SYMBOLS)
        if fault == NULL:
            fault = read_models(&context_models, table.models + 4 + MASK + table.shape.mask_models, contexts, symbols)
        if fault == NULL and not (is_used_up(&models) and is_used_up(&context_models)):
            fault = "models of another length"
        if fault == NULL:
            fault = read_features(table, shared)
    free(shared)
    free(table.models)
    return fault


cdef const char *read_features(Table *table, uint32_t *shared) noexcept nogil:
    cdef const Model *sizes = table.models + SIZE
    cdef const Model *occupancy = table.models + 2 + OCCUPANCY
    cdef const Model *gaps = table.models + 2 + GAP
    cdef const Model *references = table.models + 4 + REFERENCE
    cdef const char *fault
    cdef uint32_t features = table.fields.features, i = 0, k, print_
    cdef uint32_t *bucket = table.index
    cdef const uint8_t *noise = table.noise
    cdef uint64_t reference
    cdef int slot, filled
    for k in range(table.fields.shared):
        fault = read_row(table, sizes, shared + k)
        if fault != NULL:
            return fault
    for _ in range(table.fields.buckets):
        filled = next_symbol(&table.slots, occupancy)
        if <uint32_t> filled > features - i:
            return "more features than there are"
        i += filled
        print_ = 0
        for slot in range(filled):
            print_ += <uint32_t> next_symbol(&table.slots, gaps) << 24 | noise[0] | <uint32_t> noise[1] << 8 | (
                <uint32_t> noise[2] << 16)
            noise += NOISE
            bucket[slot] = print_
            reference = next_number(&table.labels, references, &table.rest)
            if reference == 0:
                fault = read_row(table, sizes, bucket + SLOTS + slot)
                if fault != NULL:
                    return fault
            elif reference <= table.fields.shared:
                bucket[SLOTS + slot] = shared[reference - 1]
            else:
                return "a shared row that is not there"
        bucket += BUCKET
    if i != features or table.used != table.fields.units:
        return "less than it says"
    if not (is_finished(&table.slots) and is_finished(&table.labels) and is_finished(&table.weights)):
        return "streams of another length"
    if not is_used_up(&table.rest):
        return "streams of another length"
    return NULL


cdef const char *read_row(Table *table, const Model *sizes, uint32_t *place) noexcept nogil:
    """Append the next row, and set its place; returns what is wrong, or NULL."""
    cdef Shape *shape = &table.shape
    cdef uint64_t size = next_number(&table.weights, sizes, &table.rest), units
    cdef uint16_t *row = table.arena + table.used
    if size > 1 + shape.labels:
        return "a row with more weights than labels"
    units = shape.dense if size == 0 else 1 + (size - 1) * shape.width
    if units > table.fields.units - table.used:
        return "more rows than there is space for"
    place[0] = <uint32_t> (table.used << 1 | (size == 0))
    table.used += units
    if size == 0:
        memset(row, 0, units * sizeof(uint16_t))
        return read_dense(table, row)
    row[0] = <uint16_t> (size - 1)
    if shape.bits == 8:
        read_bytes(table, row + 1, size - 1)
        return NULL
    return read_entries(table, row + 1, size - 1)


cdef const char *read_dense(Table *table, uint16_t *row) noexcept nogil:
    cdef const Model *model = table.models + 4 + MASK
    cdef const Model *weight_model = table.models + WEIGHT
    cdef SymbolReader weights = table.weights  # in registers
    cdef uint64_t k, label, labels = table.shape.labels
    cdef int mask, bits = table.shape.bits
    for k in range(table.shape.masks):
        mask = next_symbol(&table.labels, model + min(k, <uint64_t> MAX_MASKS - 1))
        label = 8 * k
        while mask != 0:
            label = 8 * k + lowest_bit(mask)
            mask &= mask - 1
            if label >= labels:
                return "a label that is none"
            if bits == 8:
                (<uint8_t *> row)[label] = <uint8_t> next_symbol(&weights, weight_model)
            else:
                read_weight(table, &weights, row, label)
    table.weights = weights
    return NULL


cdef void read_bytes(Table *table, uint16_t *row, uint64_t size) noexcept nogil:
    """The entries of a sparse row of 8 bits. The readers are copied to registers: this takes most of the time."""
    cdef SymbolReader labels = table.labels, weights = table.weights
    cdef const Model *weight_model = table.models + WEIGHT
    cdef const Model *first = table.models + 4 + MASK + table.shape.mask_models
    cdef const Model *model = first
    cdef uint64_t j, step = table.shape.context
    cdef int label
    for j in range(size):
        label = next_symbol(&labels, model)       # its models contain only valid labels
        model = first + step * (1 + label)
        row[j] = <uint16_t> (label << 8 | next_symbol(&weights, weight_model))
    table.labels, table.weights = labels, weights


cdef const char *read_entries(Table *table, uint16_t *row, uint64_t size) noexcept nogil:
    """The entries of a sparse row of 16 or 32 bits: labels, then weights."""
    cdef const Model *first = table.models + 4 + MASK + table.shape.mask_models
    cdef const Model *model = first
    cdef uint64_t j
    cdef int label = -1
    for j in range(size):
        if table.shape.many:
            label += 1 + unzigzag(next_number(&table.labels, model, &table.rest) & 0x3ffff)
            if not 0 <= label < <int> table.shape.labels:
                return "a label that is none"
        else:
            label = next_symbol(&table.labels, model)
            model = first + <uint64_t> table.shape.context * (1 + label)
        row[j] = <uint16_t> label
        read_weight(table, &table.weights, row + size, j)
    return NULL


cdef inline void read_weight(Table *table, SymbolReader *weights, uint16_t *row, uint64_t at) noexcept nogil:
    """Read a weight of 16 or 32 bits and write it to a row."""
    cdef uint32_t number
    if table.shape.bits == 16:
        row[at] = <uint16_t> unzigzag(next_number(weights, table.models + WEIGHT, &table.rest) & 0xffff)
    else:
        number = take_bits(&table.rest, 32)
        row[2 * at] = <uint16_t> number
        row[2 * at + 1] = <uint16_t> (number >> 16)
