"""Long vectors: sums of products and linear combinations, piece by piece in a fixed order."""

from libc.stdlib cimport free, malloc

import numpy as np

cdef extern from "sums.h" nogil:
    void dot_rows(double *sums, const float *const *rows, Py_ssize_t count, const double *x, Py_ssize_t n)
    void combine_rows(double *out, double c, const double *x, const float *const *rows, const double *weights,
                      Py_ssize_t count, Py_ssize_t n)

cdef enum:
    PIECE = 4096    # numbers of each vector at a time: all of them stay in the cache


def dots(list rows not None, const double[::1] x not None):
    """The products of single-precision vectors with x, summed in double precision."""
    cdef Py_ssize_t n = x.shape[0], count = len(rows), at, m, k
    sums = np.zeros(count)
    cdef double[::1] out = sums
    cdef const float **here = <const float **> malloc((count + 1) * sizeof(void *))
    cdef const float **base = <const float **> malloc((count + 1) * sizeof(void *))
    if here == NULL or base == NULL:
        free(here)
        free(base)
        raise MemoryError()
    try:
        point(rows, n, base)
        with nogil:
            at = 0
            while at < n and count > 0:
                m = min(<Py_ssize_t> PIECE, n - at)
                for k in range(count):
                    here[k] = base[k] + at
                dot_rows(&out[0], here, count, &x[at], m)
                at += m
    finally:
        free(here)
        free(base)
    return sums


def combine(double c, const double[::1] x not None, list rows not None, const double[::1] weights not None,
            double[::1] out not None):
    """out = c x + the weighted sum of single-precision vectors."""
    cdef Py_ssize_t n = x.shape[0], count = len(rows), at, m, k
    cdef const float **here = <const float **> malloc((count + 1) * sizeof(void *))
    cdef const float **base = <const float **> malloc((count + 1) * sizeof(void *))
    if here == NULL or base == NULL:
        free(here)
        free(base)
        raise MemoryError()
    try:
        if out.shape[0] != n or weights.shape[0] != count:
            raise ValueError("vectors of different lengths")
        point(rows, n, base)
        with nogil:
            at = 0
            while at < n:
                m = min(<Py_ssize_t> PIECE, n - at)
                for k in range(count):
                    here[k] = base[k] + at
                combine_rows(&out[at], c, &x[at], here, &weights[0] if count > 0 else NULL, count, m)
                at += m
    finally:
        free(here)
        free(base)


cdef int point(list rows, Py_ssize_t n, const float **base) except -1:
    cdef Py_ssize_t k
    cdef const float[::1] view
    for k in range(len(rows)):
        view = rows[k]
        if view.shape[0] != n:
            raise ValueError("vectors of different lengths")
        base[k] = &view[0] if n > 0 else NULL
    return 0
