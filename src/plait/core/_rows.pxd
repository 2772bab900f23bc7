# Kernels over rows of numbers, in C: see rows.h.

from libc.stdint cimport int8_t, int16_t, uint32_t

from plait.core._types cimport score_t

cdef enum:
    BATCH = 32          # keys looked up together, so that their cache misses overlap

cdef extern from "rows.h" nogil:
    void prefetch "PLAIT_PREFETCH" (const void *address)
    int find8 "plait_find8" (const uint32_t *eight, uint32_t x)
    void add_8 "plait_add_8" (score_t *sum, const int8_t *row, Py_ssize_t n, float scale)
    void add_16 "plait_add_16" (score_t *sum, const int16_t *row, Py_ssize_t n, float scale)
    void add_32 "plait_add_32" (score_t *sum, const float *row, Py_ssize_t n)
    void add_many_8 "plait_add_many_8" (score_t *sum, const int8_t *const *rows, Py_ssize_t count, Py_ssize_t n,
                                        float scale)
    void add_many_16 "plait_add_many_16" (score_t *sum, const int16_t *const *rows, Py_ssize_t count, Py_ssize_t n,
                                          float scale)
    void sum_rows "plait_sum_rows" (score_t *sum, const score_t *const *rows, Py_ssize_t count, Py_ssize_t n)
    Py_ssize_t first_largest "plait_first_largest" (const score_t *x, Py_ssize_t n)
    void first_largest_of_two "plait_first_largest_of_two" (const score_t *x, Py_ssize_t n, Py_ssize_t *even,
                                                            Py_ssize_t *odd)
    Py_ssize_t next_above "plait_next_above" (const score_t *x, Py_ssize_t first, Py_ssize_t n, score_t limit)
    double dot_of "plait_dot" (const double *x, const double *y, Py_ssize_t first, Py_ssize_t last)
    void dot_rows "plait_dot_rows" (double *sums, const float *const *rows, Py_ssize_t count, const double *x,
                                    Py_ssize_t first, Py_ssize_t last)
    void combine_rows "plait_combine_rows" (double *out, double c, const double *x, const float *const *rows,
                                            const double *weights, Py_ssize_t count, Py_ssize_t first, Py_ssize_t last)
