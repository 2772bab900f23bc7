"""Which weights exist: for each feature, the parts and tags seen with it in the gold standard."""

from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from plait.core._types cimport label_t
from plait.morphology._parts cimport TagParts


def seen_rows(const int32_t[:, ::1] features not None, Py_ssize_t count, const label_t[::1] gold not None,
              TagParts tag_parts not None, const uint8_t[::1] tag_templates not None):
    """(starts [count + 1], labels): the row of each feature, labels in the order in which they were first seen.

    ``features`` [words][templates] are numbers of features, -1 where none fires; templates marked in
    ``tag_templates`` have weights of whole tags (label P + t) beside those of parts.
    """
    cdef Py_ssize_t N = features.shape[0], K = features.shape[1], P = tag_parts.parts, i, k, f, o, j, used = 0
    cdef int64_t[::1] at = np.zeros(count + 2, dtype=np.int64)
    cdef int64_t[::1] starts = np.zeros(count + 1, dtype=np.int64)
    for i in range(N):
        for k in range(K):
            if features[i, k] >= 0:
                at[features[i, k] + 2] += 1
    for f in range(count + 1):
        at[f + 1] += at[f]
    # at[f + 1] is where the words of feature f begin, and behind the last one once they are filled in
    cdef int32_t[::1] words = np.zeros(max(at[count + 1], 1), dtype=np.int32)
    cdef uint8_t[::1] has_tags = np.zeros(count + 1, dtype=np.uint8)
    for i in range(N):
        for k in range(K):
            f = features[i, k]
            if f >= 0:
                words[at[f + 1]] = <int32_t> i
                at[f + 1] += 1
                has_tags[f] = tag_templates[k]
    cdef int32_t[::1] last = np.full(P + tag_parts.tags, -1, dtype=np.int32)      # the feature that saw a label last
    cdef label_t tag
    cdef Py_ssize_t capacity = 1 << 20
    labels = np.zeros(capacity, dtype=np.uint16)
    cdef label_t[::1] out = labels
    for f in range(count):
        if used + P + tag_parts.tags > capacity:
            capacity = 2 * capacity + P + tag_parts.tags
            out = None
            labels.resize(capacity, refcheck=False)
            out = labels
        for o in range(at[f], at[f + 1]):
            tag = gold[words[o]]
            for j in range(tag_parts.start[tag], tag_parts.start[tag + 1]):
                if last[tag_parts.part[j]] != f:
                    last[tag_parts.part[j]] = <int32_t> f
                    out[used] = tag_parts.part[j]
                    used += 1
            if has_tags[f] and last[P + tag] != f:
                last[P + tag] = <int32_t> f
                out[used] = <label_t> (P + tag)
                used += 1
        starts[f + 1] = used
    out = None
    return np.asarray(starts), labels[:used].copy()
