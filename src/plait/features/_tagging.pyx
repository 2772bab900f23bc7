"""Tag scores by unigrams pu(i, t) and bigrams pb(i, t-1, t), and the feature difference of two taggings.

Templates with t-1 are the bigrams; t-2 in them is the tagger's best tag (Li et al. 2012), so that the chart need not
contain it.
"""

from libc.string cimport memset

import numpy as np

from plait.core._delta cimport Delta
from plait.core._types cimport atom_t, uint64_t
from plait.core._weights cimport Scorer
from plait.core._templates cimport Templates


def tag_scores(Scorer weights not None, Templates unigrams not None, Templates bigrams not None,
               uint64_t[:, ::1] atoms not None, Py_ssize_t pad, Py_ssize_t column,
               const int[::1] starts not None, const unsigned short[::1] tag not None):
    """(pu, pb) for the chart: a score for each node, and for each pair of nodes of adjacent words.

    ``atoms`` is the padded matrix with the best tags + 1 in its tag column; it is modified and restored.
    """
    cdef Py_ssize_t n = atoms.shape[0] - 2 * pad, i, a, b, at = 0, T = weights.labels, here
    cdef atom_t kept
    cdef atom_t *word
    if starts.shape[0] != n + 2 or tag.shape[0] != starts[n + 1] or pad < 1:
        raise ValueError("nodes of another sentence")
    if tag.shape[0] > 1 and np.max(tag[1:]) >= T:
        raise ValueError("a tag beyond the known ones")
    counts = np.diff(starts)
    pu_array = np.zeros(tag.shape[0], dtype=np.float32)
    pb_array = np.zeros(int((counts[:-1] * counts[1:]).sum()), dtype=np.float32)
    key_array = np.zeros(max(unigrams.count, bigrams.count) + 1, dtype=np.uint64)
    row_array = np.zeros(T, dtype=np.float32)
    cdef float[::1] pu = pu_array
    cdef float[::1] pb = pb_array
    cdef uint64_t[::1] keys = key_array
    cdef float[::1] row = row_array
    with nogil:
        for i in range(n):
            word = &atoms[pad + i, 0]
            unigrams.fill(word, &keys[0])
            memset(&row[0], 0, T * sizeof(float))
            weights.add(&keys[0], unigrams.count, &row[0])
            here = starts[i + 1]
            for b in range(here, starts[i + 2]):
                pu[b] = row[tag[b]]
            kept = atoms[pad + i - 1, column]
            for a in range(starts[i], here):
                if i > 0:
                    atoms[pad + i - 1, column] = <atom_t> tag[a] + 1
                bigrams.fill(word, &keys[0])
                memset(&row[0], 0, T * sizeof(float))
                weights.add(&keys[0], bigrams.count, &row[0])
                for b in range(here, starts[i + 2]):
                    pb[at] = row[tag[b]]
                    at += 1
            atoms[pad + i - 1, column] = kept
    return pu_array, pb_array


def tag_delta(Templates unigrams not None, Templates bigrams not None, uint64_t[:, ::1] atoms not None,
              Py_ssize_t pad, Py_ssize_t column, const unsigned short[::1] gold not None,
              const unsigned short[::1] predicted not None):
    """Δf of two taggings; features common to both are omitted."""
    cdef Delta delta = Delta()
    cdef Py_ssize_t n = gold.shape[0], i
    cdef bint differs, differed = False
    cdef atom_t kept
    if predicted.shape[0] != n or atoms.shape[0] != n + 2 * pad or pad < 1:
        raise ValueError("taggings of different lengths")
    key_array = np.zeros(max(unigrams.count, bigrams.count) + 1, dtype=np.uint64)
    cdef uint64_t[::1] keys = key_array
    for i in range(n):
        differs = gold[i] != predicted[i]
        if differs:
            unigrams.fill(&atoms[pad + i, 0], &keys[0])
            delta.put_all(&keys[0], unigrams.count, gold[i], 1)
            delta.put_all(&keys[0], unigrams.count, predicted[i], -1)
        if differs or differed:
            kept = atoms[pad + i - 1, column]
            if i > 0:
                atoms[pad + i - 1, column] = <atom_t> gold[i - 1] + 1
            bigrams.fill(&atoms[pad + i, 0], &keys[0])
            delta.put_all(&keys[0], bigrams.count, gold[i], 1)
            if i > 0:
                atoms[pad + i - 1, column] = <atom_t> predicted[i - 1] + 1
            bigrams.fill(&atoms[pad + i, 0], &keys[0])
            delta.put_all(&keys[0], bigrams.count, predicted[i], -1)
            atoms[pad + i - 1, column] = kept
        differed = differs
    return delta
