# Kernels over the tables of a chain of labels, in C: see lattice.h.

from libc.math cimport INFINITY, exp, log1p
from libc.stdint cimport int32_t

cdef extern from "lattice.h" nogil:
    void exp_all(double *x, Py_ssize_t n)
    void exp_below(float *out, const float *x, float top, Py_ssize_t n)
    float sum_of(const float *x, Py_ssize_t n)
    double max_of(const double *x, Py_ssize_t n)
    void forward_step(double *out, const double *source, const double *M, const double *E, Py_ssize_t n)
    void backward_step(double *out, const double *M, const double *E, const double *to, Py_ssize_t n)
    void expect_step(double *total, double *here, const double *source, const double *M, const double *E,
                     const double *to, Py_ssize_t n)
    void max_step(float *best, int32_t *back, const float *source, const float *M, const float *E, Py_ssize_t n)
    void add_row(double *out, const double *x, Py_ssize_t n)


cdef inline double log_add(double a, double b) noexcept nogil:
    """log(exp(a) + exp(b))."""
    if a < b:
        a, b = b, a
    return a if b == -INFINITY else a + log1p(exp(b - a))
