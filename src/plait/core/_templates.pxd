# Compiled templates, ready to be filled and hashed to keys; and groups of them, whose sums are cached.

from libc.stdint cimport int32_t

from plait.core._arrays cimport Arrays
from plait.core._hashing cimport finish, mix
from plait.core._memory cimport Arena, KeyMap
from plait.core._types cimport atom_t, key_t, score_t, uint64_t
from plait.core._weights cimport Scorer


cdef class Templates:
    cdef readonly Py_ssize_t count
    cdef readonly Py_ssize_t lowest, highest    # lowest and highest offset of any atom, relative to the base
    cdef int32_t *start     # [count + 1]: template k joins place[start[k]] .. place[start[k + 1] - 1]
    cdef int32_t *place     # offset of an atom relative to the base pointer; negative is to the left
    cdef uint64_t *seed     # [count]: hash of the template's text, so that templates never share keys
    cdef Arrays *arrays     # these three

    # keys[k] = the key of template k with the atoms around base; 0 if one of them is absent
    cdef void fill(self, const atom_t *base, key_t *keys) noexcept nogil

    # the same for the templates first .. last - 1 only: keys[0] is that of the first
    cdef void fill_range(self, Py_ssize_t first, Py_ssize_t last, const atom_t *base, key_t *keys) noexcept nogil


# Templates that look at the same words, or slots of a window, form a group. The sum of a group is cached under the
# signature of the contents of these slots: most of a window does not change from one step of a search to the next, and
# the hypotheses of a beam share most of theirs.
cdef class TemplateGroups:
    cdef readonly Templates templates           # those of a group are adjacent
    cdef readonly Py_ssize_t count              # of groups
    cdef readonly Py_ssize_t lowest, highest    # lowest and highest slot of any group
    cdef int32_t *first     # [count + 1]: group g owns the templates first[g] .. first[g + 1] - 1 ...
    cdef int32_t *start     # [count + 1]: ... and looks at slot[start[g]] .. slot[start[g + 1] - 1]
    cdef int32_t *slot
    cdef uint64_t *seed     # [count]: groups never share signatures
    cdef Arrays *arrays     # these four


cdef inline uint64_t signature(TemplateGroups groups, Py_ssize_t g, const uint64_t *contents,
                               uint64_t more) noexcept nogil:
    """A hash of what a group's sum depends on: the contents of its slots (by slot), and ``more``.

    0 if one of the contents is 0, that is absent: then no template of the group fires.
    """
    cdef uint64_t h = mix(groups.seed[g], more), content
    cdef Py_ssize_t k
    for k in range(groups.start[g], groups.start[g + 1]):
        content = contents[groups.slot[k]]
        if content == 0:
            return 0
        h = mix(h, content)
    return finish(h)


cdef struct Sums:           # of groups, while one sentence is analysed
    Arena arena
    KeyMap memo             # signature → the sum of its rows
    key_t *keys             # [max_templates]: queued keys of new sums
    score_t **targets       # [max_templates]: the sum that the row of each key is added to
    Py_ssize_t waiting      # number of queued keys
    score_t **parts         # [max_groups + 1]: the sums to be added
    key_t *signatures       # [max_groups + 1]: of the groups to be looked up
    Py_ssize_t count        # number of parts
    Arrays *arrays          # of all queues


cdef int open_sums(Sums *sums, Py_ssize_t max_templates, Py_ssize_t max_groups) except -1
cdef int clear_sums(Sums *sums) except -1 nogil     # for another sentence
cdef void close_sums(Sums *sums) noexcept nogil
# a new sum of zeros; the keys of the group are queued
cdef score_t *new_sum(Sums *sums, TemplateGroups groups, Py_ssize_t g, const atom_t *base,
                      Py_ssize_t labels) except NULL nogil
# add the rows of queued keys to their sums; clears the queue
cdef void look_up(Sums *sums, Scorer weights) noexcept nogil
# the same, then out = the sum of all parts; clears the parts
cdef void add_up(Sums *sums, Scorer weights, score_t *out) noexcept nogil
