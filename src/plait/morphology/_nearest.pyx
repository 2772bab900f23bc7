"""Columns of atoms that come from the treebank: classes of words, and the nearest verbs and prepositions."""

from libc.stdint cimport int32_t, uint8_t, uint64_t

from plait.core._arrays cimport place


def fill_nearest_words(uint64_t[:, ::1] atoms not None, Py_ssize_t pad, const int32_t[::1] columns not None):
    """Fill in three columns of a padded matrix from three others: verb, prep, stop, lverb, rverb, lprep."""
    cdef NearestColumns places = NearestColumns(columns[0], columns[1], columns[2], columns[3], columns[4], columns[5])
    cdef Py_ssize_t n = atoms.shape[0] - 2 * pad
    if n > 0:
        fill_nearest(&atoms[pad, 0], n, atoms.shape[1], &places)


def fill_classes(uint64_t[:, ::1] atoms not None, Py_ssize_t column, const uint64_t[::1] words not None,
                 const uint64_t[::1] symbols not None, const uint8_t[::1] kinds not None):
    """Fill in the class of each word, and its form in the column of its kind (``column`` + kind) if it has one.

    The first three columns are the form, its shape and its ending; rare words are classified by the latter two.
    """
    cdef Py_ssize_t i
    for i in range(atoms.shape[0]):
        fill_class(&atoms[i, 0], column, words, symbols, kinds)


cdef void fill_class(atom_t *row, Py_ssize_t column, const uint64_t[::1] words, const uint64_t[::1] symbols,
                     const uint8_t[::1] kinds) noexcept nogil:
    cdef Py_ssize_t at = place[uint64_t](words, row[0])
    cdef uint64_t ending
    if at >= 0:
        row[column] = symbols[at]
    else:
        ending = row[1] ^ row[2]
        row[column] = ending
        at = place[uint64_t](words, ending)
    if at >= 0 and kinds[at] > 0:
        row[column + kinds[at]] = row[0]
