"""The first-order CRF parser in the core: sums over labels, and the gradient of the likelihood.

P(tree) is proportional to exp of the sum over arcs of s(h, m, l), with one node for each word. Only features and labels
that occur with gold arcs have weights: a tenth of all.
"""

from libc.math cimport INFINITY, exp, log

import numpy as np

from plait.core._goldrows cimport GoldRows
from plait.core._rows cimport first_largest
from plait.core._types cimport score_t
from plait.graph._factors cimport FeatureFactors


cdef inline void forbid(score_t *row, const float[:, ::1] mask, Py_ssize_t h, int fixed) noexcept nogil:
    cdef Py_ssize_t y
    for y in range(mask.shape[1]):
        if mask[0 if h == 0 else 1, y] != 0 or (fixed >= 0 and fixed != y):
            row[y] = -INFINITY


cdef double log_sum(const score_t *row, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t y
    cdef double top = -INFINITY, total = 0
    for y in range(n):
        top = max(top, <double> row[y])
    if top == -INFINITY:
        return top
    for y in range(n):
        total += exp(row[y] - top)
    return top + log(total)


cdef int check(FeatureFactors factors, const float[:, ::1] mask, const int[::1] fixed) except -1:
    if mask.shape[0] != 2 or mask.shape[1] != factors.labels or fixed.shape[0] != factors.nodes:
        raise ValueError("a mask or given labels of another size than labels and words")
    return 0


def arc_scores(FeatureFactors factors not None, const float[:, ::1] mask not None, const int[::1] fixed not None,
               keep=None, bint sums=False):
    """(score, label, total): for each arc its best label and the score with it; with ``sums`` the log-sum over labels.

    score[h, m] is −inf for arcs that ``keep`` (when given) forbids, and on the diagonal.
    """
    cdef Py_ssize_t n = factors.nodes, L = factors.labels, h, m, top
    check(factors, mask, fixed)
    score_array = np.full((n, n), -np.inf)
    label_array = np.zeros((n, n), dtype=np.uint16)
    total_array = np.full((n, n), -np.inf) if sums else np.zeros((1, 1))
    row_array = np.zeros((n, factors.stride), dtype=np.float32)
    cdef double[:, ::1] score = score_array
    cdef unsigned short[:, ::1] label = label_array
    cdef double[:, ::1] total = total_array
    cdef float[:, ::1] rows = row_array
    cdef float *row
    cdef const unsigned char[:, ::1] kept
    cdef bint pruned = keep is not None
    kept = keep if pruned else np.zeros((1, 1), dtype=np.uint8)
    if pruned and (kept.shape[0] != n or kept.shape[1] != n):
        raise ValueError("kept arcs of another size than the sentence")
    with nogil:
        for h in range(n):
            for m in range(1, n):       # all arcs of a head are looked up together
                if h != m and (not pruned or kept[h, m]):
                    factors.prepare_arc(h, m)
            factors.finish()
            for m in range(1, n):
                if h != m and (not pruned or kept[h, m]):
                    factors.arc(h, m, &rows[m, 0])
            factors.finish()
            for m in range(1, n):
                if h == m or (pruned and not kept[h, m]):
                    continue
                row = &rows[m, 0]
                forbid(row, mask, h, fixed[m])
                top = first_largest(row, L)
                score[h, m] = row[top]
                label[h, m] = <unsigned short> top
                if sums:
                    total[h, m] = log_sum(row, L)
    return score_array, label_array, (total_array if sums else None)


def gold_features(FeatureFactors factors not None, const int[::1] heads not None):
    """(keys, words): the features of the arcs of a tree, and the dependent of each; heads[0] is ignored."""
    cdef Py_ssize_t m, n, k
    found, owners = [], []
    for m in range(1, factors.nodes):
        if not 0 <= heads[m] < factors.nodes:
            raise ValueError(f"head {heads[m]} of {factors.nodes - 1} words")
        n = factors.arc_keys(heads[m], m)
        keys = np.empty(n, dtype=np.uint64)
        for k in range(n):
            keys[k] = factors.keys[k]
        keys = keys[keys != 0]
        found.append(keys)
        owners.append(np.full(len(keys), m, dtype=np.int32))
    if not found:
        return np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int32)
    return np.concatenate(found), np.concatenate(owners)


def add_gradient(GoldRows rows not None, FeatureFactors factors not None, const double[:, ::1] p not None,
                 const int[::1] heads not None, const unsigned short[::1] labels not None,
                 const float[:, ::1] mask not None, double threshold):
    """Add the gradient of −log P(tree) to the rows; arcs less probable than ``threshold`` are skipped.

    ``p[h, m]`` are the marginals of the arcs under the current weights.
    """
    cdef Py_ssize_t n = factors.nodes, L = factors.labels, h, m, y, k
    cdef double z
    fixed = np.full(n, -1, dtype=np.intc)
    check(factors, mask, fixed)
    if not (p.shape[0] == p.shape[1] == heads.shape[0] == labels.shape[0] == n):
        raise ValueError("marginals and tree of another size than the sentence")
    row_array = np.zeros(L, dtype=np.float32)
    change_array = np.zeros(L)
    cdef float[::1] row = row_array
    cdef double[::1] change = change_array
    with nogil:
        for h in range(n):
            for m in range(1, n):
                if h == m or (p[h, m] <= threshold and heads[m] != h):
                    continue
                k = factors.arc_keys(h, m)
                factors.sum_keys(k, &row[0])
                forbid(&row[0], mask, h, -1)
                z = log_sum(&row[0], L)
                for y in range(L):
                    change[y] = p[h, m] * exp(row[y] - z) if row[y] > -INFINITY else 0
                if heads[m] == h:
                    change[labels[m]] -= 1
                rows.collect(factors.keys, k, &change[0])
