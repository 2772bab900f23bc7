/* Memory for large tables with random access, and a filter of their keys. */
#ifndef PLAIT_KEY_TABLES_H
#define PLAIT_KEY_TABLES_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#if defined(MADV_HUGEPAGE)
#define PLAIT_HUGE_PAGE ((size_t)1 << 21)
#endif

/* Uninitialized memory, to be freed with free(). Large tables use pages of 2 MB on Linux: with a hundred thousand small
   pages, address translation would take longer than reading the data. */
static inline void *plait_table_memory(size_t size)
{
#if defined(PLAIT_HUGE_PAGE)
    if (size >= 2 * PLAIT_HUGE_PAGE) {
        const size_t whole = (size + PLAIT_HUGE_PAGE - 1) & ~(PLAIT_HUGE_PAGE - 1);
        void *memory = aligned_alloc(PLAIT_HUGE_PAGE, whole);
        if (memory)
            madvise(memory, whole, MADV_HUGEPAGE); /* only a hint: otherwise small pages are used */
        return memory;
    }
#endif
    return malloc(size);
}

/* A filter of keys: one word of 64 bits for 16 slots of a table, in which each key has two bits. Most keys looked up in
   a search have no row; nearly all of those are rejected here, in a thirty-second of the table's memory. */
static inline size_t plait_filter_words(uint64_t slots)
{
    return (size_t)(slots < 16 ? 1 : slots / 16);
}

static inline uint64_t *plait_filter_word(const uint64_t *words, uint64_t slots, uint64_t key)
{
    return (uint64_t *)words + ((key >> 32) & (plait_filter_words(slots) - 1));
}

static inline uint64_t plait_filter_bits(uint64_t key)
{
    return (uint64_t)1 << ((key >> 20) & 63) | (uint64_t)1 << ((key >> 26) & 63);
}

#endif
