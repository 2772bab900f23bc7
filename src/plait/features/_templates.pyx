"""Filling templates: atoms are looked up at fixed places around a base and hashed to 64-bit keys."""

from libc.stdlib cimport free, malloc

import numpy as np

from plait.core._hashing cimport finish, mix


cdef class Templates:
    """Templates whose atoms have places: made by ``plait.features.templates.compile_templates``."""

    def __cinit__(self, seeds, places):
        cdef Py_ssize_t k, total = sum(map(len, places)), at = 0
        self.count = len(seeds)
        self.start = <int32_t *> malloc((self.count + 1) * sizeof(int32_t))
        self.place = <int32_t *> malloc((total + 1) * sizeof(int32_t))
        self.seed = <uint64_t *> malloc((self.count + 1) * sizeof(uint64_t))
        if self.start == NULL or self.place == NULL or self.seed == NULL:
            raise MemoryError()
        self.start[0] = 0
        for k in range(self.count):
            self.seed[k] = seeds[k]
            for place in places[k]:
                self.place[at] = place
                self.lowest = min(self.lowest, <Py_ssize_t> place)
                self.highest = max(self.highest, <Py_ssize_t> place)
                at += 1
            self.start[k + 1] = <int32_t> at

    def __dealloc__(self):
        free(self.start)
        free(self.place)
        free(self.seed)

    def __len__(self):
        return self.count

    def sees(self, Py_ssize_t place):
        """Whether a template looks at the atom in this place."""
        cdef Py_ssize_t j
        for j in range(self.start[self.count]):
            if self.place[j] == place:
                return True
        return False

    cdef void fill(self, const atom_t *base, key_t *keys) noexcept nogil:
        self.fill_range(0, self.count, base, keys)

    cdef void fill_range(self, Py_ssize_t first, Py_ssize_t last, const atom_t *base, key_t *keys) noexcept nogil:
        cdef Py_ssize_t k, j
        cdef uint64_t h
        cdef atom_t atom
        for k in range(first, last):
            h = self.seed[k]
            for j in range(self.start[k], self.start[k + 1]):
                atom = base[self.place[j]]
                if atom == 0:
                    h = 0
                    break
                h = mix(h, atom)
            keys[k - first] = finish(h) if h != 0 else 0

    def table(self, const uint64_t[::1] atoms not None, Py_ssize_t base, Py_ssize_t step, Py_ssize_t rows):
        """The keys around ``rows`` bases that lie ``step`` apart, [rows][templates]."""
        cdef Py_ssize_t i
        if rows > 0 and (base + self.lowest < 0 or base + (rows - 1) * step + self.highest >= atoms.shape[0]):
            raise IndexError(f"templates around {base} look outside {atoms.shape[0]} atoms")
        out = np.zeros((rows, self.count), dtype=np.uint64)
        cdef uint64_t[:, ::1] view = out
        if self.count > 0:
            for i in range(rows):
                self.fill(&atoms[base + i * step], &view[i, 0])
        return out

    def keys(self, const uint64_t[::1] atoms not None, Py_ssize_t base):
        """The keys of all templates around one base in a flat array of atoms."""
        return self.table(atoms, base, 0, 1)[0]
