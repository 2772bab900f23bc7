"""Words that reach over others, for the matrix of atoms that training looks at."""

from libc.stdint cimport int32_t, uint64_t


def fill_reach(uint64_t[:, ::1] atoms not None, Py_ssize_t pad, const int32_t[::1] columns not None):
    """Fill in three columns of a padded matrix from three others: verb, prep, stop, lverb, rverb, lprep."""
    cdef Reach places = Reach(columns[0], columns[1], columns[2], columns[3], columns[4], columns[5])
    cdef Py_ssize_t n = atoms.shape[0] - 2 * pad
    if n > 0:
        reach(&atoms[pad, 0], n, atoms.shape[1], &places)
