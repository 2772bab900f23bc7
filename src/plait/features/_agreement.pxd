# Agreement of two words, slot by slot.

from plait.core._hashing cimport finish, mix
from plait.core._types cimport atom_t, uint64_t


cdef inline atom_t agreement(const atom_t *a, const atom_t *b, Py_ssize_t slots) noexcept nogil:
    """The slots in which two words agree and disagree, as one atom; absent if no slot is filled in both."""
    cdef uint64_t h = 0x61677265
    cdef Py_ssize_t i
    cdef bint compared = False
    for i in range(slots):
        if a[i] != 0 and b[i] != 0:
            h = mix(h, 2 * <uint64_t> i + (a[i] == b[i]))
            compared = True
    return finish(h) if compared else 0
