"""The units of a raw text, which a segmenter joins into words, and their atoms.

A unit is a run of letters with their marks, a run of decimal digits, or any other single character. Scripts written
without spaces between words (Chinese characters, kana, Thai, Lao, Khmer, Burmese, Tibetan) are never joined: there
every character is a unit. Whitespace separates units and belongs to none; a unit records what precedes it.
"""

import unicodedata

import numpy as np

from cpython.unicode cimport (
    Py_UNICODE_ISALPHA,
    Py_UNICODE_ISDECIMAL,
    Py_UNICODE_ISLOWER,
    Py_UNICODE_ISSPACE,
    Py_UNICODE_ISUPPER,
    PyUnicode_READ_CHAR,
)

from plait.core._hashing cimport finish, hash_text, mix
from plait.core._types cimport uint64_t

cdef enum Kind:
    WHITE
    LETTER
    DIGIT
    MARK        # goes with the letter before it
    SINGLE

cdef enum Gap:
    JOINED = 1      # nothing precedes the unit
    SPACE
    NEWLINE
    EDGE            # the text begins

cdef uint64_t BOS = 0x424f53
cdef uint64_t EOS = 0x454f53

UNIT_COLUMNS = (
    "c", "low", "k", "g", "len", "pre1", "pre2", "pre3", "suf1", "suf2", "suf3", "suf4", "shape", "word", "abbr", "web",
)  # fmt: skip

# Values of the atom abbr that need no list; those of listed abbreviations come after them.
cdef enum:
    INITIAL = 1         # J.
    SMALL_LETTER        # p.
    LETTERS             # U.K., a.m., Ph.D.
    NO_VOWEL            # Mt., lbs.
    LISTED

cdef Py_ssize_t LONGEST_ABBREVIATION = 16       # units looked at before a period
cdef frozenset VOWELS = frozenset("aeiouyAEIOUY")
cdef dict MARKS = {}


cdef bint is_mark(Py_UCS4 c):
    found = MARKS.get(c)
    if found is None:
        found = MARKS[c] = unicodedata.category(chr(c)).startswith("M")
    return found


cdef inline bint is_unspaced(Py_UCS4 c) noexcept:
    """Scripts without spaces between words."""
    return (0x0e00 <= c <= 0x0fff or 0x1000 <= c <= 0x109f or 0x1780 <= c <= 0x17ff or 0x3040 <= c <= 0x30ff
            or 0x31f0 <= c <= 0x31ff or 0x3400 <= c <= 0x4dbf or 0x4e00 <= c <= 0x9fff or 0xf900 <= c <= 0xfaff
            or 0x3005 <= c <= 0x3007 or 0x20000 <= c <= 0x3ffff or 0xff66 <= c <= 0xff9f)


cdef Kind kind_of(Py_UCS4 c):
    if Py_UNICODE_ISSPACE(c):
        return WHITE
    if is_unspaced(c):
        return SINGLE
    if Py_UNICODE_ISALPHA(c):
        return LETTER
    if Py_UNICODE_ISDECIMAL(c):
        return DIGIT
    if c > 0x2ff and is_mark(c):
        return MARK
    return SINGLE


def is_unspaced_script(str text not None):
    """Whether most letters of a text belong to a script without spaces between words."""
    cdef Py_ssize_t i, unspaced = 0, spaced = 0
    cdef Py_UCS4 c
    for i in range(len(text)):
        c = PyUnicode_READ_CHAR(text, i)
        if is_unspaced(c):
            unspaced += 1
        elif Py_UNICODE_ISALPHA(c):
            spaced += 1
    return unspaced > spaced


def find_units(str text not None, bint runs=True, cuts=()):
    """(starts, ends, gaps) of the units as lists; no unit extends across one of the ``cuts``.

    >>> starts, ends, gaps = find_units("ab1 中国")
    >>> list(zip(starts, ends, gaps))
    [(0, 2, 4), (2, 3, 1), (4, 5, 2), (5, 6, 1)]
    """
    cdef Py_ssize_t i, n = len(text)
    cdef Kind kind, last = WHITE
    cdef Py_UCS4 c
    cdef int gap = EDGE
    starts, ends, gaps = [], [], []
    forced = set(cuts)
    cdef bint has_cuts = bool(forced)
    for i in range(n):
        c = PyUnicode_READ_CHAR(text, i)
        kind = kind_of(c)
        if kind == WHITE:
            if gap != EDGE:
                gap = NEWLINE if c == u"\n" or c == u"\r" or c == 0x2028 or c == 0x2029 or gap == NEWLINE else SPACE
            last = WHITE
            continue
        if kind == MARK and last == WHITE:
            kind = SINGLE
        if (runs and gap == JOINED and not (has_cuts and i in forced)
                and ((kind == MARK and (last == LETTER or last == SINGLE)) or (kind == last and kind != SINGLE))):
            ends[len(ends) - 1] = i + 1
            if kind != MARK:
                last = kind
            continue
        starts.append(i)
        ends.append(i + 1)
        gaps.append(gap)
        gap = JOINED
        last = kind
    return starts, ends, gaps


cdef uint64_t class_of(str unit):
    """Kind and case as one symbol; a character other than letters and digits represents itself."""
    cdef Py_UCS4 first = PyUnicode_READ_CHAR(unit, 0), c
    cdef Py_ssize_t i
    cdef bint upper = True, lower = True
    cdef Kind kind = kind_of(first)
    if kind == DIGIT:
        return 2
    if kind == SINGLE:
        return 3 if is_unspaced(first) else <uint64_t> first + 16
    for i in range(1, len(unit)):
        c = PyUnicode_READ_CHAR(unit, i)
        upper = upper and not Py_UNICODE_ISLOWER(c)
        lower = lower and not Py_UNICODE_ISUPPER(c)
    if Py_UNICODE_ISUPPER(first):
        return 4 if len(unit) == 1 else 5 if upper else 6 if lower else 7
    return 8 if lower else 9


def unit_atoms(str text not None, starts, ends, gaps, columns, Py_ssize_t pad, abbreviations=None):
    """The padded matrix of atoms of a text's units.

    c: the unit; low: in lower case; k: its kind and case; g: what precedes it (nothing, space, line end, start of the
    text); len: its length; preK, sufK: affixes of letter runs; shape: kinds of the units from the last space to the
    next one; word: everything between these spaces; abbr: at a period and the unit before it, the kind of abbreviation
    that the period appears to end (``abbreviations``: lower-case words without the last period, and the number of their
    kind); web: everything between the spaces is a web or mail address.
    """
    cdef Py_ssize_t n = len(starts), width = len(columns), i, j, k, m
    cdef str unit, lower
    cdef uint64_t h, value
    out = np.zeros((n + 2 * pad, width), dtype=np.uint64)
    cdef uint64_t[:, ::1] atoms = out
    for i in range(pad):
        for k in range(width):
            atoms[i, k] = BOS
            atoms[pad + n + i, k] = EOS
    cdef Py_ssize_t c_at = find(columns, "c"), low_at = find(columns, "low"), k_at = find(columns, "k")
    cdef Py_ssize_t g_at = find(columns, "g"), len_at = find(columns, "len"), shape_at = find(columns, "shape")
    cdef Py_ssize_t word_at = find(columns, "word")
    affixes = [(k, name[:3] == "pre", int(name[3:])) for k, name in enumerate(columns) if name[:3] in ("pre", "suf")]
    cdef bint needs_lower = low_at >= 0 or bool(affixes)
    for i in range(n):
        unit = text[starts[i]:ends[i]]
        m = len(unit)
        if c_at >= 0:
            atoms[pad + i, c_at] = hash_text(unit, 0, m)
        if needs_lower:
            lower = unit.lower() if m > 1 or Py_UNICODE_ISUPPER(PyUnicode_READ_CHAR(unit, 0)) else unit
            if low_at >= 0:
                atoms[pad + i, low_at] = hash_text(lower, 0, len(lower))
            if m > 1:
                for at, is_prefix, length in affixes:
                    if m > length:
                        atoms[pad + i, at] = (hash_text(unit, 0, length) if is_prefix
                                              else hash_text(lower, len(lower) - length, len(lower)))
        if k_at >= 0:
            atoms[pad + i, k_at] = class_of(unit)
        if g_at >= 0:
            atoms[pad + i, g_at] = gaps[i]
        if len_at >= 0:
            atoms[pad + i, len_at] = min(m, 12) + 1
    if shape_at >= 0 or word_at >= 0:
        i = 0
        while i < n:
            j = i + 1
            while j < n and gaps[j] == JOINED:
                j += 1
            if j - i <= 12:     # longer: a script without spaces; the atoms are absent
                h = 17
                for k in range(i, j):
                    h = mix(h, class_of(text[starts[k]:ends[k]]))
                h = finish(h)
                value = hash_text(text, starts[i], ends[j - 1])
                for k in range(i, j):
                    if shape_at >= 0:
                        atoms[pad + k, shape_at] = finish(mix(h, k - i + 1))
                    if word_at >= 0:
                        atoms[pad + k, word_at] = finish(mix(value, k - i + 1))
            i = j
    if find(columns, "abbr") >= 0:
        mark_abbreviations(text, starts, ends, gaps, abbreviations or {}, atoms, pad, find(columns, "abbr"))
    if find(columns, "web") >= 0:
        mark_addresses(text, starts, ends, gaps, atoms, pad, find(columns, "web"))
    return out


cdef mark_abbreviations(str text, starts, ends, gaps, dict known, uint64_t[:, ::1] atoms, Py_ssize_t pad,
                        Py_ssize_t column):
    cdef Py_ssize_t n = len(starts), i, j
    cdef uint64_t kind
    for i in range(1, n):
        if PyUnicode_READ_CHAR(text, starts[i]) != u"." or gaps[i] != JOINED:
            continue
        j = i
        while (j > 0 and gaps[j] == JOINED and i - j < LONGEST_ABBREVIATION
               and (PyUnicode_READ_CHAR(text, starts[j - 1]) == u"."
                    or kind_of(PyUnicode_READ_CHAR(text, starts[j - 1])) == LETTER)):
            j -= 1
        kind = abbreviation_kind(text[starts[j]:starts[i]], known)
        atoms[pad + i, column] = kind
        if kind != 0:
            atoms[pad + i - 1, column] = kind


cdef uint64_t abbreviation_kind(str word, dict known):
    """The kind of abbreviation that a word before a period appears to be; 0: none."""
    cdef Py_ssize_t listed = known.get(word.lower(), -1)
    if listed >= 0:
        return <uint64_t> (LISTED + listed)
    letters = word.split(u".")
    if not all(letters):
        return 0
    if len(letters) > 1:
        return LETTERS if max(map(len, letters)) <= 3 else 0
    if len(word) == 1:
        return INITIAL if word.isupper() else SMALL_LETTER
    return NO_VOWEL if len(word) <= 5 and word.isascii() and VOWELS.isdisjoint(word) else 0


cdef mark_addresses(str text, starts, ends, gaps, uint64_t[:, ::1] atoms, Py_ssize_t pad, Py_ssize_t column):
    cdef Py_ssize_t n = len(starts), i = 0, j, k
    cdef uint64_t kind
    while i < n:
        j = i + 1
        while j < n and gaps[j] == JOINED:
            j += 1
        if j - i >= 3:
            kind = address_kind(text[starts[i]:ends[j - 1]])
            for k in range(i if kind != 0 else j, j):
                atoms[pad + k, column] = kind
        i = j


cdef uint64_t address_kind(str chunk):
    """1: a web address, 2: a mail address, 0: neither."""
    if u"://" in chunk or chunk[:4].lower() == u"www.":
        return 1
    cdef Py_ssize_t at = chunk.find(u"@")
    return 2 if 0 < at and u"." in chunk[at + 2:] else 0


cdef Py_ssize_t find(columns, name):
    return columns.index(name) if name in columns else -1
