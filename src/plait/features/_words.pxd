# The atoms of words, cached by form.

from libc.stdint cimport uint64_t


# the atoms of one form, as ``word_atoms`` fills them; ``codes`` are those of the columns
cdef int fill_row(const int *codes, Py_ssize_t width, bint folds, str form, uint64_t *row) except -1


cdef class WordRows:
    cdef readonly tuple columns
    cdef readonly Py_ssize_t pad, given
    cdef readonly Py_ssize_t width      # atoms of a row: columns and given
    cdef object complete                # None, or a function that fills further columns
    cdef object codes                   # keeps the memory of _codes alive
    cdef const int *_codes              # [columns]
    cdef bint needs_lower               # some column is in lower case
    cdef bytes before, after            # the boundary rows, ``pad`` of each
    cdef dict rows                      # form → its row

    # the row of a form, computed and not cached
    cdef bytes new_row(self, str form)
