"""Arena and memo of one sentence: nothing is freed piece by piece, and nothing is scored twice."""

from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

cdef enum:
    CHUNK = 1 << 16
    SLOTS = 1 << 10     # a memo this small is cleared in no time; longer sentences let it grow


cdef void *take(Arena *arena, size_t size) except NULL nogil:
    cdef Chunk *chunk = arena.current
    cdef size_t room
    size = (size + 15) & ~(<size_t> 15)
    while chunk != NULL and arena.used + size > chunk.size:     # on to the next chunk, kept from an earlier sentence
        chunk = chunk.next
        arena.used = 0
        if chunk != NULL:
            arena.current = chunk
    if chunk == NULL:
        room = max(size, <size_t> CHUNK)
        chunk = <Chunk *> malloc(sizeof(Chunk) + room)
        if chunk == NULL:
            with gil:
                raise MemoryError()
        chunk.size = room
        chunk.next = NULL
        if arena.first == NULL:
            arena.first = chunk
        else:
            arena.current.next = chunk
        arena.current = chunk
        arena.used = 0
    arena.used += size
    return <char *> (chunk + 1) + arena.used - size


cdef void rewind(Arena *arena) noexcept nogil:
    arena.current = arena.first
    arena.used = 0


cdef void release(Arena *arena) noexcept nogil:
    cdef Chunk *next
    while arena.first != NULL:
        next = arena.first.next
        free(arena.first)
        arena.first = next
    arena.current = NULL


cdef int resize(Memo *memo, uint64_t size) except -1 nogil:
    cdef Known *old = memo.slots
    cdef uint64_t i, at, old_size = memo.mask + 1 if old != NULL else 0
    memo.slots = <Known *> calloc(size, sizeof(Known))
    if memo.slots == NULL:
        memo.slots = old
        with gil:
            raise MemoryError()
    memo.mask = size - 1
    for i in range(old_size):
        if old[i].key != 0:
            at = old[i].key & memo.mask
            while memo.slots[at].key != 0:
                at = (at + 1) & memo.mask
            memo.slots[at] = old[i]
    free(old)
    return 0


cdef void **recall(Memo *memo, uint64_t key) except NULL nogil:
    cdef uint64_t at
    if memo.slots == NULL:
        resize(memo, SLOTS)
    at = key & memo.mask
    while memo.slots[at].key != 0:
        if memo.slots[at].key == key:
            return &memo.slots[at].value
        at = (at + 1) & memo.mask
    if 2 * (memo.count + 1) > memo.mask + 1:
        resize(memo, 2 * (memo.mask + 1))
        at = key & memo.mask
        while memo.slots[at].key != 0:
            at = (at + 1) & memo.mask
    memo.count += 1
    memo.slots[at].key = key
    memo.slots[at].value = NULL
    return &memo.slots[at].value


cdef int forget(Memo *memo) except -1 nogil:
    if memo.slots == NULL or memo.count == 0:
        return 0
    if memo.mask + 1 > 16 * memo.count and memo.mask + 1 > SLOTS:    # a long sentence has passed: small again
        free(memo.slots)
        memo.slots = NULL
        memo.count = 0
        return resize(memo, SLOTS)
    memset(memo.slots, 0, (memo.mask + 1) * sizeof(Known))
    memo.count = 0
    return 0


cdef void drop(Memo *memo) noexcept nogil:
    free(memo.slots)
    memo.slots = NULL
    memo.count = 0
