"""Filling templates: atoms at fixed offsets from a base are hashed to 64-bit keys, which are then scored."""

from libc.stdlib cimport free
from libc.string cimport memset

import numpy as np

from plait.core._arrays cimport allocated, free_arrays, new_array
from plait.core._memory cimport clear, free_map, release, rewind, take
from plait.core._rows cimport sum_rows


cdef enum:
    KEYS_PER_LOOKUP = 512   # keys of several items are looked up together, so that memory accesses overlap


cdef class Templates:
    """Templates with the offsets of their atoms; made by ``plait.features.templates.compile_templates``."""

    def __cinit__(self, seeds, places):
        cdef Py_ssize_t k, total = sum(map(len, places)), at = 0
        self.count = len(seeds)
        self.start = <int32_t *> new_array(&self.arrays, (self.count + 1) * sizeof(int32_t))
        self.place = <int32_t *> new_array(&self.arrays, (total + 1) * sizeof(int32_t))
        self.seed = <uint64_t *> new_array(&self.arrays, (self.count + 1) * sizeof(uint64_t))
        for k in range(self.count):
            self.seed[k] = seeds[k]
            for place in places[k]:
                self.place[at] = place
                self.lowest = min(self.lowest, <Py_ssize_t> place)
                self.highest = max(self.highest, <Py_ssize_t> place)
                at += 1
            self.start[k + 1] = <int32_t> at

    def __dealloc__(self):
        free_arrays(&self.arrays)

    def __len__(self):
        return self.count

    def sees(self, Py_ssize_t place):
        """Whether a template looks at the atom at this offset."""
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

    def scores(self, Scorer weights not None, const uint64_t[:, ::1] atoms not None, Py_ssize_t pad):
        """[items][labels]: for each item of a padded matrix of atoms, the sum of the rows of all templates."""
        cdef Py_ssize_t n = atoms.shape[0] - 2 * pad, width = atoms.shape[1], i
        if n < 0 or pad * width < max(-self.lowest, self.highest - width + 1):
            raise ValueError("the padding is narrower than the templates")
        out = np.zeros((n, weights.labels), dtype=np.float32)
        cdef float[:, ::1] scores = out
        cdef Py_ssize_t together = max(1, KEYS_PER_LOOKUP // max(1, self.count)), k, waiting = 0
        cdef key_t *keys
        cdef score_t **targets
        if n == 0 or self.count == 0:
            return out
        keys = <key_t *> allocated(together * self.count * (sizeof(key_t) + sizeof(score_t *)))
        targets = <score_t **> (keys + together * self.count)
        with nogil:
            for i in range(n):
                self.fill(&atoms[pad + i, 0], keys + waiting)
                for k in range(waiting, waiting + self.count):
                    targets[k] = &scores[i, 0]
                waiting += self.count
                if waiting == together * self.count or i == n - 1:
                    weights.add_each(keys, waiting, targets)
                    waiting = 0
        free(keys)
        return out


cdef class TemplateGroups:
    """Templates by the slots that they look at: ``groups`` lists (slots, number of templates)."""

    def __cinit__(self, Templates templates not None, groups, uint64_t seed=0):
        cdef Py_ssize_t g, k = 0
        self.templates = templates
        self.count = len(groups)
        self.first = <int32_t *> new_array(&self.arrays, (self.count + 1) * sizeof(int32_t))
        self.start = <int32_t *> new_array(&self.arrays, (self.count + 1) * sizeof(int32_t))
        self.slot = <int32_t *> new_array(&self.arrays, (sum(len(slots) for slots, _ in groups) + 1) * sizeof(int32_t))
        self.seed = <uint64_t *> new_array(&self.arrays, (self.count + 1) * sizeof(uint64_t))
        for g in range(self.count):
            slots, count = groups[g]
            for number in slots:
                self.slot[k] = number
                self.lowest = min(self.lowest, <Py_ssize_t> number)
                self.highest = max(self.highest, <Py_ssize_t> number)
                k += 1
            self.start[g + 1] = <int32_t> k
            self.first[g + 1] = self.first[g] + <int32_t> count
            self.seed[g] = mix(mix(0x67726f75, seed), <uint64_t> g)
        if self.first[self.count] != templates.count:
            raise ValueError(f"{self.first[self.count]} templates in groups, {templates.count} in all")

    def __dealloc__(self):
        free_arrays(&self.arrays)


cdef int open_sums(Sums *sums, Py_ssize_t max_templates, Py_ssize_t max_groups) except -1:
    memset(sums, 0, sizeof(Sums))
    sums.keys = <key_t *> new_array(&sums.arrays, (max_templates + 1) * sizeof(key_t))
    sums.targets = <score_t **> new_array(&sums.arrays, (max_templates + 1) * sizeof(score_t *))
    sums.parts = <score_t **> new_array(&sums.arrays, (max_groups + 1) * sizeof(score_t *))
    sums.signatures = <key_t *> new_array(&sums.arrays, (max_groups + 1) * sizeof(key_t))
    return 0


cdef int clear_sums(Sums *sums) except -1 nogil:
    sums.waiting = sums.count = 0
    rewind(&sums.arena)
    return clear(&sums.memo)


cdef void close_sums(Sums *sums) noexcept nogil:
    release(&sums.arena)
    free_map(&sums.memo)
    free_arrays(&sums.arrays)


cdef score_t *new_sum(Sums *sums, TemplateGroups groups, Py_ssize_t g, const atom_t *base,
                      Py_ssize_t labels) except NULL nogil:
    cdef score_t *total = <score_t *> take(&sums.arena, labels * sizeof(score_t))
    cdef Py_ssize_t k, count = groups.first[g + 1] - groups.first[g]
    memset(total, 0, labels * sizeof(score_t))
    groups.templates.fill_range(groups.first[g], groups.first[g + 1], base, sums.keys + sums.waiting)
    for k in range(count):
        sums.targets[sums.waiting + k] = total
    sums.waiting += count
    return total


cdef void look_up(Sums *sums, Scorer weights) noexcept nogil:
    weights.add_each(sums.keys, sums.waiting, sums.targets)
    sums.waiting = 0


cdef void add_up(Sums *sums, Scorer weights, score_t *out) noexcept nogil:
    look_up(sums, weights)
    sum_rows(out, <const score_t *const *> sums.parts, sums.count, weights.labels)
    sums.count = 0
