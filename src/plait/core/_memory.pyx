"""Arena, map of keys and heap: the data structures of searches and weight tables."""

from libc.stdlib cimport free
from libc.string cimport memset

cdef extern from "key_tables.h" nogil:
    void *table_memory "plait_table_memory" (size_t size)
    size_t filter_words "plait_filter_words" (uint64_t slots)
    uint64_t *filter_word "plait_filter_word" (const uint64_t *words, uint64_t slots, key_t key)
    uint64_t filter_bits "plait_filter_bits" (key_t key)

cdef enum:
    CHUNK = 1 << 16         # the first chunk of an arena; the next ones double
    LARGEST_CHUNK = 1 << 22     # uses huge pages if available: long sentences access it randomly
    SLOTS = 1 << 10     # a map of this size is cleared quickly; longer sentences let it grow


cdef void *try_take(Arena *arena, size_t size) noexcept nogil:
    cdef Chunk *chunk = arena.current
    cdef size_t space
    size = (size + 15) & ~(<size_t> 15)
    while chunk != NULL and arena.used + size > chunk.size:     # continue with the next chunk, if one is left
        chunk = chunk.next
        arena.used = 0
        if chunk != NULL:
            arena.current = chunk
    if chunk == NULL:
        space = <size_t> CHUNK - sizeof(Chunk)
        if arena.first != NULL:
            space = min(2 * (arena.current.size + sizeof(Chunk)), <size_t> LARGEST_CHUNK) - sizeof(Chunk)
        space = max(size, space)
        chunk = <Chunk *> table_memory(sizeof(Chunk) + space)
        if chunk == NULL:
            return NULL
        chunk.size = space
        chunk.next = NULL
        if arena.first == NULL:
            arena.first = chunk
        else:
            arena.current.next = chunk
        arena.current = chunk
        arena.used = 0
    arena.used += size
    return <char *> (chunk + 1) + arena.used - size


cdef void *take(Arena *arena, size_t size) except NULL nogil:
    cdef void *taken = try_take(arena, size)
    if taken == NULL:
        with gil:
            raise MemoryError()
    return taken


cdef void rewind(Arena *arena) noexcept nogil:
    arena.current = arena.first
    arena.used = 0


cdef void trim(Arena *arena, size_t most) noexcept nogil:
    cdef Chunk **link = &arena.first
    cdef Chunk *chunk
    cdef size_t kept = 0
    while link[0] != NULL:
        chunk = link[0]
        if kept + chunk.size > most:
            link[0] = chunk.next
            free(chunk)
        else:
            kept += chunk.size
            link = &chunk.next
    rewind(arena)


cdef void release(Arena *arena) noexcept nogil:
    trim(arena, 0)


cdef int resize(KeyMap *map, uint64_t size) except -1 nogil:
    cdef Slot *old = map.slots
    cdef uint64_t i, old_size = map.mask + 1 if old != NULL else 0
    cdef size_t bytes = size * sizeof(Slot) + filter_words(size) * sizeof(uint64_t)     # the filter follows the slots
    cdef Slot *new = <Slot *> table_memory(bytes)
    if new == NULL:
        with gil:
            raise MemoryError()
    memset(new, 0, bytes)
    map.slots = new
    map.mask = size - 1
    for i in range(old_size):
        if old[i].key != 0:
            find(map, old[i].key)[0] = old[i]
            filter_word(<uint64_t *> (new + size), size, old[i].key)[0] |= filter_bits(old[i].key)
    free(old)
    return 0


cdef int reserve(KeyMap *map, uint64_t count) except -1 nogil:
    cdef uint64_t size = 16
    while size < 2 * count:
        size *= 2
    return resize(map, size) if map.slots == NULL or size > map.mask + 1 else 0


cdef Slot *enlarge(KeyMap *map, key_t key) except NULL nogil:
    """Make space and insert a new key."""
    cdef Slot *slot
    resize(map, SLOTS if map.slots == NULL else 2 * (map.mask + 1))
    slot = find(map, key)
    slot.key = key
    map.count += 1
    return slot


cdef int clear(KeyMap *map) except -1 nogil:
    if map.slots == NULL or map.count == 0:
        return 0
    if map.mask + 1 > 16 * map.count and map.mask + 1 > SLOTS:    # shrink after a long sentence
        free_map(map)
        return resize(map, SLOTS)
    memset(map.slots, 0, (map.mask + 1) * sizeof(Slot))
    map.count = 0
    return 0


cdef void free_map(KeyMap *map) noexcept nogil:
    free(map.slots)
    map.slots = NULL
    map.count = 0


cdef inline bint ahead(const Ranked *a, const Ranked *b) noexcept nogil:
    return a.score > b.score or (a.score == b.score and a.number < b.number)


cdef void sift_down(Ranked *heap, Py_ssize_t n, Py_ssize_t at, Ranked moved) noexcept nogil:
    """Put ``moved`` at ``at`` or below it, where it belongs."""
    cdef Py_ssize_t child
    while True:
        child = 2 * at + 1
        if child >= n:
            break
        if child + 1 < n and ahead(&heap[child + 1], &heap[child]):
            child += 1
        if not ahead(&heap[child], &moved):
            break
        heap[at] = heap[child]
        at = child
    heap[at] = moved


cdef void make_heap(Ranked *heap, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t at
    for at in range(n // 2 - 1, -1, -1):
        sift_down(heap, n, at, heap[at])


cdef void split_best(Ranked *items, Py_ssize_t n, Py_ssize_t k) noexcept nogil:
    # with signs reversed, the front is a heap whose top is the worst of the best so far
    cdef Py_ssize_t i
    cdef Ranked worst
    for i in range(k):
        items[i] = Ranked(-items[i].score, -items[i].number)
    make_heap(items, k)
    for i in range(k, n):
        worst = Ranked(-items[0].score, -items[0].number)
        if ahead(&items[i], &worst):
            sift_down(items, k, 0, Ranked(-items[i].score, -items[i].number))
            items[i] = worst
    for i in range(k):
        items[i] = Ranked(-items[i].score, -items[i].number)
    make_heap(items, k)


cdef void push(Ranked *heap, Py_ssize_t n, Ranked new) noexcept nogil:
    cdef Py_ssize_t at = n, above
    while at > 0:
        above = (at - 1) // 2
        if not ahead(&new, &heap[above]):
            break
        heap[at] = heap[above]
        at = above
    heap[at] = new


cdef Ranked pop(Ranked *heap, Py_ssize_t n) noexcept nogil:
    cdef Ranked top = heap[0]
    if n > 1:
        sift_down(heap, n - 1, 0, heap[n - 1])
    return top
