"""The atoms of words: form, lower case, affixes, shape, as a padded matrix of 64-bit numbers.

Row ``pad + i`` belongs to word i (from 0); the rows before and after are the sentence boundary. The matrix is
contiguous, so that column c of the k-th word to the right has a fixed offset from the word: ``k * columns + c``.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport (
    Py_UNICODE_ISALPHA,
    Py_UNICODE_ISDECIMAL,
    Py_UNICODE_ISLOWER,
    Py_UNICODE_ISUPPER,
    PyUnicode_READ_CHAR,
)
from libc.string cimport memcpy, memset

import numpy as np

from plait.core._hashing cimport finish, hash_text, mix
from plait.core._types cimport uint64_t

cdef enum Column:
    FORM
    LOWER
    PREFIX      # + length
    SUFFIX = 64     # + length
    SHAPE = 128
    LENGTH
    DIGIT
    UPPER
    HYPHEN
    SINGLE      # the form of a one-character word
    GIVEN       # filled by the decoder, such as the tags; absent until then
    INNER = 160     # + k: the k-th character that is neither first nor last
    REST = 176      # + k: the k-th character after the first
    INIT = 192      # + k: the k-th character before the last
    REPEATED = 208  # + k: the k-th character that is followed by itself
    CHARACTER = 224     # + k: the k-th
    FROM_END = 232      # + k: the k-th from the end

cdef uint64_t BOS = 0x424f53
cdef uint64_t EOS = 0x454f53

cdef int MAX_AFFIX = 10
cdef int MAX_CHARACTERS = 7     # of one kind in a word; further ones are ignored

cdef dict CODES = {
    "w": FORM,
    "low": LOWER,
    "shape": SHAPE,
    "len": LENGTH,
    "digit": DIGIT,
    "upper": UPPER,
    "hyphen": HYPHEN,
    "single": SINGLE,
    "t": GIVEN,
    "tagged": GIVEN,
    "begins": GIVEN,
    "ends": GIVEN,
    "p": GIVEN,     # a part of speech given by the input
    **{f"ch{k}": CHARACTER + k for k in range(1, 4)},
    **{f"che{k}": FROM_END + k for k in range(1, 4)},
    **{f"pre{k}": PREFIX + k for k in range(1, MAX_AFFIX + 1)},
    **{f"suf{k}": SUFFIX + k for k in range(1, MAX_AFFIX + 1)},
}

cdef dict CHARACTERS = {"inner": INNER, "rest": REST, "init": INIT, "rep": REPEATED}

for name, code in CHARACTERS.items():
    CODES.update({f"{name}{k}": code + k for k in range(1, MAX_CHARACTERS + 1)})

WORD_COLUMNS = tuple(CODES)
# Names of several columns: a template with one of them fires once for each value.
WORD_SETS = {name: tuple(f"{name}{k}" for k in range(1, MAX_CHARACTERS + 1)) for name in CHARACTERS}


cdef uint64_t shape_of(str form):
    """Upper, lower, digit, other letter, or the character itself; runs of one class have length 1 or "2 or more"."""
    cdef uint64_t h = 17, kind, last = 0
    cdef Py_ssize_t i, run = 0
    cdef Py_UCS4 c
    for i in range(len(form)):
        c = PyUnicode_READ_CHAR(form, i)
        if Py_UNICODE_ISUPPER(c):
            kind = 1
        elif Py_UNICODE_ISLOWER(c):
            kind = 2
        elif Py_UNICODE_ISDECIMAL(c):
            kind = 3
        elif Py_UNICODE_ISALPHA(c):
            kind = 4
        else:
            kind = <uint64_t> c + 5
        run = run + 1 if kind == last else 1
        last = kind
        if run <= 2:
            h = mix(h, kind)
    return finish(h)


cdef uint64_t repeated(str form, Py_ssize_t k):
    """The k-th character that is followed by itself, from 1; 0 if there is none."""
    cdef Py_ssize_t i
    for i in range(len(form) - 1):
        if PyUnicode_READ_CHAR(form, i) == PyUnicode_READ_CHAR(form, i + 1):
            k -= 1
            if k == 0:
                return hash_text(form, i, i + 1)
    return 0


cdef uint64_t atom_of(int code, str form, str lower):
    cdef Py_ssize_t n = len(form), i
    cdef Py_UCS4 c
    if code == FORM:
        return hash_text(form, 0, n)
    if code == LOWER:
        return hash_text(lower, 0, len(lower))
    if SUFFIX < code <= SUFFIX + MAX_AFFIX:
        return hash_text(form, n - (code - SUFFIX), n) if n >= code - SUFFIX else 0
    if PREFIX < code <= PREFIX + MAX_AFFIX:
        return hash_text(form, 0, code - PREFIX) if n >= code - PREFIX else 0
    if CHARACTER < code <= CHARACTER + 3:
        return hash_text(form, code - CHARACTER - 1, code - CHARACTER) if n >= code - CHARACTER else 0
    if FROM_END < code <= FROM_END + 3:
        return hash_text(form, n - (code - FROM_END), n - (code - FROM_END) + 1) if n >= code - FROM_END else 0
    if code == SHAPE:
        return shape_of(form)
    if code == LENGTH:
        return <uint64_t> min(n, 10) + 1
    if code == GIVEN:
        return 0
    if code == SINGLE:
        return hash_text(form, 0, 1) if n == 1 else 0
    if INNER < code <= INNER + MAX_CHARACTERS:
        i = code - INNER
        return hash_text(form, i, i + 1) if i < n - 1 else 0
    if REST < code <= REST + MAX_CHARACTERS:
        i = code - REST
        return hash_text(form, i, i + 1) if i < n else 0
    if INIT < code <= INIT + MAX_CHARACTERS:
        i = code - INIT - 1
        return hash_text(form, i, i + 1) if i < n - 1 else 0
    if REPEATED < code <= REPEATED + MAX_CHARACTERS:
        return repeated(form, code - REPEATED)
    for i in range(n):
        c = PyUnicode_READ_CHAR(form, i)
        if ((code == DIGIT and Py_UNICODE_ISDECIMAL(c)) or (code == UPPER and Py_UNICODE_ISUPPER(c))
                or (code == HYPHEN and c == u"-")):
            return 1
    return 0


def column_codes(columns):
    """Columns by name as the numbers that ``fill_row`` takes; there is always one, so that they can be pointed at."""
    return np.array([CODES[name] for name in columns] or [0], dtype=np.intc)


def word_atoms(forms, columns, Py_ssize_t pad, Py_ssize_t given=0):
    """The matrix of atoms, [pad + words + pad][columns]; booleans are absent if false, boundaries are BOS and EOS.

    ``given`` empty columns follow, to be filled by a decoder.
    """
    cdef Py_ssize_t n = len(forms), width = len(columns), i, k
    cdef int[::1] codes = column_codes(columns)
    out = np.zeros((n + 2 * pad, width + given), dtype=np.uint64)
    cdef uint64_t[:, ::1] atoms = out
    cdef bint needs_lower = "low" in columns
    for k in range(width):
        for i in range(pad if codes[k] not in (DIGIT, UPPER, HYPHEN) else 0):
            atoms[i, k] = BOS
            atoms[pad + n + i, k] = EOS
    if width > 0:
        for i in range(n):
            fill_row(&codes[0], width, needs_lower, forms[i], &atoms[pad + i, 0])
    return out


cdef int fill_row(const int *codes, Py_ssize_t width, bint needs_lower, str form, uint64_t *row) except -1:
    """The atoms of one form, column by column."""
    cdef str lower = form.lower() if needs_lower else form
    cdef Py_ssize_t k
    for k in range(width):
        row[k] = atom_of(codes[k], form, lower)
    return 0


cdef enum:
    KEPT = 1 << 14      # cached forms; a full cache is cleared, and frequent forms soon return


cdef class WordRows:
    """``word_atoms`` of fixed columns, completed by ``complete`` and cached by form.

    ``complete`` gets the matrix of a form, or of the boundaries only, and the list of its forms, and fills further
    columns in place, which may depend on nothing but the form; None: there are none. Threads may share the rows: they
    are never changed.

    >>> rows = WordRows(("w", "suf1"), 1, 0, None)
    >>> bool((rows.atoms(["tea", "tea"]) == word_atoms(["tea", "tea"], ("w", "suf1"), 1)).all())
    True
    """

    def __init__(self, columns, Py_ssize_t pad, Py_ssize_t given, complete):
        cdef const int[::1] codes
        self.columns = tuple(columns)
        self.pad = pad
        self.given = given
        self.width = len(self.columns) + given
        self.complete = complete
        self.needs_lower = "low" in self.columns
        self.codes = codes = column_codes(self.columns)
        self._codes = &codes[0]
        self.rows = {}
        boundary = word_atoms([], self.columns, pad, given)
        if complete is not None:
            complete(boundary, [])
        self.before = boundary[:pad].tobytes()
        self.after = boundary[pad:].tobytes()

    cdef bytes new_row(self, str form):
        cdef bytes row = PyBytes_FromStringAndSize(NULL, self.width * sizeof(uint64_t))
        cdef uint64_t *atoms = <uint64_t *> PyBytes_AS_STRING(row)
        cdef Py_ssize_t own = self.width - self.given
        fill_row(self._codes, own, self.needs_lower, form, atoms)
        memset(atoms + own, 0, self.given * sizeof(uint64_t))
        if self.complete is None:
            return row
        matrix = np.frombuffer(row, dtype=np.uint64).reshape(1, self.width).copy()
        self.complete(matrix, [form])
        return matrix.tobytes()

    def atoms(self, forms):
        """The padded matrix of a sentence, a copy that may be modified."""
        cdef Py_ssize_t n = len(forms), width = self.width, i
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
                row = self.new_row(form)
                if len(self.rows) >= KEPT:
                    self.rows.clear()
                self.rows[form] = row
            memcpy(to, PyBytes_AS_STRING(row), width * sizeof(uint64_t))
            to += width * sizeof(uint64_t)
        memcpy(to, PyBytes_AS_STRING(self.after), PyBytes_GET_SIZE(self.after))
        return out
