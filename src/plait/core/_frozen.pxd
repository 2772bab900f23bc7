# The weight table of a trained model: read-only, quantized, shared by all threads.

from libc.stdint cimport uint8_t

from plait.core._types cimport key_t, label_t, score_t, uint16_t, uint32_t, uint64_t
from plait.core._weights cimport Scorer


cdef class FrozenWeights(Scorer):
    cdef readonly int bits       # of a stored weight: 8, 16 or 32
    cdef readonly double scale   # a weight is its stored number times this power of two (1 for 32 bits)
    cdef readonly uint64_t salt  # mixed into every key; chosen so that known keys do not collide
    # The index consists of buckets of one cache line: eight fingerprints (0: free, as are all after it), then the rows
    # of these eight, as position in the arena << 1 | dense. The home bucket comes from the low half of the salted key,
    # the fingerprint is its high half; a full bucket overflows into the next. Known features are found exactly; an
    # unseen one is mistaken for a known one about once in 10^9 lookups.
    cdef readonly object index   # uint32 [buckets][16]
    # A sparse row is   count, then the entries   in units of 16 bits:
    #   8 bits: one unit an entry, label << 8 | weight;   16 bits: labels, then weights;   32: labels, then floats
    # A dense row is one weight per label.
    cdef readonly object arena   # uint16 [...]
    cdef const uint32_t *_index
    cdef const uint16_t *_arena
    cdef uint64_t buckets
    # If most keys of a search are unknown, a filter rejects nearly all of them without accessing the index: two bits
    # for every fingerprint, in a word selected by other bits of it.
    cdef uint64_t *filter        # NULL: none
    cdef uint32_t filter_mask    # number of words - 1

    cdef int check(self, bint rows) except -1
    cdef const char *check_index(self, uint8_t *marks, uint64_t size) noexcept nogil
    cdef const char *check_marked(self, const uint8_t *marks, uint64_t size) noexcept nogil
