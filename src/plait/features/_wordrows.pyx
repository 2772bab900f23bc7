"""Atoms of sentences from rows that are kept: a form is hashed once, however often it comes."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.string cimport memcpy

import numpy as np

from plait.core._types cimport uint64_t
from plait.features._words import word_atoms

cdef enum:
    KEPT = 1 << 14      # forms; when there are more all are forgotten, and the frequent ones are soon back


cdef class WordRows:
    """``word_atoms`` of the same columns, and what ``finish`` makes of them, remembered form by form.

    ``finish`` is given the matrix of a form, or of the boundaries alone, and the list of its forms, and completes its
    rows in place; what it writes may depend on nothing but the form. Threads may share the rows: they are made or
    forgotten, never changed.

    >>> rows = WordRows(("w", "suf1"), 1, 0, lambda atoms, forms: None)
    >>> bool((rows.atoms(["tea", "tea"]) == word_atoms(["tea", "tea"], ("w", "suf1"), 1)).all())
    True
    """

    cdef readonly tuple columns
    cdef readonly Py_ssize_t pad, given
    cdef object finish
    cdef bytes before, after        # the boundary rows
    cdef dict rows                  # form → its row

    def __init__(self, columns, Py_ssize_t pad, Py_ssize_t given, finish):
        self.columns = tuple(columns)
        self.pad = pad
        self.given = given
        self.finish = finish
        self.rows = {}
        boundary = word_atoms([], self.columns, pad, given)
        finish(boundary, [])
        self.before = boundary[:pad].tobytes()
        self.after = boundary[pad:].tobytes()

    cdef bytes row_of(self, str form):
        row = word_atoms([form], self.columns, 0, self.given)
        self.finish(row, [form])
        if len(self.rows) >= KEPT:
            self.rows.clear()
        kept = row.tobytes()
        self.rows[form] = kept
        return kept

    def atoms(self, forms):
        """The padded matrix of a sentence, its own to write into."""
        cdef Py_ssize_t n = len(forms), width = len(self.columns) + self.given, i
        cdef bytes row
        out = np.empty((n + 2 * self.pad, width), dtype=np.uint64)
        cdef uint64_t[:, ::1] view = out
        cdef char *to
        if n + 2 * self.pad == 0 or width == 0:
            return out
        to = <char *> &view[0, 0]
        memcpy(to, PyBytes_AS_STRING(self.before), PyBytes_GET_SIZE(self.before))
        to += PyBytes_GET_SIZE(self.before)
        for i in range(n):
            form = forms[i]
            row = self.rows.get(form)
            if row is None:
                row = self.row_of(form)
            memcpy(to, PyBytes_AS_STRING(row), width * sizeof(uint64_t))
            to += width * sizeof(uint64_t)
        memcpy(to, PyBytes_AS_STRING(self.after), PyBytes_GET_SIZE(self.after))
        return out
