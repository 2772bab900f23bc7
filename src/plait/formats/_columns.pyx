"""Splitting rows of text into columns in one pass over the characters."""

from cpython.unicode cimport PyUnicode_1BYTE_KIND, PyUnicode_2BYTE_KIND, PyUnicode_DATA, PyUnicode_KIND
from cpython.unicode cimport PyUnicode_FindChar, PyUnicode_READ, PyUnicode_READ_CHAR, PyUnicode_Substring

ctypedef unsigned int hash_t

ctypedef fused Character:
    unsigned char
    unsigned short
    unsigned int

cdef enum:
    SLOTS = 1 << 14  # cached strings; a larger table would not fit the CPU cache


cdef class Splitter:
    """Splits rows into columns, and reuses the string objects of recent fields.

    Most fields of a treebank have occurred before, so that most strings need not be created: that halves the time of
    reading, and a treebank in memory holds most strings once.

    >>> a, b = Splitter().split("1\\tHi\\n2\\tHi", 2, 0)
    >>> a, b, b[0] is b[1]
    (['1', '2'], ['Hi', 'Hi'], True)
    """

    cdef list seen  # [SLOTS], by hash: the string last seen there, or None

    def __init__(self):
        self.seen = [None] * SLOTS

    def split(self, str block not None, int width, unsigned long long spaceless, Py_ssize_t start=0):
        """One list per column, or None unless every row has ``width`` fields, none empty, separated by single tabs.

        Bit c of ``spaceless`` forbids spaces in column c; columns from 64 on may have spaces. The first row begins at
        ``start``.
        """
        cdef int kind = PyUnicode_KIND(block)
        cdef void *data = PyUnicode_DATA(block)
        if not 0 <= start <= len(block):
            raise ValueError(f"rows that begin at {start} in a block of {len(block)} characters")
        if kind == PyUnicode_1BYTE_KIND:
            return split(<unsigned char *> data, block, start, self.seen, width, spaceless)
        if kind == PyUnicode_2BYTE_KIND:
            return split(<unsigned short *> data, block, start, self.seen, width, spaceless)
        return split(<unsigned int *> data, block, start, self.seen, width, spaceless)


def leading_comments(str block not None):
    """The lines before the first that does not begin with ``#``, and where that one begins.

    >>> leading_comments("# a\\n# b\\n1\\tHi")
    (['# a', '# b'], 8)
    """
    cdef list comments = []
    cdef Py_ssize_t n = len(block), at = 0, end
    while at < n and PyUnicode_READ_CHAR(block, at) == u"#":
        end = PyUnicode_FindChar(block, u"\n", at, n, 1)
        end = n if end < 0 else end
        comments.append(PyUnicode_Substring(block, at, end))
        at = min(end + 1, n)
    return comments, at


cdef list split(Character *text, str block, Py_ssize_t start, list seen, int width, unsigned long long spaceless):
    cdef Py_ssize_t n = len(block), i
    cdef int c = 0
    cdef Character character
    cdef hash_t hash = 0
    cdef list columns = [[] for _ in range(width)]
    cdef list column = <list> columns[0]
    cdef object field
    for i in range(start, n + 1):
        character = text[i] if i < n else 10
        if character > 32 or (character != 9 and character != 10 and character != 32):
            hash = (hash ^ character) * 16777619
            continue
        if character == 32:
            if c < 64 and (spaceless >> c) & 1:
                return None
            hash = (hash ^ character) * 16777619
            continue
        if i == start or (character == 10) != (c == width - 1):
            return None
        hash ^= hash >> 15
        field = seen[hash & (SLOTS - 1)]
        if field is None or not is_equal(text + start, i - start, <str> field):
            field = PyUnicode_Substring(block, start, i)
            seen[hash & (SLOTS - 1)] = field
        column.append(field)
        c = 0 if character == 10 else c + 1
        column = <list> columns[c]
        start = i + 1
        hash = 0
    return columns


cdef bint is_equal(Character *text, Py_ssize_t n, str field):
    cdef int kind = PyUnicode_KIND(field)
    cdef void *data = PyUnicode_DATA(field)
    cdef Py_ssize_t i
    if len(field) != n:
        return False
    for i in range(n):
        if PyUnicode_READ(kind, data, i) != text[i]:
            return False
    return True
