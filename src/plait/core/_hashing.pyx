"""Hashes of strings by code point, independent of encoding and CPython's storage width."""

from cpython.unicode cimport PyUnicode_READ_CHAR

from plait.core._hashing cimport finish, mix
from plait.core._types cimport uint64_t


cdef uint64_t hash_text(str text, Py_ssize_t start, Py_ssize_t end):
    cdef uint64_t h = 0x9e3779b97f4a7c15
    cdef Py_ssize_t i
    for i in range(start, end):
        h = mix(h, <uint64_t> PyUnicode_READ_CHAR(text, i))
    return finish(h)


def text_hash(str text not None):
    """The 64-bit hash of a string; never 0."""
    return hash_text(text, 0, len(text))


def key_of(uint64_t seed, atoms):
    """The key of one filled template, as the extractors compute it; 0 when an atom is absent."""
    cdef uint64_t h = seed
    for atom in atoms:
        if atom == 0:
            return 0
        h = mix(h, <uint64_t> atom)
    return finish(h)
