"""Tokens from the labels of units, and the columns of a sentence from its tokens: loops over all words of a text."""

from cpython.unicode cimport Py_UNICODE_ISSPACE, PyUnicode_READ_CHAR, PyUnicode_Substring

from libc.stdint cimport int32_t, uint8_t

new_tuple = tuple.__new__       # a named tuple in a third of the time that calling its class takes


def read_labels(kind, const int32_t[::1] marks not None, const int32_t[::1] types not None,
                const uint8_t[::1] starts not None, const uint8_t[::1] ends not None, const uint8_t[::1] stops not None,
                list names not None):
    """Tokens, ``kind(start, end, type, final)``, of units with these marks and types.

    A token ends at a mark in ``ends`` and before a mark in ``starts``; a mark in ``stops`` ends a sentence. A token's
    type is that of its last unit.
    """
    cdef Py_ssize_t i, n = marks.shape[0], first = 0
    cdef list found = []
    for i in range(n):
        if i + 1 < n and not ends[marks[i]] and not starts[marks[i + 1]]:
            continue
        found.append(new_tuple(kind, (first, i + 1, names[types[i]], stops[marks[i]] != 0)))
        first = i + 1
    return found


def in_characters(list tokens not None, list starts not None, list ends not None):
    """Tokens over units as tokens over the characters of the text, in which units have these starts and ends."""
    cdef Py_ssize_t a, b
    cdef list found = []
    for token in tokens:
        a, b, type_, final = <tuple> token
        found.append(new_tuple(type(token), (starts[a], ends[b - 1], type_, final)))
    return found


def surface(str text not None, Py_ssize_t start, list tokens not None, Py_ssize_t after, str joined not None,
            str apart not None):
    """(forms, notes, offsets) of tokens that are counted in characters from ``start`` on.

    Whitespace inside a token becomes one space in its form. The note is ``joined`` if the next token begins at the end
    of this one, otherwise ``apart``; the token after the last one begins at ``after``, -1: there is none.
    """
    cdef Py_ssize_t a, b, i, k, n = len(tokens), following
    cdef list forms = [], notes = [], offsets = []
    cdef str form
    cdef tuple token
    for k in range(n):
        token = <tuple> tokens[k]       # a named tuple, which Cython does not accept as a tuple without the cast
        a, b = <Py_ssize_t> token[0] + start, <Py_ssize_t> token[1] + start
        following = <Py_ssize_t> (<tuple> tokens[k + 1])[0] + start if k + 1 < n else after
        form = PyUnicode_Substring(text, a, b)
        for i in range(len(form)):
            if Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(form, i)):
                form = " ".join(form.split())
                break
        forms.append(form)
        notes.append(joined if following == b else apart)
        offsets.append((a, b))
    return forms, notes, offsets
