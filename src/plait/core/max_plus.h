/* Max-plus kernels over rows of scores, for charts. */
#ifndef PLAIT_MAX_PLUS_H
#define PLAIT_MAX_PLUS_H

#include <math.h>

#include "portable.h"

/* Arrays of this size stay in registers, with one instruction for eight numbers. */
#define PLAIT_BEST_ROWS(WIDTH)                                                            \
    for (; i + WIDTH <= n; i += WIDTH) {                                                  \
        float best[WIDTH];                                                                \
        for (int j = 0; j < WIDTH; j++)                                                   \
            best[j] = -INFINITY;                                                          \
        for (ptrdiff_t k = 0; k < count; k++) {                                           \
            const float *row = rows + k * n + i;                                          \
            const float score = scores[k];                                                \
            for (int j = 0; j < WIDTH; j++)                                               \
                best[j] = score + row[j] > best[j] ? score + row[j] : best[j];            \
        }                                                                                 \
        for (int j = 0; j < WIDTH; j++)                                                   \
            out[i + j] = best[j];                                                         \
    }

/* out[t] = max over k < count of scores[k] + rows[k][t], -inf where there is nothing; t < n, a multiple of 8. */
PLAIT_FAST static void plait_best_rows(float *PLAIT_RESTRICT out, const float *scores, const float *rows,
                                       ptrdiff_t count, ptrdiff_t n)
{
    ptrdiff_t i = 0;
    PLAIT_BEST_ROWS(32)
    PLAIT_BEST_ROWS(16)
    PLAIT_BEST_ROWS(8)
}

/* out[t] = max(out[t], a[t] + b[t] + c) */
PLAIT_FAST static void plait_raise_to_sum(float *PLAIT_RESTRICT out, const float *a, const float *b, float c, ptrdiff_t n)
{
    for (ptrdiff_t t = 0; t < n; t++)
        out[t] = a[t] + b[t] + c > out[t] ? a[t] + b[t] + c : out[t];
}

/* The largest VALUE over t < n, -inf where there is nothing; eight running maxima fill one register. */
#define PLAIT_LARGEST(VALUE)                                                              \
    float most[8], best = -INFINITY;                                                      \
    ptrdiff_t t = 0;                                                                      \
    for (int j = 0; j < 8; j++)                                                           \
        most[j] = -INFINITY;                                                              \
    for (; t + 8 <= n; t += 8)                                                            \
        for (int j = 0; j < 8; j++)                                                       \
            most[j] = VALUE(t + j) > most[j] ? VALUE(t + j) : most[j];                    \
    for (; t < n; t++)                                                                    \
        best = VALUE(t) > best ? VALUE(t) : best;                                         \
    for (int j = 0; j < 8; j++)                                                           \
        best = most[j] > best ? most[j] : best;                                           \
    return best;

#define PLAIT_SUM_AT(t) (a[t] + b[t])
#define PLAIT_AT(t) (a[t])

PLAIT_FAST static float plait_largest_sum(const float *a, const float *b, ptrdiff_t n)
{
    PLAIT_LARGEST(PLAIT_SUM_AT)
}

PLAIT_FAST static float plait_largest(const float *a, ptrdiff_t n)
{
    PLAIT_LARGEST(PLAIT_AT)
}

#endif
