"""Projectivity: the test, non-projective arcs, the projective order, and the lifting of Nivre & Nilsson (2005).

Tokens count from 1; head[0] is unused, head 0 is the root. An arc h -> d is projective if h dominates every word
between the two; a tree is projective if all its arcs are, that is if the words of every subtree are contiguous.
"""

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from plait.data._tree import find_fault


cdef int32_t *checked(heads, Py_ssize_t rows) except NULL:
    """rows arrays of len(heads) + 1 numbers, the first of them the heads of a tree (of trees, with several roots)."""
    cdef Py_ssize_t n = len(heads), i
    if find_fault(heads, False)[0] or (n and min(heads) < 0):
        raise ValueError("the heads are not a tree, or some are unknown")
    cdef int32_t *head = <int32_t *> malloc(rows * (n + 1) * sizeof(int32_t))
    if head == NULL:
        raise MemoryError()
    memset(head, 0, rows * (n + 1) * sizeof(int32_t))
    for i in range(n):
        head[i + 1] = heads[i]
    return head


cdef bint dominates(const int32_t *head, int32_t h, int32_t k) noexcept nogil:
    while k != h and k > 0:
        k = head[k]
    return k == h


cdef bint is_projective_arc(const int32_t *head, int32_t d) noexcept nogil:
    cdef int32_t h = head[d], k
    for k in range(min(h, d) + 1, max(h, d)):
        if not dominates(head, h, k):
            return False
    return True


cdef void order_top_down(
    const int32_t *head, int32_t n, int32_t *order, int32_t *child, int32_t *sibling
) noexcept nogil:
    """order[0..n] = 0 and then every token after its head; child and sibling link the children left to right."""
    cdef int32_t d, at, filled = 1
    for d in range(n + 1):
        child[d] = 0
    for d in range(n, 0, -1):
        sibling[d] = child[head[d]]
        child[head[d]] = d
    order[0] = 0
    for at in range(n + 1):
        d = child[order[at]]
        while d:
            order[filled] = d
            filled += 1
            d = sibling[d]


def is_projective(heads):
    """Whether the tree is projective, in linear time."""
    cdef int32_t n = <int32_t> len(heads), at, d, h
    cdef int32_t *head = checked(heads, 7)
    cdef int32_t *order = head + n + 1
    cdef int32_t *child = order + n + 1
    cdef int32_t *sibling = child + n + 1
    cdef int32_t *first = sibling + n + 1
    cdef int32_t *last = first + n + 1
    cdef int32_t *size = last + n + 1
    cdef bint result = True
    with nogil:
        order_top_down(head, n, order, child, sibling)
        for d in range(1, n + 1):
            first[d] = last[d] = d
            size[d] = 1
        for at in range(n, 0, -1):
            d = order[at]
            if last[d] - first[d] + 1 != size[d]:
                result = False
                break
            h = head[d]
            if h:
                first[h] = min(first[h], first[d])
                last[h] = max(last[h], last[d])
                size[h] += size[d]
    free(head)
    return result


def nonprojective_arcs(heads):
    """The dependents of the non-projective arcs, in order."""
    cdef int32_t n = <int32_t> len(heads), d
    cdef int32_t *head = checked(heads, 1)
    try:
        return [d for d in range(1, n + 1) if head[d] and not is_projective_arc(head, d)]
    finally:
        free(head)


def projective_order(heads):
    """The tokens in the order in which the tree would be projective: each between its left and right dependents."""
    cdef int32_t n = <int32_t> len(heads), d, top = 0, c
    cdef int32_t *head = checked(heads, 5)
    cdef int32_t *order = head + n + 1
    cdef int32_t *child = order + n + 1
    cdef int32_t *sibling = child + n + 1
    cdef int32_t *stack = sibling + n + 1
    cdef list result = []
    order_top_down(head, n, order, child, sibling)
    # child[d] is the next child of d to visit; d itself is output when the next child is to its right
    stack[0] = 0
    while top >= 0:
        d = stack[top]
        c = child[d]
        if d and order[d] >= 0 and (c == 0 or c > d):
            result.append(d)
            order[d] = -1
        if c:
            child[d] = sibling[c]
            top += 1
            stack[top] = c
            if order[c] < 0:
                order[c] = 0
        else:
            top -= 1
    free(head)
    return result


def lift(heads):
    """(heads, lifted, passed): repeatedly lift the shortest non-projective arc by one step until there is none.

    lifted[i]: the arc of token i + 1 was lifted; passed[i]: another arc was lifted over it.
    """
    cdef int32_t n = <int32_t> len(heads), d, best, length, best_length
    cdef int32_t *head = checked(heads, 3)
    cdef int32_t *lifted = head + n + 1
    cdef int32_t *passed = lifted + n + 1
    try:
        with nogil:
            while True:
                best = 0
                best_length = n + 1
                for d in range(1, n + 1):
                    length = head[d] - d if head[d] > d else d - head[d]
                    # the leftmost of equally short ones
                    if head[d] and length < best_length and not is_projective_arc(head, d):
                        best, best_length = d, length
                if not best:
                    break
                lifted[best] = 1
                passed[head[best]] = 1
                head[best] = head[head[best]]
        return (
            [head[d] for d in range(1, n + 1)],
            [lifted[d] != 0 for d in range(1, n + 1)],
            [passed[d] != 0 for d in range(1, n + 1)],
        )
    finally:
        free(head)
