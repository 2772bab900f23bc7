# Tags and the parts that they are made of: UPOS, XPOS, each Feature=Value. Parts are what weights belong to, so that
# tags share what they have in common; the tag as a whole has weights of its own beside them.

from libc.stdint cimport int32_t, uint8_t

from plait.core._types cimport label_t, score_t


cdef class TagParts:
    cdef readonly Py_ssize_t tags       # T: how many tags
    cdef readonly Py_ssize_t parts      # P: how many parts
    cdef readonly Py_ssize_t classes    # how many coarse tags there are
    cdef readonly object starts         # int32 [T + 1]: tag t is labels[starts[t]] .. labels[starts[t + 1] - 1]
    cdef readonly object labels         # uint16, numbers of parts, each once in a tag
    cdef readonly object coarse         # uint16 [T]: the coarse tag of a tag
    cdef const int32_t *at
    cdef const label_t *part
    cdef const label_t *coarse_of

    # the score of a tag from the scores of all parts
    cdef score_t total(self, label_t tag, const score_t *scores) noexcept nogil
