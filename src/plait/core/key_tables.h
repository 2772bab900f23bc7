/* What large tables need whose rows are found by keys: memory that is read at random places, and a filter. */
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

/* Not cleared; free() gives it back. Linux is asked for pages of 2 MB: to find out where one of a hundred thousand small
   pages lies takes longer than to read what is there. */
static inline void *plait_table_memory(size_t size)
{
#if defined(PLAIT_HUGE_PAGE)
    if (size >= 2 * PLAIT_HUGE_PAGE) {
        const size_t whole = (size + PLAIT_HUGE_PAGE - 1) & ~(PLAIT_HUGE_PAGE - 1);
        void *memory = aligned_alloc(PLAIT_HUGE_PAGE, whole);
        if (memory)
            madvise(memory, whole, MADV_HUGEPAGE); /* a wish: where it is refused, small pages do */
        return memory;
    }
#endif
    return malloc(size);
}

/* A filter of keys: one word of 64 bits for 16 slots of a table, in which each key has two bits. Most keys that a search
   asks for have no row; nearly all of those are told apart here, in a thirty-second part of the table's memory. */
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
