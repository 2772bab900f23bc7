"""Dot products and linear combinations of long vectors, blockwise in a fixed order."""

from libc.stdlib cimport free

import numpy as np

from plait.core._arrays cimport allocated
from plait.core._rows cimport combine_rows, dot_of, dot_rows, first_largest, next_above

cdef enum:
    PIECE = 4096    # block size, so that the blocks of all vectors fit the cache


def dot(const double[::1] x not None, const double[::1] y not None):
    """The dot product of two vectors.

    NumPy would use its BLAS library, whose threads spin between two products: that doubled the CPU time of L-BFGS, and
    the order of the sum depended on the machine.
    """
    cdef Py_ssize_t n = x.shape[0], k
    cdef double total = 0
    if y.shape[0] != n:
        raise ValueError("vectors of different lengths")
    with nogil:
        for k in range((n + PIECE - 1) // PIECE):
            total += dot_of(&x[0], &y[0], k * PIECE, min(n, (k + 1) * PIECE))
    return total


def dots(list rows not None, const double[::1] x not None):
    """The dot products of single-precision vectors with x, in double precision."""
    cdef Py_ssize_t n = x.shape[0], count = len(rows), k
    sums = np.zeros(count)
    cdef double[::1] out = sums
    cdef const float **pointers = addresses(rows, n)
    with nogil:
        for k in range((n + PIECE - 1) // PIECE if count > 0 else 0):
            dot_rows(&out[0], pointers, count, &x[0], k * PIECE, min(n, (k + 1) * PIECE))
    free(pointers)
    return sums


def combine(double c, const double[::1] x not None, list rows not None, const double[::1] weights not None,
            double[::1] out not None):
    """out = c x + the weighted sum of single-precision vectors."""
    cdef Py_ssize_t n = x.shape[0], count = len(rows), k
    if out.shape[0] != n or weights.shape[0] != count:
        raise ValueError("vectors of different lengths")
    cdef const float **pointers = addresses(rows, n)
    with nogil:
        for k in range((n + PIECE - 1) // PIECE):
            combine_rows(&out[0], c, &x[0], pointers, &weights[0] if count > 0 else NULL, count, k * PIECE,
                         min(n, (k + 1) * PIECE))
    free(pointers)


cdef const float **addresses(list rows, Py_ssize_t n) except NULL:
    cdef Py_ssize_t k
    cdef const float[::1] view
    cdef const float **found = <const float **> allocated((len(rows) + 1) * sizeof(void *))
    for k in range(len(rows)):
        view = rows[k]
        if view.shape[0] != n:
            free(found)
            raise ValueError("vectors of different lengths")
        found[k] = &view[0] if n > 0 else NULL
    return found


def largest(const float[::1] row not None):
    """The index of the first maximum of a row, as used by the decoders; for tests."""
    if row.shape[0] == 0:
        raise ValueError("an empty row")
    return first_largest(&row[0], row.shape[0])


def first_above(const float[::1] row not None, Py_ssize_t first, float limit):
    """The first index from ``first`` on where a row is above a limit, as used by beams, or its length; for tests."""
    if not 0 <= first <= row.shape[0]:
        raise ValueError(f"place {first} of {row.shape[0]}")
    return next_above(&row[0], first, row.shape[0], limit) if row.shape[0] > 0 else 0
