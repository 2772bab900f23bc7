# Which labels an arc may take, by the tags at its ends.

from libc.stdint cimport int32_t

from plait.core._types cimport uint16_t


cdef class LabelFilter:
    # Labels by the classes of head and dependent, [heads][dependents] lists in one array. Behind the classes there is,
    # as head, the root and then "any word", and as dependent "any".
    cdef readonly Py_ssize_t classes, labels
    cdef readonly object starts     # int32 [(classes + 2) * (classes + 1) + 1]
    cdef readonly object known      # uint16
    cdef const int32_t[::1] _starts
    cdef const uint16_t[::1] _known

    # How many labels an arc may have, and where they are listed; head < 0 is the root
    cdef Py_ssize_t choices(self, Py_ssize_t head, Py_ssize_t dependent, const uint16_t **labels) noexcept nogil
