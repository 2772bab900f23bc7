# The atoms of single forms: the columns of ``MorphFeatures``, independent of the context of a word.

from libc.stdint cimport uint8_t, uint64_t

from plait.core._types cimport atom_t


cdef class FormAtoms:
    cdef readonly Py_ssize_t width      # columns: of the form, of its lower case, of the treebank, of word resources
    cdef Py_ssize_t plain, lower        # how many of the first two kinds there are
    cdef const int[::1] plain_codes, lower_codes
    cdef bint folds                     # a column of the form itself is in lower case
    cdef const uint64_t[::1] words      # the arrays of ``WordClasses``
    cdef const uint64_t[::1] symbols
    cdef const uint8_t[::1] kinds

    # the row of a form; the columns of word resources are left empty
    cdef int fill(self, str form, atom_t *row) except -1
