# Plain arrays: binary search in sorted ones, and growing full ones.

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport realloc

ctypedef fused number_t:
    uint32_t
    uint64_t


cdef inline Py_ssize_t place(const number_t[::1] numbers, number_t number) noexcept nogil:
    """The index of a number in an ascending array; -1 if it is not there."""
    cdef Py_ssize_t low = 0, high = numbers.shape[0], middle
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] < number:
            low = middle + 1
        else:
            high = middle
    return low if low < numbers.shape[0] and numbers[low] == number else -1


cdef inline void *enlarged(void *items, Py_ssize_t *capacity, size_t size) except NULL nogil:
    """The items, each of this size, reallocated with twice the capacity; on MemoryError nothing changes."""
    cdef Py_ssize_t more = 2 * capacity[0] if capacity[0] > 0 else 256
    cdef void *larger = realloc(items, more * size)
    if larger == NULL:
        with gil:
            raise MemoryError()
    capacity[0] = more
    return larger
