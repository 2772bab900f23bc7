"""Static oracles: the transitions that rebuild a tree, with SWAP as early as possible (eager) or put off (lazy).

With i, j the two topmost words and k the next word of the buffer (Nivre 2009; Nivre, Kuhlmann & Hall 2009):

    LEFT-ARC   if head(i) = j and i has all its children
    RIGHT-ARC  if head(j) = i and j has all its children
    SWAP       if j comes before i in the projective order
               lazy: and j and k belong to different maximal projective components
    SHIFT      otherwise

Tokens count from 1; 0 is the root.
"""

from libc.stdint cimport int32_t
from libc.stdlib cimport calloc, free

import numpy as np

from plait.data._projectivity import projective_order
from plait.data.trees import tree_fault
from plait.transition._types cimport LEFT as TO_LEFT
from plait.transition._types cimport RIGHT as TO_RIGHT
from plait.transition._types cimport SHIFT as TO_STACK
from plait.transition._types cimport SWAP as TO_BUFFER

SHIFT, SWAP, LEFT, RIGHT = TO_STACK, TO_BUFFER, TO_LEFT, TO_RIGHT


cdef class Gold:
    """A gold tree with what the oracle needs to know."""

    cdef Py_ssize_t n
    cdef int32_t *head          # [n + 1]
    cdef int32_t *children      # [n + 1]: how many
    cdef int32_t *rank          # [n + 1]: position in the projective order
    cdef int32_t *component     # [n + 1]: root of the maximal projective component
    cdef int32_t *scratch       # [3][n + 2]

    def __cinit__(self, heads):
        cdef Py_ssize_t n = len(heads), i
        fault = tree_fault(heads) if n else None
        if fault is not None or -1 in heads:
            raise ValueError(f"not a tree: {fault or 'some heads are unknown'}")
        self.n = n
        self.head = <int32_t *> calloc(7 * (n + 2), sizeof(int32_t))
        if self.head == NULL:
            raise MemoryError()
        self.children = self.head + n + 2
        self.rank = self.children + n + 2
        self.component = self.rank + n + 2
        self.scratch = self.component + n + 2
        for i in range(n):
            self.head[i + 1] = heads[i]
            self.children[<int32_t> heads[i]] += 1
        for i, word in enumerate(projective_order(heads)):
            self.rank[<int32_t> word] = <int32_t> i + 1
        self.find_components()

    def __dealloc__(self):
        free(self.head)

    cdef void find_components(self) noexcept:
        """The trees that arc-standard parsing without SWAP leaves on the stack."""
        cdef int32_t *left = self.scratch       # children still to come
        cdef int32_t *stack = self.scratch + self.n + 2
        cdef int32_t k, i, j, above, top = 0
        for k in range(<int32_t> self.n + 1):
            left[k] = self.children[k]
            self.component[k] = k
        stack[0] = 0
        for k in range(1, <int32_t> self.n + 1):
            top += 1
            stack[top] = k
            while top > 0:
                i, j = stack[top - 1], stack[top]
                if i != 0 and self.head[i] == j and left[i] == 0:
                    self.component[i] = j
                    left[j] -= 1
                    stack[top - 1] = j
                elif self.head[j] == i and left[j] == 0:
                    self.component[j] = i
                    left[i] -= 1
                else:
                    break
                top -= 1
        for k in range(1, <int32_t> self.n + 1):    # from the heads to the roots of the components
            j = k
            while self.component[j] != j:
                j = self.component[j]
            i = k
            while self.component[i] != j:
                above = self.component[i]
                self.component[i] = j
                i = above

    cdef list transitions(self, bint lazy):
        cdef list found = []
        cdef int32_t *left = self.scratch
        cdef int32_t *stack = self.scratch + self.n + 2
        cdef int32_t *buffer = self.scratch + 2 * (self.n + 2)     # the next word last
        cdef int32_t i, j, top = 0, waiting = <int32_t> self.n
        for i in range(<int32_t> self.n + 1):
            left[i] = self.children[i]
        stack[0] = 0
        for i in range(waiting):
            buffer[i] = <int32_t> self.n - i
        while top > 0 or waiting > 0:
            if top > 0:
                i, j = stack[top - 1], stack[top]
                if i != 0 and self.head[i] == j and left[i] == 0:
                    left[j] -= 1
                    stack[top - 1] = j
                    top -= 1
                    found.append((<int> TO_LEFT, i))
                    continue
                if self.head[j] == i and left[j] == 0:
                    left[i] -= 1
                    top -= 1
                    found.append((<int> TO_RIGHT, j))
                    continue
                if 0 < i < j and self.rank[j] < self.rank[i] and not (
                    lazy and waiting > 0 and self.component[j] == self.component[buffer[waiting - 1]]
                ):
                    stack[top - 1] = j
                    top -= 1
                    buffer[waiting] = i
                    waiting += 1
                    found.append((<int> TO_BUFFER, i))
                    continue
            waiting -= 1
            top += 1
            stack[top] = buffer[waiting]
            found.append((<int> TO_STACK, stack[top]))
        return found


def oracle(heads, bint lazy=True):
    """The kinds of the transitions that rebuild a tree, in order, and the word that each moves or attaches.

    Anything but one rooted tree is a ValueError.

    >>> kinds, words = oracle([2, 0])
    >>> kinds.tolist() == [SHIFT, SHIFT, LEFT, RIGHT], words.tolist()
    (True, [1, 2, 1, 2])
    """
    found = Gold(heads).transitions(lazy)
    return np.array([kind for kind, _ in found], dtype=np.uint8), np.array([word for _, word in found], dtype=np.int32)


def components(heads):
    """The root of each word's maximal projective component."""
    cdef Gold gold = Gold(heads)
    return [gold.component[i] for i in range(1, gold.n + 1)]
