"""The rows of forms that are new to a decoder, made one by one without a matrix for each."""

from libc.string cimport memset

import numpy as np

from plait.features._words import column_codes

from plait.features._words cimport fill_row
from plait.morphology._nearest cimport fill_class


cdef class FormAtoms:
    """``plain`` and ``lower`` are columns of ``word_atoms``, ``more`` counts those of word resources behind all others.

    >>> classes = np.array([], np.uint64), np.array([], np.uint64), np.array([], np.uint8)
    >>> rows = FormAtoms(("w", "shape", "suf3"), ("suf1",), *classes, 11).table(["Tea", "tea"])
    >>> (rows[0] == rows[1]).tolist()[:4], rows.shape
    ([False, False, False, True], (2, 15))
    """

    def __init__(self, plain, lower, words, symbols, kinds, Py_ssize_t more):
        self.plain_codes, self.lower_codes = column_codes(plain), column_codes(lower)
        self.plain, self.lower = len(plain), len(lower)
        self.width = self.plain + self.lower + more
        self.folds = "low" in plain
        self.words, self.symbols, self.kinds = words, symbols, kinds

    cdef int fill(self, str form, atom_t *row) except -1:
        memset(row, 0, self.width * sizeof(atom_t))
        fill_row(&self.plain_codes[0], self.plain, self.folds, form, row)
        fill_row(&self.lower_codes[0], self.lower, False, form.lower(), row + self.plain)
        fill_class(row, self.plain + self.lower, self.words, self.symbols, self.kinds)
        return 0

    def table(self, forms):
        """[forms][columns]."""
        cdef Py_ssize_t i
        out = np.zeros((len(forms), self.width), dtype=np.uint64)
        cdef uint64_t[:, ::1] view = out
        for i in range(len(forms)):
            self.fill(forms[i], &view[i, 0])
        return out
