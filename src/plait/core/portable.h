/* What compilers and processors spell differently, with one plain meaning each. */
#ifndef PLAIT_PORTABLE_H
#define PLAIT_PORTABLE_H

#include <stdint.h>
#include <stddef.h>

#if defined(__GNUC__) || defined(__clang__)
#define PLAIT_PREFETCH(address) __builtin_prefetch((const void *)(address), 0, 3)
#else
#define PLAIT_PREFETCH(address) ((void)(address))
#endif

/* Compiled twice, and the processor's own choice is taken when the module is loaded. Without FMA, so that both
   versions round alike and give the same bytes. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__)
#define PLAIT_FAST __attribute__((target_clones("avx2", "default"), unused))
#elif defined(__GNUC__) || defined(__clang__)
#define PLAIT_FAST __attribute__((unused))
#else
#define PLAIT_FAST
#endif

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Which of eight numbers equal x: the place of the first, or -1. */
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

/* Eight numbers at a time, wherever they begin in memory: GCC and clang turn them into what the processor has. */
#if defined(__GNUC__) || defined(__clang__)
#define PLAIT_VECTORS 1
typedef float plait_8f __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t plait_8i __attribute__((vector_size(32), aligned(4), may_alias));
typedef int16_t plait_8h __attribute__((vector_size(16), aligned(2), may_alias));
typedef int16_t plait_16h __attribute__((vector_size(32), aligned(2), may_alias));
typedef int8_t plait_16b __attribute__((vector_size(16), aligned(1), may_alias));
#endif

/* sum[i] = rows[0][i] + ... + rows[count - 1][i], in that order; the sums of 32 places stay in registers */
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
    for (; i + 8 <= n; i += 8) {
        plait_8f a = {0};
        for (ptrdiff_t r = 0; r < count; r++)
            a += *(const plait_8f *)(rows[r] + i);
        *(plait_8f *)(sum + i) = a;
    }
#endif
    for (; i < n; i++) {
        float part = 0;
        for (ptrdiff_t r = 0; r < count; r++)
            part += rows[r][i];
        sum[i] = part;
    }
}

/* sum[i] += scale * (rows[0][i] + ... + rows[count - 1][i]) for dense rows of small numbers, at most 256 of them: whole
   numbers are added up first, so that most of the work is one addition for 8 or 16 weights. */
#if defined(PLAIT_VECTORS) && defined(__has_builtin)
#if __has_builtin(__builtin_convertvector)
#define PLAIT_CONVERT(x, type) __builtin_convertvector(x, type)
#endif
#endif

PLAIT_FAST static void plait_add_many_8(float *sum, const int8_t *const *rows, ptrdiff_t count, ptrdiff_t n, float scale)
{
    ptrdiff_t i = 0;
#if defined(PLAIT_CONVERT)
    for (; i + 16 <= n; i += 16) {
        plait_16h a = {0}; /* 256 numbers of 8 bits fit */
        for (ptrdiff_t r = 0; r < count; r++)
            a += PLAIT_CONVERT(*(const plait_16b *)(rows[r] + i), plait_16h);
        plait_8f *to = (plait_8f *)(sum + i);
        const plait_8h *half = (const plait_8h *)&a;
        to[0] += scale * PLAIT_CONVERT(PLAIT_CONVERT(half[0], plait_8i), plait_8f);
        to[1] += scale * PLAIT_CONVERT(PLAIT_CONVERT(half[1], plait_8i), plait_8f);
    }
#endif
    for (; i < n; i++) {
        int32_t part = 0;
        for (ptrdiff_t r = 0; r < count; r++)
            part += rows[r][i];
        sum[i] += scale * (float)part;
    }
}

PLAIT_FAST static void plait_add_many_16(float *sum, const int16_t *const *rows, ptrdiff_t count, ptrdiff_t n,
                                         float scale)
{
    ptrdiff_t i = 0;
#if defined(PLAIT_CONVERT)
    for (; i + 16 <= n; i += 16) {
        plait_8i a = {0}, b = {0};
        for (ptrdiff_t r = 0; r < count; r++) {
            const plait_8h *x = (const plait_8h *)(rows[r] + i);
            a += PLAIT_CONVERT(x[0], plait_8i);
            b += PLAIT_CONVERT(x[1], plait_8i);
        }
        plait_8f *to = (plait_8f *)(sum + i);
        to[0] += scale * PLAIT_CONVERT(a, plait_8f);
        to[1] += scale * PLAIT_CONVERT(b, plait_8f);
    }
#endif
    for (; i < n; i++) {
        int32_t part = 0;
        for (ptrdiff_t r = 0; r < count; r++)
            part += rows[r][i];
        sum[i] += scale * (float)part;
    }
}

/* The place of the first largest of n numbers, none of them NaN; n > 0 */
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
    while (x[first] != best)
        first++;
    return first;
}

#endif
