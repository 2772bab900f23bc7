"""The tree test: heads in range, no self-loop, one root, no cycle, in linear time."""

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

cdef enum:
    OK = 0
    RANGE = 1
    LOOP = 2
    CYCLE = 3
    ROOTS = 4
    NO_ROOT = 5


def find_fault(heads, bint one_root=True):
    """(fault code, token) of the first fault in a list of heads (−1 unknown); (0, 0) when there is none.

    A sentence with unknown heads need not have a root yet, but the known heads must be valid.
    """
    cdef Py_ssize_t n = len(heads), i, k
    cdef int32_t *head = <int32_t *> malloc(2 * (n + 1) * sizeof(int32_t))
    cdef int32_t *seen
    cdef long long value
    cdef int roots = 0, second_root = 0, unknown = 0, code = OK, at = 0
    if head == NULL:
        raise MemoryError()
    seen = head + n + 1
    try:
        for i in range(n):
            value = heads[i]
            if value < -1 or value > n:
                return RANGE, i + 1
            if value == i + 1:
                return LOOP, i + 1
            head[i + 1] = <int32_t> value
            seen[i + 1] = 0
            if value == 0:
                roots += 1
                if roots == 2:
                    second_root = <int> i + 1
            elif value < 0:
                unknown += 1
        with nogil:
            # walk up from every token, marking with its number; reaching the same mark again is a cycle
            for i in range(1, n + 1):
                k = i
                while k > 0 and seen[k] == 0:
                    seen[k] = <int32_t> i
                    k = head[k]
                if k > 0 and seen[k] == i:
                    code, at = CYCLE, <int> k
                    break
        if code == OK and one_root:
            if roots > 1:
                code, at = ROOTS, second_root
            elif roots == 0 and unknown == 0 and n > 0:
                code, at = NO_ROOT, 0
        return code, at
    finally:
        free(head)
