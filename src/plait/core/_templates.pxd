# Compiled templates: which atoms each one joins, ready to be hashed to keys; and groups of them, whose sums are kept.

from libc.stdint cimport int32_t

from plait.core._hashing cimport finish, mix
from plait.core._memory cimport Arena, KeyMap
from plait.core._types cimport atom_t, key_t, score_t, uint64_t
from plait.core._weights cimport Scorer


cdef class Templates:
    cdef readonly Py_ssize_t count
    cdef readonly Py_ssize_t lowest, highest    # least and greatest place any template looks at, relative to the base
    cdef int32_t *start     # [count + 1]: template k joins places[start[k]] .. places[start[k + 1] - 1]
    cdef int32_t *place     # where an atom stands, relative to the base pointer; negative is to the left
    cdef uint64_t *seed     # [count]: hash of the template's text, so that templates never share keys

    # keys[k] = the key of template k with the atoms around base; 0 when one of them is absent
    cdef void fill(self, const atom_t *base, key_t *keys) noexcept nogil

    # the same for the templates first .. last - 1 alone: keys[0] is that of the first
    cdef void fill_range(self, Py_ssize_t first, Py_ssize_t last, const atom_t *base, key_t *keys) noexcept nogil


# Templates that look at the same words, or slots of a window, form a group. What a group scores is kept under the
# signature of what stands in those slots: most of a window does not change from one step of a search to the next, and
# the hypotheses of a beam share most of theirs.
cdef class TemplateGroups:
    cdef readonly Templates templates           # those of a group stand together
    cdef readonly Py_ssize_t count              # of groups
    cdef readonly Py_ssize_t lowest, highest    # least and greatest slot any group looks at
    cdef int32_t *first     # [count + 1]: group g owns the templates first[g] .. first[g + 1] - 1 ...
    cdef int32_t *start     # [count + 1]: ... and looks at slot[start[g]] .. slot[start[g + 1] - 1]
    cdef int32_t *slot
    cdef uint64_t *seed     # [count]: groups never share signatures


cdef inline uint64_t signature(TemplateGroups groups, Py_ssize_t g, const uint64_t *contents,
                               uint64_t more) noexcept nogil:
    """What a group's sum depends on, as one number: the contents of its slots (by slot), and more.

    0 where one of these is 0: it is absent, and no template of the group fires.
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
    key_t *keys             # [most templates]: of new sums, whose rows are yet to be added
    score_t **targets       # [most templates]: where each row is added
    Py_ssize_t waiting      # keys
    score_t **parts         # [most groups + 1]: the sums that are added up next
    key_t *signatures       # [most groups + 1]: of the groups whose sums are looked up next
    Py_ssize_t count        # parts


cdef int open_sums(Sums *sums, Py_ssize_t most_templates, Py_ssize_t most_groups) except -1
cdef int clear_sums(Sums *sums) except -1 nogil     # for another sentence
cdef void close_sums(Sums *sums) noexcept nogil
# a new sum of zeros, to which the rows of a group will be added
cdef score_t *new_sum(Sums *sums, TemplateGroups groups, Py_ssize_t g, const atom_t *base,
                      Py_ssize_t labels) except NULL nogil
# out = the parts added up, when the rows that wait have been added to theirs; then there are no parts
cdef void add_up(Sums *sums, Scorer weights, score_t *out) noexcept nogil
