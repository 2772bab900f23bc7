"""Permissible labels: those that training saw between two tags."""

import numpy as np

cdef enum:
    MAX_NUMBER = 65535  # labels are 16-bit numbers


cdef class LabelFilter:
    """The labels allowed for an arc, by the tags of head and dependent; invalid arrays are a ValueError.

    For a pair of tags not seen in training, the labels seen with the dependent's tag are allowed, otherwise all labels
    between words; likewise under the root.
    """

    def __cinit__(self, Py_ssize_t classes, Py_ssize_t labels, starts, known):
        self.classes, self.labels = classes, labels
        self.starts, self.known = starts, known
        self._starts, self._known = starts, known
        self.check()

    def check(self):
        """Consistent lists of valid labels, at least one for the root and for words; or no labels at all."""
        starts, known, any_dependent = self.starts, self.known, self.classes
        sound = self.classes > 0 and 0 <= self.labels < MAX_NUMBER // 2
        sound = sound and len(starts) == (self.classes + 2) * (self.classes + 1) + 1
        sound = sound and starts[0] == 0 and starts[-1] == len(known)
        sound = sound and (starts[1:] >= starts[:-1]).all() and (known < self.labels).all()
        if sound and self.labels > 0:   # of the root, and of any word
            sound = np.diff(starts).reshape(self.classes + 2, -1)[self.classes:, any_dependent].all()
        if not sound:
            raise ValueError("the label filter is damaged")

    def arrays(self):
        """What a model file stores."""
        return {"starts": self.starts, "known": self.known}

    cdef Py_ssize_t choices(self, Py_ssize_t head, Py_ssize_t dependent, const uint16_t **labels) noexcept nogil:
        cdef Py_ssize_t cell, attempt, count = 0, across = self.classes + 1
        for attempt in range(3):
            if head < 0 or head == self.classes:        # the root, then the root with any dependent
                cell = self.classes * across + (dependent if attempt == 0 else self.classes)
            elif attempt == 0:
                cell = head * across + dependent
            else:                                       # any head, then any head with any dependent
                cell = (self.classes + 1) * across + (dependent if attempt == 1 else self.classes)
            count = self._starts[cell + 1] - self._starts[cell]
            if count > 0:
                labels[0] = &self._known[self._starts[cell]]
                break
        return count

    def labels_of(self, Py_ssize_t head, Py_ssize_t dependent):
        """The labels of an arc between two classes of tags; head −1 is the root."""
        cdef const uint16_t *labels = NULL
        if not (-1 <= head < self.classes and 0 <= dependent < self.classes):
            raise IndexError(f"classes {head} and {dependent} of {self.classes}")
        cdef Py_ssize_t count = self.choices(head, dependent, &labels), k
        return [labels[k] for k in range(count)]
