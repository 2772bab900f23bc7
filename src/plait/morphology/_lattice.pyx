"""Sums and maxima over the paths of a lattice.

    forward(s)  = score(s) + log Σ over edges e into s of exp(forward(source(e)) + edge(e))
    backward(r) = log Σ over edges e from r to s of exp(edge(e) + score(s) + backward(s))

The best path is the same with max in the place of log Σ exp. States that no path goes through have probability 0.
"""

from libc.math cimport INFINITY, exp, log

from plait.core._memory cimport take


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
    """log(exp a + exp b); what is 10^-17 of the larger is nothing to a double."""
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


cdef int pair_states(const Lattice *one, double log_z, double threshold, const int32_t *kept, Arena *arena,
                     Lattice *two) except -1 nogil:
    cdef Py_ssize_t n = one.n, edges = one.into[one.first[n]], i, s, e, r, used, made, before
    cdef double p
    cdef Py_ssize_t most = one.first[1] + edges
    cdef int32_t *end_of                                            # [pairs]: the state of ``one`` where a pair ends
    two.n = n
    two.first = <int32_t *> take(arena, (n + 1) * sizeof(int32_t))
    two.tag = <label_t *> take(arena, most * sizeof(label_t))
    two.before = <label_t *> take(arena, most * sizeof(label_t))
    two.score = <score_t *> take(arena, most * sizeof(score_t))
    two.into = <int32_t *> take(arena, (most + 1) * sizeof(int32_t))
    two.forward = <double *> take(arena, most * sizeof(double))
    two.backward = <double *> take(arena, most * sizeof(double))
    end_of = <int32_t *> take(arena, most * sizeof(int32_t))
    two.first[0] = 0
    used = one.first[1]
    for s in range(used):
        two.tag[s] = one.tag[s]
        two.before[s] = 0
        two.score[s] = one.score[s]
        end_of[s] = <int32_t> s
    for i in range(1, n):
        two.first[i] = <int32_t> used
        for s in range(one.first[i], one.first[i + 1]):
            for e in range(one.into[s], one.into[s + 1]):
                r = one.source[e]
                p = exp(one.forward[r] + one.edge[e] + one.score[s] + one.backward[s] - log_z)
                if p >= threshold or (kept[i] == s and kept[i - 1] == r):
                    two.tag[used] = one.tag[s]
                    two.before[used] = one.tag[r]
                    two.score[used] = one.score[s] + one.edge[e]
                    two.into[used] = <int32_t> r                    # for a moment: the state that a pair begins with
                    end_of[used] = <int32_t> s
                    used += 1
    two.first[n] = <int32_t> used
    made = 0
    for i in range(1, n):
        for s in range(two.first[i], two.first[i + 1]):
            for r in range(two.first[i - 1], two.first[i]):
                made += end_of[r] == two.into[s]
    two.source = <int32_t *> take(arena, (made + 1) * sizeof(int32_t))
    two.edge = <score_t *> take(arena, (made + 1) * sizeof(score_t))
    made = 0
    for s in range(two.first[1]):
        two.into[s] = 0
    for i in range(1, n):
        for s in range(two.first[i], two.first[i + 1]):
            before = two.into[s]
            two.into[s] = <int32_t> made
            for r in range(two.first[i - 1], two.first[i]):
                if end_of[r] == before:
                    two.source[made] = <int32_t> r
                    two.edge[made] = 0
                    made += 1
    two.into[used] = <int32_t> made
    return 0
