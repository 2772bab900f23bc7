"""Templates by the words they look at.

Most of a window does not change from one configuration to the next, and hypotheses of a beam share most of theirs. So
templates are sorted by the slots whose words, or whose words with their children, they see; the scores of such a group
are kept under the signature of those words and taken again whenever they meet again.
"""

from libc.stdlib cimport free, malloc

from plait.core._hashing cimport finish, mix


cdef class Grouped:
    """Compiled templates, and for each of them the bits of the slots it sees: 1 << s the word, 64 << s its children."""

    def __cinit__(self, Templates templates not None, sees, uint64_t seed):
        cdef Py_ssize_t k, n = templates.count
        if len(sees) != n:
            raise ValueError(f"{len(sees)} views for {n} templates")
        self.templates = templates
        self.seed = seed
        self.first = <Py_ssize_t *> malloc((n + 1) * sizeof(Py_ssize_t))
        self.sees = <uint16_t *> malloc((n + 1) * sizeof(uint16_t))
        if self.first == NULL or self.sees == NULL:
            raise MemoryError()
        for k in range(n):
            if not 0 <= sees[k] < 1 << 2 * SLOTS:
                raise ValueError(f"a view {sees[k]} of {SLOTS} slots")
            if k == 0 or sees[k] != sees[k - 1]:
                self.first[self.count] = k
                self.sees[self.count] = sees[k]
                self.count += 1
        self.first[self.count] = n

    def __dealloc__(self):
        free(self.first)
        free(self.sees)

    cdef uint64_t signature(self, Py_ssize_t group, const View *view, uint64_t more) noexcept nogil:
        cdef uint64_t h = mix(mix(mix(0x67726f75, self.seed), <uint64_t> group), more)
        cdef int s
        for s in range(SLOTS):
            if self.sees[group] >> (SLOTS + s) & 1:
                h = mix(h, view.tree[s])
            elif self.sees[group] >> s & 1:
                h = mix(h, view.word[s])
        return finish(h)


cdef void see(const Node **slots, View *view) noexcept nogil:
    cdef int s
    for s in range(SLOTS):
        view.word[s] = finish(mix(mix(0x736c6f74, <uint64_t> slots[s].word), slots[s].tag))
        view.tree[s] = slots[s].tagged
