/* Portability macros for compilers and processors. */
#ifndef PLAIT_PORTABLE_H
#define PLAIT_PORTABLE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define PLAIT_PREFETCH(address) __builtin_prefetch((const void *)(address), 0, 3)
#else
#define PLAIT_PREFETCH(address) ((void)(address))
#endif

/* The position of the lowest set bit; bits is not 0. */
static inline int plait_lowest_bit(unsigned int bits)
{
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctz(bits);
#else
    int place = 0;
    while (!(bits >> place & 1u))
        place++;
    return place;
#endif
}

/* Compiled a second time for AVX2, and chosen when the module is loaded. AVX2 alone has no fused multiply-add, so that
   both versions round alike and give the same bytes. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__)
#define PLAIT_FAST __attribute__((target_clones("avx2", "default"), unused))
#elif defined(__GNUC__) || defined(__clang__)
#define PLAIT_FAST __attribute__((unused))
#else
#define PLAIT_FAST
#endif

#if defined(_MSC_VER)
#define PLAIT_RESTRICT __restrict
#else
#define PLAIT_RESTRICT restrict
#endif

/* Vectors of eight numbers with any alignment, which GCC and clang map to the instructions of the processor. */
#if defined(__GNUC__) || defined(__clang__)
#define PLAIT_VECTORS 1
typedef float plait_8f __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t plait_8i __attribute__((vector_size(32), aligned(2), may_alias));
typedef int16_t plait_8h __attribute__((vector_size(16), aligned(1), may_alias));
typedef int8_t plait_8b __attribute__((vector_size(8), aligned(1), may_alias));
typedef int16_t plait_16h __attribute__((vector_size(32), aligned(1), may_alias));
#endif

#endif
