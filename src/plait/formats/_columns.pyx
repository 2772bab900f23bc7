"""Rows of text taken apart into columns in one walk over the characters."""

from cpython.dict cimport PyDict_SetDefault
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ, PyUnicode_Substring


def split_columns(str body not None, int width, unsigned long long shared, unsigned long long spaceless,
                  dict known not None):
    """One list per column, or None unless every row has ``width`` fields, none empty, separated by single tabs.

    Bit c of ``shared`` makes equal fields of column c one object, through ``known``; bit c of ``spaceless`` forbids
    spaces in it. Both masks say nothing of columns from 64 on.

    >>> split_columns("1\\tHi\\n2\\tyou", 2, 0, 0, {})
    [['1', '2'], ['Hi', 'you']]
    """
    cdef Py_ssize_t n = len(body), i, start = 0
    cdef int kind = PyUnicode_KIND(body)
    cdef void *data = PyUnicode_DATA(body)
    cdef int c = 0
    cdef Py_UCS4 character
    cdef list columns = [[] for _ in range(width)]
    cdef list column = columns[0]
    cdef object field
    for i in range(n + 1):
        character = PyUnicode_READ(kind, data, i) if i < n else 10
        if character > 32:
            continue
        if character == 32:
            if c < 64 and (spaceless >> c) & 1:
                return None
            continue
        if character != 9 and character != 10:
            continue
        if i == start or (character == 10) != (c == width - 1):
            return None
        field = PyUnicode_Substring(body, start, i)
        if c < 64 and (shared >> c) & 1:
            field = <object> PyDict_SetDefault(known, field, field)
        column.append(field)
        c = 0 if character == 10 else c + 1
        column = <list> columns[c]
        start = i + 1
    return columns
