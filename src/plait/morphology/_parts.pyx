"""Which parts each tag consists of, as arrays that compiled code can trust."""

import numpy as np


cdef class TagParts:
    """Checked on the way in: damage is a ValueError.

    >>> parts = TagParts(3, np.array([0, 2, 3], np.int32), np.array([0, 2, 1], np.uint16), np.zeros(2, np.uint16))
    >>> parts.tags, parts.parts, parts.classes
    (2, 3, 1)
    """

    def __cinit__(self, Py_ssize_t parts, starts, labels, coarse):
        self.parts = parts
        self.tags = len(starts) - 1
        self.starts, self.labels, self.coarse = starts, labels, coarse
        sound = all(isinstance(array, np.ndarray) and array.ndim == 1 for array in (starts, labels, coarse))
        sound = sound and (starts.dtype, labels.dtype, coarse.dtype) == (np.int32, np.uint16, np.uint16)
        if not sound or not 1 <= parts <= 0xffff or self.tags < 1 or len(coarse) != self.tags:
            raise ValueError("the arrays of tag parts do not have the expected shapes")
        if starts[0] != 0 or starts[self.tags] != len(labels) or (np.diff(starts) < 1).any() or labels.max() >= parts:
            raise ValueError("a tag refers to a part that does not exist")
        tag = np.repeat(np.arange(self.tags), np.diff(starts))
        if (np.diff(np.sort(tag * parts + labels)) == 0).any():    # np.unique would load numpy.ma: 20 ms
            raise ValueError("a tag contains the same part twice")
        self.classes = int(coarse.max()) + 1
        self.starts, self.labels, self.coarse = map(np.ascontiguousarray, (starts, labels, coarse))
        cdef const int32_t[::1] at = self.starts
        cdef const label_t[::1] part = self.labels
        cdef const label_t[::1] coarse_of = self.coarse
        self.at = &at[0]
        self.part = &part[0]
        self.coarse_of = &coarse_of[0]

    cdef score_t total(self, label_t tag, const score_t *scores) noexcept nogil:
        cdef Py_ssize_t j
        cdef score_t sum = 0
        for j in range(self.at[tag], self.at[tag + 1]):
            sum += scores[self.part[j]]
        return sum
