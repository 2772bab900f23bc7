/* Kernels over rows of numbers: lookup, sums and maxima. */
#ifndef PLAIT_ROWS_H
#define PLAIT_ROWS_H

#include "portable.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* The index of the first of eight numbers that equals x, or -1. */
static inline int plait_find8(const uint32_t *eight, uint32_t x)
{
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi32((int)x);
    const __m128i low = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)eight), wanted);
    const __m128i high = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(eight + 4)), wanted);
    const int hits = _mm_movemask_epi8(_mm_packs_epi32(low, high));
    return hits ? __builtin_ctz((unsigned)hits) / 2 : -1;
#else
    for (int i = 0; i < 8; i++)
        if (eight[i] == x)
            return i;
    return -1;
#endif
}

/* sum[i] += scale * row[i] for dense rows of small numbers */
PLAIT_FAST static void plait_add_8(float *sum, const int8_t *row, ptrdiff_t n, float scale)
{
    for (ptrdiff_t i = 0; i < n; i++)
        sum[i] += scale * (float)row[i];
}

PLAIT_FAST static void plait_add_16(float *sum, const int16_t *row, ptrdiff_t n, float scale)
{
    for (ptrdiff_t i = 0; i < n; i++)
        sum[i] += scale * (float)row[i];
}

PLAIT_FAST static void plait_add_32(float *sum, const float *row, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++)
        sum[i] += row[i];
}

/* sum[i] = rows[0][i] + ... + rows[count - 1][i], in that order; 32 sums at a time stay in registers */
PLAIT_FAST static void plait_sum_rows(float *sum, const float *const *rows, ptrdiff_t count, ptrdiff_t n)
{
    ptrdiff_t i = 0;
#if defined(PLAIT_VECTORS)
    for (; i + 32 <= n; i += 32) {
        plait_8f a = {0}, b = {0}, c = {0}, d = {0};
        for (ptrdiff_t r = 0; r < count; r++) {
            const plait_8f *x = (const plait_8f *)(rows[r] + i);
            a += x[0];
            b += x[1];
            c += x[2];
            d += x[3];
        }
        plait_8f *to = (plait_8f *)(sum + i);
        to[0] = a;
        to[1] = b;
        to[2] = c;
        to[3] = d;
    }
    for (; i < n && n >= 8; i = i + 8 < n ? i + 8 : n) { /* the last eight may be computed twice */
        const ptrdiff_t at = i + 8 <= n ? i : n - 8;
        plait_8f a = {0};
        for (ptrdiff_t r = 0; r < count; r++)
            a += *(const plait_8f *)(rows[r] + at);
        *(plait_8f *)(sum + at) = a;
    }
#endif
    for (; i < n; i++) {
        float part = 0;
        for (ptrdiff_t r = 0; r < count; r++)
            part += rows[r][i];
        sum[i] = part;
    }
}

/* sum[i] += scale * (rows[0][i] + ... + rows[count - 1][i]) for dense rows of small numbers, at most 256 of them. Whole
   numbers are added up first: two neighbours are taken as one number of twice the width, whose shifted halves go to two
   sums, so that 16 or 32 weights cost six instructions; the halves are put side by side again at the end. */
#if defined(PLAIT_VECTORS) && defined(__has_builtin) && defined(__BYTE_ORDER__)
#if __has_builtin(__builtin_convertvector) && __has_builtin(__builtin_shufflevector) \
    && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PLAIT_HALVES 1
#define PLAIT_TO_FLOAT(x) __builtin_convertvector(__builtin_convertvector(x, plait_8i), plait_8f)
#endif
#endif

/* 16 numbers at a time; WIDE has eight numbers of twice as many bits */
#define PLAIT_ADD_PAIRS(WIDE, BITS)                                                            \
    for (; i + 16 <= n; i += 16) {                                                             \
        WIDE even = {0}, odd = {0};                                                            \
        for (ptrdiff_t r = 0; r < count; r++) {                                                \
            const WIDE x = *(const WIDE *)(rows[r] + i);                                       \
            even += (x << BITS) >> BITS;                                                       \
            odd += x >> BITS;                                                                  \
        }                                                                                      \
        const WIDE low = __builtin_shufflevector(even, odd, 0, 8, 1, 9, 2, 10, 3, 11);         \
        const WIDE high = __builtin_shufflevector(even, odd, 4, 12, 5, 13, 6, 14, 7, 15);      \
        plait_8f *to = (plait_8f *)(sum + i);                                                  \
        to[0] += scale * PLAIT_TO_FLOAT(low);                                                  \
        to[1] += scale * PLAIT_TO_FLOAT(high);                                                 \
    }

/* Eight at a time; the last eight may overlap what is done already */
#define PLAIT_ADD_EIGHTS(NARROW, WIDE)                                                         \
    for (; i < n && n >= 8; i = i + 8 < n ? i + 8 : n) {                                       \
        const ptrdiff_t at = i + 8 <= n ? i : n - 8;                                           \
        WIDE part = {0};                                                                       \
        for (ptrdiff_t r = 0; r < count; r++)                                                  \
            part += __builtin_convertvector(*(const NARROW *)(rows[r] + at), WIDE);            \
        const plait_8f whole = PLAIT_TO_FLOAT(part);                                           \
        for (ptrdiff_t k = i - at; k < 8; k++)                                                 \
            sum[at + k] += scale * whole[k];                                                   \
    }

#define PLAIT_ADD_ONES                                                                         \
    for (; i < n; i++) {                                                                       \
        int32_t part = 0;                                                                      \
        for (ptrdiff_t r = 0; r < count; r++)                                                  \
            part += rows[r][i];                                                                \
        sum[i] += scale * (float)part;                                                         \
    }

PLAIT_FAST static void plait_add_many_8(float *sum, const int8_t *const *rows, ptrdiff_t count, ptrdiff_t n, float scale)
{
    ptrdiff_t i = 0;
#if defined(PLAIT_HALVES)
    for (; i + 32 <= n; i += 32) {
        plait_16h even = {0}, odd = {0}; /* 256 numbers of 8 bits fit */
        for (ptrdiff_t r = 0; r < count; r++) {
            const plait_16h x = *(const plait_16h *)(rows[r] + i);
            even += (x << 8) >> 8;
            odd += x >> 8;
        }
        const plait_16h low = __builtin_shufflevector(even, odd, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        const plait_16h high =
            __builtin_shufflevector(even, odd, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        plait_8f *to = (plait_8f *)(sum + i);
        to[0] += scale * PLAIT_TO_FLOAT(((const plait_8h *)&low)[0]);
        to[1] += scale * PLAIT_TO_FLOAT(((const plait_8h *)&low)[1]);
        to[2] += scale * PLAIT_TO_FLOAT(((const plait_8h *)&high)[0]);
        to[3] += scale * PLAIT_TO_FLOAT(((const plait_8h *)&high)[1]);
    }
    PLAIT_ADD_PAIRS(plait_8h, 8)
    PLAIT_ADD_EIGHTS(plait_8b, plait_8h)
#endif
    PLAIT_ADD_ONES
}

PLAIT_FAST static void plait_add_many_16(float *sum, const int16_t *const *rows, ptrdiff_t count, ptrdiff_t n,
                                         float scale)
{
    ptrdiff_t i = 0;
#if defined(PLAIT_HALVES)
    PLAIT_ADD_PAIRS(plait_8i, 16)
    PLAIT_ADD_EIGHTS(plait_8h, plait_8i)
#endif
    PLAIT_ADD_ONES
}

/* The index of the first maximum of n numbers, n > 0; 0 if there is none, as among NaN */
PLAIT_FAST static ptrdiff_t plait_first_largest(const float *x, ptrdiff_t n)
{
    float most[8];
    float best;
    ptrdiff_t i = 8, first = 0;
    if (n < 16) {
        for (i = 1; i < n; i++)
            if (x[i] > x[first])
                first = i;
        return first;
    }
    for (int k = 0; k < 8; k++)
        most[k] = x[k];
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            most[k] = x[i + k] > most[k] ? x[i + k] : most[k];
    best = most[0];
    for (int k = 1; k < 8; k++)
        best = most[k] > best ? most[k] : best;
    for (; i < n; i++)
        best = x[i] > best ? x[i] : best;
    for (; first + 8 <= n; first += 8) {
        int hits = 0;
        for (int k = 0; k < 8; k++)
            hits |= x[first + k] == best;
        if (hits)
            break;
    }
    while (first < n && x[first] != best)
        first++;
    return first < n ? first : 0;
}

/* The same separately for even and odd indices; n is even and not 0. */
PLAIT_FAST static void plait_first_largest_of_two(const float *x, ptrdiff_t n, ptrdiff_t *even, ptrdiff_t *odd)
{
    float best[2] = {x[0], x[1]};
    ptrdiff_t i = 0;
#if defined(PLAIT_VECTORS)
    if (n >= 8) {
        plait_8f most = *(const plait_8f *)x;
        for (i = 8; i + 8 <= n; i += 8) {
            const plait_8f y = *(const plait_8f *)(x + i);
            const plait_8i larger = y > most;
            most = (plait_8f)(((plait_8i)y & larger) | ((plait_8i)most & ~larger));
        }
        for (int k = 0; k < 8; k++)
            best[k & 1] = most[k] > best[k & 1] ? most[k] : best[k & 1];
    }
#endif
    for (; i < n; i++)
        best[i & 1] = x[i] > best[i & 1] ? x[i] : best[i & 1];
    *even = 0;
    while (*even < n - 2 && x[*even] != best[0])
        *even += 2;
    *odd = 1;
    while (*odd < n - 1 && x[*odd] != best[1])
        *odd += 2;
}

/* The first place from ``from`` on where x is above the limit, or n. */
PLAIT_FAST static ptrdiff_t plait_next_above(const float *x, ptrdiff_t from, ptrdiff_t n, float limit)
{
    ptrdiff_t i = from;
#if defined(PLAIT_VECTORS)
    const plait_8f limits = {limit, limit, limit, limit, limit, limit, limit, limit};
    for (; i + 8 <= n; i += 8) {
        const plait_8i above = *(const plait_8f *)(x + i) > limits;
        int hits = 0;
        for (int k = 0; k < 8; k++)
            hits |= above[k];
        if (hits)
            break;
    }
#endif
    while (i < n && !(x[i] > limit))
        i++;
    return i;
}

/* x . y over from..to - 1; eight running sums: a fixed order that can be vectorized */
PLAIT_FAST static double plait_dot(const double *x, const double *y, ptrdiff_t from, ptrdiff_t to)
{
    double sum[8] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    ptrdiff_t i = from;
    for (; i + 8 <= to; i += 8)
        for (int k = 0; k < 8; k++)
            sum[k] += x[i + k] * y[i + k];
    for (; i < to; i++)
        sum[0] += x[i] * y[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* sums[k] += rows[k] . x over the numbers from..to - 1; rows in single precision, sums in double */
PLAIT_FAST static void plait_dot_rows(double *sums, const float *const *rows, ptrdiff_t count, const double *x,
                                      ptrdiff_t from, ptrdiff_t to)
{
    for (ptrdiff_t r = 0; r < count; r++) {
        const float *y = rows[r];
        double sum[8] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
        ptrdiff_t i = from;
        for (; i + 8 <= to; i += 8)
            for (int k = 0; k < 8; k++)
                sum[k] += (double)y[i + k] * x[i + k];
        for (; i < to; i++)
            sum[0] += (double)y[i] * x[i];
        sums[r] += ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
    }
}

/* out = c x + sum over k of weights[k] rows[k], for the same numbers */
PLAIT_FAST static void plait_combine_rows(double *PLAIT_RESTRICT out, double c, const double *PLAIT_RESTRICT x,
                                          const float *const *rows, const double *weights, ptrdiff_t count,
                                          ptrdiff_t from, ptrdiff_t to)
{
    for (ptrdiff_t i = from; i < to; i++)
        out[i] = c * x[i];
    for (ptrdiff_t r = 0; r < count; r++) {
        const float *y = rows[r];
        double w = weights[r];
        for (ptrdiff_t i = from; i < to; i++)
            out[i] += w * (double)y[i];
    }
}

#endif
