# Plain arrays: those of one owner, freed together; binary search in sorted ones; growing full ones.

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc

ctypedef fused number_t:
    uint32_t
    uint64_t


cdef struct Arrays:     # a list of arrays of any kind; NULL: none
    Arrays *next
    size_t padding      # what follows is aligned as by malloc


cdef inline void *new_array(Arrays **arrays, size_t size) except NULL nogil:
    """A new array of the list, of so many bytes, all zeros."""
    cdef Arrays *new = <Arrays *> calloc(1, sizeof(Arrays) + size)
    if new == NULL:
        with gil:
            raise MemoryError()
    new.next = arrays[0]
    arrays[0] = new
    return new + 1


cdef inline void free_arrays(Arrays **arrays) noexcept nogil:
    """Free all arrays of the list."""
    cdef Arrays *next
    while arrays[0] != NULL:
        next = arrays[0].next
        free(arrays[0])
        arrays[0] = next


cdef inline void *allocated(size_t size) except NULL nogil:
    """Memory for the caller to free, or MemoryError."""
    cdef void *memory = malloc(size)
    if memory == NULL:
        with gil:
            raise MemoryError()
    return memory


cdef inline Py_ssize_t first_from(const number_t[::1] numbers, number_t number, Py_ssize_t low,
                                  Py_ssize_t high) noexcept nogil:
    """The first index of an ascending array, from ``low`` on, whose number is not smaller, or ``high``."""
    cdef Py_ssize_t middle
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] < number:
            low = middle + 1
        else:
            high = middle
    return low


cdef inline Py_ssize_t place(const number_t[::1] numbers, number_t number) noexcept nogil:
    """The index of a number in an ascending array; -1 if it is not there."""
    cdef Py_ssize_t at = first_from(numbers, number, 0, numbers.shape[0])
    return at if at < numbers.shape[0] and numbers[at] == number else -1


cdef inline void *enlarged(void *items, Py_ssize_t *capacity, size_t size) except NULL nogil:
    """The items, each of this size, reallocated with twice the capacity; on MemoryError nothing changes."""
    cdef Py_ssize_t more = 2 * capacity[0] if capacity[0] > 0 else 256
    cdef void *larger = realloc(items, more * size)
    if larger == NULL:
        with gil:
            raise MemoryError()
    capacity[0] = more
    return larger
