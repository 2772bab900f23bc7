# Keys: 64-bit hashes of filled templates. They must stay the same on every machine: model files rely on it.

from plait.core._types cimport atom_t, key_t, uint64_t

cdef inline uint64_t mix(uint64_t h, uint64_t value) noexcept nogil:
    """Mix one value into a running hash: multiply by MurmurHash2's odd constant, mix high bits into low ones."""
    h = (h ^ value) * <uint64_t> 0xc6a4a7935bd1e995
    return h ^ (h >> 47)


cdef inline uint64_t finish(uint64_t h) noexcept nogil:
    """Spread the bits so that both halves can be used separately, and reserve 0 for "did not fire"."""
    h = h * <uint64_t> 0xc6a4a7935bd1e995
    h ^= h >> 32
    return h if h != 0 else 1


cdef inline uint64_t hash_characters(const Py_UCS4 *text, Py_ssize_t n) noexcept nogil:
    """The hash of a text; never 0."""
    cdef uint64_t h = 0x9e3779b97f4a7c15
    cdef Py_ssize_t i
    for i in range(n):
        h = mix(h, text[i])
    return finish(h)


# the same for a part of a Python string
cdef uint64_t hash_text(str text, Py_ssize_t start, Py_ssize_t end)
