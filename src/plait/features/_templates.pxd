# Compiled templates: which atoms each one joins, ready to be hashed to keys.

from libc.stdint cimport int32_t

from plait.core._types cimport atom_t, key_t, uint64_t


cdef class Templates:
    cdef readonly Py_ssize_t count
    cdef readonly Py_ssize_t lowest, highest    # least and greatest place any template looks at, relative to the base
    cdef int32_t *start     # [count + 1]: template k joins places[start[k]] .. places[start[k + 1] - 1]
    cdef int32_t *place     # where an atom stands, relative to the base pointer; negative is to the left
    cdef uint64_t *seed     # [count]: hash of the template's text, so that templates never share keys

    # keys[k] = the key of template k with the atoms around base; 0 when one of them is absent
    cdef void fill(self, const atom_t *base, key_t *keys) noexcept nogil

    # the same for the templates first .. last - 1 alone: keys[0] is that of the first
    cdef void fill_range(self, Py_ssize_t first, Py_ssize_t last, const atom_t *base, key_t *keys) noexcept nogil
