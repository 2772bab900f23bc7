# The number types of the core, in one place.

from libc.stdint cimport int8_t, int16_t, uint16_t, uint32_t, uint64_t

ctypedef uint64_t atom_t    # one property of one word or node; 0 is "absent", and a template with it does not fire
ctypedef uint64_t key_t     # one filled template; 0 is "did not fire" and has no row
ctypedef uint16_t label_t   # a tag, an action, an arc label: the position in a row
ctypedef float score_t      # weights in training, and all scores

cdef extern from "portable.h" nogil:
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
