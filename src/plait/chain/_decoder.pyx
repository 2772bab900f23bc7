"""From atoms to scores: the rows of a sentence's features, summed for every item."""

import numpy as np

from libc.stdlib cimport free, malloc

from plait.core._types cimport key_t, uint64_t
from plait.core._weights cimport Scorer
from plait.features._templates cimport Templates


def item_scores(Scorer weights not None, Templates templates not None, const uint64_t[:, ::1] atoms not None,
                Py_ssize_t pad):
    """[items][labels]: for each item of a padded matrix of atoms, the sum of the rows of all templates."""
    cdef Py_ssize_t n = atoms.shape[0] - 2 * pad, width = atoms.shape[1], i
    if n < 0 or pad * width < max(-templates.lowest, templates.highest - width + 1):
        raise ValueError("the padding is narrower than the templates")
    out = np.zeros((n, weights.labels), dtype=np.float32)
    cdef float[:, ::1] scores = out
    cdef key_t *keys
    if n == 0 or templates.count == 0:
        return out
    keys = <key_t *> malloc(templates.count * sizeof(key_t))
    if keys == NULL:
        raise MemoryError()
    with nogil:
        for i in range(n):
            templates.fill(&atoms[pad + i, 0], keys)
            weights.add(keys, templates.count, &scores[i, 0])
    free(keys)
    return out
