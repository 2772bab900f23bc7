# Words and lemmas of the training data, as sorted hashes.

from plait.core._hashing cimport finish, mix
from plait.core._types cimport uint32_t, uint64_t
from plait.morphology._word_tag cimport WordTag

cdef enum:
    NUMBERS = 1 << 16       # of scripts, in known words

cdef enum:                  # what is known: a lemma, a lemma with a part of speech, a form with a lemma
    LEMMA
    TAGGED
    PAIR

cdef uint64_t EMPTY         # the hash of an empty text


cdef inline uint32_t joined_hash(uint64_t kind, uint64_t a, uint64_t b) noexcept nogil:
    return <uint32_t> (finish(mix(mix(kind, a), b)) >> 32)


cdef class KnownWords:
    cdef readonly object words      # uint64 [...], ascending
    cdef const uint64_t[::1] _words
    cdef uint32_t[::1] starts       # [buckets + 1]: numbers whose first bits are b stand from starts[b] on
    cdef int shift                  # leaves the first bits

    cdef Py_ssize_t script_of(self, str form, WordTag tag) except? -2    # its number; -1: the word is not known


cdef class KnownLemmas:
    cdef readonly object hashes     # uint32 [...], ascending
    cdef const uint32_t[::1] _hashes
    cdef uint32_t[::1] starts       # as of KnownWords
    cdef int shift

    cdef void expect(self, uint32_t value) noexcept nogil
    cdef bint has(self, uint32_t value) noexcept nogil
