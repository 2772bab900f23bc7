# The labels allowed for an arc, by the tags of head and dependent.

from libc.stdint cimport int32_t

from plait.core._types cimport uint16_t


cdef class LabelFilter:
    # Labels by the classes of head and dependent, [heads][dependents] lists in one array. After the classes come, as
    # heads, the root and "any word", and as dependent "any".
    cdef readonly Py_ssize_t classes, labels
    cdef readonly object starts     # int32 [(classes + 2) * (classes + 1) + 1]
    cdef readonly object known      # uint16
    cdef const int32_t[::1] _starts
    cdef const uint16_t[::1] _known

    # The number of allowed labels, and a pointer to their list; head < 0 is the root
    cdef Py_ssize_t choices(self, Py_ssize_t head, Py_ssize_t dependent, const uint16_t **labels) noexcept nogil
