# Data structures of searches and tables: an arena, a map from keys to values, and a heap of scored items.

from libc.stdint cimport int64_t

from plait.core._rows cimport prefetch
from plait.core._types cimport key_t, uint16_t, uint32_t, uint64_t


cdef struct Chunk:
    Chunk *next
    size_t size         # bytes after this header


cdef struct Arena:      # allocated piece by piece, freed all at once
    Chunk *first
    Chunk *current
    size_t used         # bytes of the current chunk


cdef void *try_take(Arena *arena, size_t size) noexcept nogil       # 16-byte aligned, not cleared; NULL: out of memory
cdef void *take(Arena *arena, size_t size) except NULL nogil        # the same, or MemoryError
cdef void rewind(Arena *arena) noexcept nogil                       # frees everything, but keeps the chunks
cdef void trim(Arena *arena, size_t most) noexcept nogil            # the same, but keeps at most so many bytes
cdef void release(Arena *arena) noexcept nogil


cdef struct Row:        # a row of weights
    uint32_t start      # where it begins
    uint16_t count      # weights in use
    uint16_t capacity   # maximum number of weights


cdef union Value:
    void *pointer
    uint64_t number
    Row row


cdef struct Slot:
    key_t key           # 0: free
    Value value


cdef struct KeyMap:     # key → value: open addressing, linear probing, at most half full; empty if all zeros
    Slot *slots
    uint64_t mask
    size_t count


cdef inline Slot *find(const KeyMap *map, key_t key) noexcept nogil:
    """The slot of this key, or the free slot where it would go; the map has slots."""
    cdef uint64_t at = key & map.mask
    while map.slots[at].key != key and map.slots[at].key != 0:
        at = (at + 1) & map.mask
    return &map.slots[at]


cdef inline void prefetch_slot(const KeyMap *map, key_t key) noexcept nogil:
    """Prefetch the slot of a key."""
    if map.slots != NULL:
        prefetch(map.slots + (key & map.mask))


cdef int reserve(KeyMap *map, uint64_t count) except -1 nogil      # slots for ``count`` keys
cdef Slot *enlarge(KeyMap *map, key_t key) except NULL nogil
cdef int clear(KeyMap *map) except -1 nogil                        # empty again
cdef void free_map(KeyMap *map) noexcept nogil


cdef inline Slot *insert(KeyMap *map, key_t key) except NULL nogil:
    """The slot of this key, with a value of zeros if it is new."""
    cdef Slot *slot
    if map.slots == NULL:
        return enlarge(map, key)
    slot = find(map, key)
    if slot.key == 0:
        if 2 * (map.count + 1) > map.mask + 1:
            return enlarge(map, key)
        slot.key = key
        map.count += 1
    return slot


cdef struct Ranked:     # ordered by descending score, ties by ascending number
    double score
    int64_t number


cdef void make_heap(Ranked *heap, Py_ssize_t n) noexcept nogil
# the k best of n items in front, as a heap, the others behind them in any order; quicker than a heap of all if k << n
cdef void split_best(Ranked *items, Py_ssize_t n, Py_ssize_t k) noexcept nogil
cdef void push(Ranked *heap, Py_ssize_t n, Ranked new) noexcept nogil       # onto a heap of n, with space for one more
cdef Ranked pop(Ranked *heap, Py_ssize_t n) noexcept nogil                  # the first of n
