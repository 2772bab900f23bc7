# Memory that lives as long as one sentence is being analysed: an arena, and a table of what was computed already.

from plait.core._types cimport uint64_t


cdef struct Chunk:
    Chunk *next
    size_t size         # bytes after this header


cdef struct Arena:      # take from it piece by piece, give everything back at once
    Chunk *first
    Chunk *current
    size_t used         # bytes of the current chunk


cdef struct Known:
    uint64_t key        # 0: free
    void *value


cdef struct Memo:       # key → value; open addressing, at most half full
    Known *slots
    uint64_t mask
    size_t count


cdef void *take(Arena *arena, size_t size) except NULL nogil        # 16-byte aligned, not cleared
cdef void rewind(Arena *arena) noexcept nogil                       # all that was taken is free again
cdef void release(Arena *arena) noexcept nogil

cdef void **recall(Memo *memo, uint64_t key) except NULL nogil      # the value's cell, NULL in it when new
cdef int forget(Memo *memo) except -1 nogil                         # empty again
cdef void drop(Memo *memo) noexcept nogil
