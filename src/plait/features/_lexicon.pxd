# Tag dictionaries: the tags allowed for frequent words.

from plait.core._types cimport atom_t, label_t, uint16_t, uint64_t


cdef class TagDictionary:
    cdef readonly Py_ssize_t tags       # size of the tag set
    cdef readonly object words          # uint64 [n], word atoms, ascending
    cdef readonly object starts         # int64 [n + 1]: words[k] allows known[starts[k]] .. known[starts[k + 1] - 1]
    cdef readonly object known          # uint16
    cdef const uint64_t[::1] _words
    cdef const long long[::1] _starts
    cdef const uint16_t[::1] _known
    cdef label_t *everything              # 0 .. tags - 1, for all other words

    # the number of tags allowed for a word, and a pointer to them
    cdef Py_ssize_t candidates(self, atom_t word, const label_t **tags) noexcept nogil


cdef class AffixTags:
    cdef readonly object characters     # uint64 [n], atoms of characters, ascending
    cdef readonly object symbols        # uint64 [n], one for each set of tags
    cdef const uint64_t[::1] _characters
    cdef const uint64_t[::1] _symbols
