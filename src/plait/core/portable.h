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

#endif
