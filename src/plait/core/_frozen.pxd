# The weight table of a finished model: read-only, small numbers, shared by all threads, mapped from the file.

from plait.core._types cimport key_t, label_t, score_t, uint16_t, uint32_t, uint64_t
from plait.core._weights cimport Scorer


cdef class FrozenWeights(Scorer):
    cdef readonly int bits       # of a stored weight: 8, 16 or 32
    cdef readonly double scale   # a weight is its stored number times this power of two (1 for 32 bits)
    cdef readonly uint64_t salt  # folded into every key; chosen so that no two known keys are confused
    # A slot of the index is (fingerprint << 32) | (place of the row in the arena + 1); 0 is free. The home slot comes
    # from the low half of the salted key and the fingerprint is its high half: known features are found exactly, and
    # an unseen one is taken for a known one about once in 10^9 look-ups.
    cdef readonly object index   # uint64 [slots]
    # A row is   count, then the entries   in units of 16 bits; count DENSE: one weight per label and no labels.
    #   8 bits: one unit an entry, label << 8 | weight;   16 bits: labels, then weights;   32: labels, then floats
    cdef readonly object arena   # uint16 [...]
    cdef const uint64_t *_index
    cdef const uint16_t *_arena
    cdef uint64_t slots

    cdef int check(self) except -1
    cdef void add_row(self, const uint16_t *row, score_t *scores) noexcept nogil
