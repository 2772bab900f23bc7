"""Sums and maxima over the paths of a lattice.

    forward(s)  = score(s) + log Σ over edges e into s of exp(forward(source(e)) + edge(e))
    backward(r) = log Σ over edges e from r to s of exp(edge(e) + score(s) + backward(s))

The best path is the same with max in the place of log Σ exp. States that no path goes through have probability 0.
"""

from libc.math cimport INFINITY, exp, log

import numpy as np

from plait.core._lattice cimport exp_below
from plait.core._memory cimport release, take


cdef enum:
    MAX_SCORE_RANGE = 80    # between the scores of one word; exp of more leaves single precision


cdef double sum_paths(Lattice *lattice) noexcept nogil:
    cdef Py_ssize_t i, s, e, last = lattice.first[lattice.n - 1], states = lattice.first[lattice.n]
    cdef double top, total, way
    for s in range(lattice.first[1]):
        lattice.forward[s] = lattice.score[s]
    for s in range(lattice.first[1], states):
        top = -INFINITY
        for e in range(lattice.into[s], lattice.into[s + 1]):
            top = max(top, lattice.forward[lattice.source[e]] + lattice.edge[e])
        if top == -INFINITY:
            lattice.forward[s] = top
            continue
        total = 0
        for e in range(lattice.into[s], lattice.into[s + 1]):
            total += exp(lattice.forward[lattice.source[e]] + lattice.edge[e] - top)
        lattice.forward[s] = top + log(total) + lattice.score[s]
    for s in range(last, states):
        lattice.backward[s] = 0
    for i in range(lattice.n - 1, 0, -1):
        for s in range(lattice.first[i - 1], lattice.first[i]):
            lattice.backward[s] = -INFINITY
        for s in range(lattice.first[i], lattice.first[i + 1]):
            for e in range(lattice.into[s], lattice.into[s + 1]):
                way = lattice.edge[e] + lattice.score[s] + lattice.backward[s]
                lattice.backward[lattice.source[e]] = log_add(lattice.backward[lattice.source[e]], way)
    top = -INFINITY
    for s in range(last, states):
        top = max(top, lattice.forward[s])
    total = 0
    for s in range(last, states):
        total += exp(lattice.forward[s] - top)
    return top + log(total)


cdef inline double log_add(double a, double b) noexcept nogil:
    """log(exp a + exp b); 10^-17 of the larger is lost in a double."""
    cdef double high = max(a, b), low = min(a, b)
    return high if low < high - 40 or low == -INFINITY else high + log(1 + exp(low - high))


cdef double best_path(Lattice *lattice, int32_t *path, int32_t *back, double *reached) noexcept nogil:
    cdef Py_ssize_t i, s, e, states = lattice.first[lattice.n], top = lattice.first[lattice.n - 1]
    cdef double way, best
    for s in range(lattice.first[1]):
        reached[s] = lattice.score[s]
    for s in range(lattice.first[1], states):
        best = -INFINITY
        back[s] = lattice.into[s]
        for e in range(lattice.into[s], lattice.into[s + 1]):
            way = reached[lattice.source[e]] + lattice.edge[e]
            if way > best:
                best = way
                back[s] = <int32_t> e
        reached[s] = best + lattice.score[s]
    for s in range(top, states):
        if reached[s] > reached[top]:
            top = s
    best = reached[top]
    for i in range(lattice.n - 1, -1, -1):
        path[i] = <int32_t> top
        if i > 0:
            top = lattice.source[back[top]]
    return best


cdef int connect_all(Lattice *lattice, Arena *arena) except -1 nogil:
    cdef Py_ssize_t n = lattice.n, states = lattice.first[n], i, s, r, e = 0, edges = 0
    for i in range(1, n):
        edges += (lattice.first[i] - lattice.first[i - 1]) * (lattice.first[i + 1] - lattice.first[i])
    lattice.into = <int32_t *> take(arena, (states + 1) * sizeof(int32_t))
    lattice.source = <int32_t *> take(arena, (edges + 1) * sizeof(int32_t))
    lattice.edge = <score_t *> take(arena, (edges + 1) * sizeof(score_t))
    lattice.forward = <double *> take(arena, states * sizeof(double))
    lattice.backward = <double *> take(arena, states * sizeof(double))
    for i in range(n):
        for s in range(lattice.first[i], lattice.first[i + 1]):
            lattice.into[s] = <int32_t> e
            if i == 0:
                continue
            for r in range(lattice.first[i - 1], lattice.first[i]):
                lattice.source[e] = <int32_t> r
                e += 1
    lattice.into[states] = <int32_t> e
    return 0


cdef float *edge_probabilities(Lattice *lattice, Arena *arena) except NULL nogil:
    cdef Py_ssize_t edges = lattice.into[lattice.first[lattice.n]], s, e
    cdef float *p = <float *> take(arena, (edges + 1) * sizeof(float))
    cdef float *w = <float *> take(arena, (edges + 1) * sizeof(float))
    cdef double log_z
    if not edge_probabilities_by_products(lattice, w, p):
        log_z = sum_paths(lattice)
        for s in range(lattice.first[1], lattice.first[lattice.n]):
            for e in range(lattice.into[s], lattice.into[s + 1]):
                p[e] = <float> exp(lattice.forward[lattice.source[e]] + lattice.edge[e] + lattice.score[s]
                                   + lattice.backward[s] - log_z)
    return p


# Per word, with edges r -> s between its states and those of the word before, and up to a factor for the whole word,
#
#   w(r, s)   = exp(edge(r, s) + score(s))
#   alpha(s)  = Σ over r of alpha(r) w(r, s)          beta(r) = Σ over s of w(r, s) beta(s)
#   p(r, s)   = alpha(r) w(r, s) beta(s) / Σ over all r, s of the same
#
# The factors make the largest number 1 and cancel out in p. If no two scores of a word are further apart than
# MAX_SCORE_RANGE, no number is below exp(-MAX_SCORE_RANGE), and nothing underflows, however long the sentence is.
cdef bint edge_probabilities_by_products(Lattice *lattice, float *w, float *p) noexcept nogil:
    """The probabilities of all edges, with ``w`` as scratch memory; False if scores are too far apart for products."""
    cdef Py_ssize_t n = lattice.n, i, s, e, r, before, here, count
    cdef double *alpha = lattice.forward
    cdef double *beta = lattice.backward
    cdef double top, total, share
    cdef float most = lattice.score[0], least = lattice.score[0]
    for s in range(lattice.first[1]):
        most = max(most, lattice.score[s])
        least = min(least, lattice.score[s])
    for s in range(lattice.first[1]):
        alpha[s] = exp(lattice.score[s] - most)
    if most - least > MAX_SCORE_RANGE:
        return False
    for i in range(1, n):
        most, least = -INFINITY, INFINITY
        for s in range(lattice.first[i], lattice.first[i + 1]):
            for e in range(lattice.into[s], lattice.into[s + 1]):
                w[e] = lattice.edge[e] + lattice.score[s]
                most = max(most, w[e])
                least = min(least, w[e])
        if most - least > MAX_SCORE_RANGE:
            return False
        for e in range(lattice.into[lattice.first[i]], lattice.into[lattice.first[i + 1]]):
            w[e] -= most
    exp_below(p, w, 0, lattice.into[lattice.first[n]])
    for i in range(1, n):
        before, here = lattice.first[i - 1], lattice.first[i]
        count = here - before
        total = 0
        for s in range(here, lattice.first[i + 1]):
            share = 0
            for r in range(count):
                share += alpha[before + r] * p[lattice.into[s] + r]
            alpha[s] = share
            total += share
        for s in range(here, lattice.first[i + 1]):
            alpha[s] /= total
    for s in range(lattice.first[n - 1], lattice.first[n]):
        beta[s] = 1
    for i in range(n - 1, 0, -1):
        before, here = lattice.first[i - 1], lattice.first[i]
        count = here - before
        for r in range(before, here):
            beta[r] = 0
        for s in range(here, lattice.first[i + 1]):
            for r in range(count):
                beta[before + r] += p[lattice.into[s] + r] * beta[s]
        top = total = 0
        for r in range(before, here):
            total += alpha[r] * beta[r]
            top = max(top, beta[r])
        for s in range(here, lattice.first[i + 1]):
            share = beta[s] / total
            for r in range(count):
                p[lattice.into[s] + r] *= <float> (alpha[before + r] * share)
        for r in range(before, here):
            beta[r] /= top
    return True


cdef int pair_states(const Lattice *one, const float *probabilities, double threshold, const int32_t *kept,
                     Arena *arena, Lattice *two) except -1 nogil:
    cdef Py_ssize_t n = one.n, edges = one.into[one.first[n]], i, s, e, r, used, made
    cdef Py_ssize_t most = one.first[1] + edges
    cdef int32_t *ending        # [states + 1]: pairs that end in state s of ``one`` are ending[s] .. ending[s + 1] - 1
    two.n = n
    two.first = <int32_t *> take(arena, (n + 1) * sizeof(int32_t))
    two.tag = <label_t *> take(arena, most * sizeof(label_t))
    two.previous_tag = <label_t *> take(arena, most * sizeof(label_t))
    two.score = <score_t *> take(arena, most * sizeof(score_t))
    two.into = <int32_t *> take(arena, (most + 1) * sizeof(int32_t))
    two.forward = <double *> take(arena, most * sizeof(double))
    two.backward = <double *> take(arena, most * sizeof(double))
    ending = <int32_t *> take(arena, (one.first[n] + 1) * sizeof(int32_t))
    two.first[0] = 0
    used = one.first[1]
    for s in range(used):
        two.tag[s] = one.tag[s]
        two.previous_tag[s] = 0
        two.score[s] = one.score[s]
        two.into[s] = 0
        ending[s] = <int32_t> s
    made = 0
    for i in range(1, n):
        two.first[i] = <int32_t> used
        for s in range(one.first[i], one.first[i + 1]):
            ending[s] = <int32_t> used
            for e in range(one.into[s], one.into[s + 1]):
                r = one.source[e]
                if probabilities[e] >= threshold or (kept[i] == s and kept[i - 1] == r):
                    two.tag[used] = one.tag[s]
                    two.previous_tag[used] = one.tag[r]
                    two.score[used] = one.score[s] + one.edge[e]
                    two.into[used] = <int32_t> r                    # temporarily: the state that the pair begins with
                    made += ending[r + 1] - ending[r]
                    used += 1
            ending[s + 1] = <int32_t> used
    two.first[n] = <int32_t> used
    two.source = <int32_t *> take(arena, (made + 1) * sizeof(int32_t))
    two.edge = <score_t *> take(arena, (made + 1) * sizeof(score_t))
    made = 0
    for s in range(two.first[1], used):
        r = two.into[s]
        two.into[s] = <int32_t> made
        for e in range(ending[r], ending[r + 1]):
            two.source[made] = <int32_t> e
            two.edge[made] = 0
            made += 1
    two.into[used] = <int32_t> made
    return 0


def probabilities_of_edges(counts, const score_t[::1] scores not None, const score_t[::1] edges not None):
    """[edges]: the probability of each, for tests. ``counts`` are the numbers of states of each word.

    The edges into a state are adjacent, in the order of the states where they begin.
    """
    cdef const int32_t[::1] first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    cdef Arena arena = Arena(NULL, NULL, 0)
    cdef Lattice lattice
    cdef float *p
    cdef Py_ssize_t e, count
    lattice.n = first.shape[0] - 1
    lattice.first = <int32_t *> &first[0]
    lattice.score = <score_t *> &scores[0]
    try:
        connect_all(&lattice, &arena)
        count = lattice.into[scores.shape[0]]
        if edges.shape[0] != count:
            raise ValueError(f"{edges.shape[0]} scores for {count} edges")
        for e in range(count):
            lattice.edge[e] = edges[e]
        p = edge_probabilities(&lattice, &arena)
        return np.array([p[e] for e in range(count)])
    finally:
        release(&arena)
