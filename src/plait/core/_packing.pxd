# The layout of a packed table; _packing.pyx explains it.
#
# A packed array begins with the numbers of FIELDS, of 32 bits each, the last of them the lengths in bytes of the
# sections that follow:
#
#   noise       the low bytes of the gaps, NOISE bytes for each feature
#   models      bits: the models of sizes and weights, of occupancy and gaps
#   contexts    bits: the models of references and labels
#   rest        bits: the low bits of large numbers, and weights of 32 bits
#   slots       symbols: the occupancy of each bucket, the high byte of each gap
#   labels      symbols: the number of the shared row of each feature (0: its own row follows), the labels of all rows;
#               those of a dense row as masks, which of eight labels have a weight
#   weights     symbols: the size of each row + 1, or 0 for a dense one; its weights

from plait.core._types cimport uint16_t, uint32_t, uint64_t

cdef enum:
    SLOTS = 8           # of a bucket, as in _frozen.pyx
    BUCKET = 16
    NOISE = 3
    FIELDS = 10
    # models of each stream of symbols
    OCCUPANCY = 0
    GAP = 1
    REFERENCE = 0
    MASK = 1            # and following, one for every eight labels; then those of labels, one for each context
    MAX_MASKS = 32      # with separate models; further masks share that of the last
    SIZE = 0
    WEIGHT = 1

cdef struct Fields:
    uint32_t features, buckets, units
    uint32_t shared     # rows that several features share; they come first
    uint32_t context    # of a label in a sparse row: 0 none (with many labels gaps are coded), 1 the previous label
    uint32_t models, contexts, rest, slots, labels      # lengths

cdef struct Shape:
    uint64_t labels
    uint64_t dense      # units of a dense row
    uint64_t width      # units of an entry of a sparse row
    uint64_t masks      # of a dense row
    uint64_t mask_models
    int bits
    int context
    bint many           # more labels than symbols


cdef inline Shape shape_of(Py_ssize_t labels, int bits, int context) noexcept nogil:
    cdef Shape shape
    shape.labels, shape.bits, shape.context, shape.many = labels, bits, context, labels > 256
    shape.dense = (labels + 1) // 2 if bits == 8 else labels * (bits // 16)
    shape.width = 1 if bits == 8 else 1 + bits // 16
    shape.masks = (labels + 7) // 8
    shape.mask_models = min(shape.masks, <uint64_t> MAX_MASKS)
    return shape


cdef inline Py_ssize_t contexts_of(Py_ssize_t labels, int context) noexcept nogil:
    """The number of contexts: a single one, or each previous label and none."""
    return 1 if context == 0 else labels + 1
