"""The best projective tree with siblings and grandchildren (Carreras 2007), with tags in the chart (Li et al. 2012).

Nodes are words with a candidate tag (one each when tags are given), arcs a = (h -> m) run between nodes. With L labels,
`out(a)` the arcs from m away from h, and e a node at or beyond m:

    D(a, l)   an arc with label l, and everything between its ends
    C(a, e)   the half-span of h as far as e, whose outermost child is m

    D(a, l) = arc(a, l) + pu(m) + max over neighbours x, y (x on the side of h) of  H(x, l) + M(y, l) + pb(x, y)
      H(h, l) = sib(a, l, none)       H(x, l) = max over c of C(h -> c, x) + sib(a, l, c)     c between h and x
      M(m, l) = 0                     M(y, l) = max over g of C(m -> g, y) + grd(a, l, g)     g between m and y
    G(a, b)   = max over l of D(a, l) + grd(a, l, b)          b in out(a)
    C(a, m)   = max over l of D(a, l)
    C(a, e)   = max over b in out(a) of G(a, b) + C(b, e)     e beyond m

Each word is the modifier of one arc (pu once), and each pair of neighbours is the split of one arc (pb once), so tags
are scored exactly. G keeps labels out of C: the cost is L n^3 q^3 (factors) + L n^4 q^3 (D) + n^4 q^4 (C) for q tags
per word, less than the L n^4 q^5 of the paper. The root has one child: its arcs split next to it.
"""

from libc.math cimport INFINITY
from libc.string cimport memset

import numpy as np

from plait.errors import ModelError

from plait.core._arrays cimport Arrays, free_arrays, new_array
from plait.graph._factors cimport Factors

cdef extern from "max_plus.h" nogil:
    void best_rows "plait_best_rows" (float *out, const float *scores, const float *rows, Py_ssize_t count,
                                      Py_ssize_t n)
    void raise_to_sum "plait_raise_to_sum" (float *out, const float *a, const float *b, float c, Py_ssize_t n)
    float largest_sum "plait_largest_sum" (const float *a, const float *b, Py_ssize_t n)
    float largest "plait_largest" (const float *a, Py_ssize_t n)


cdef struct Arc:
    int h, m            # nodes
    int width           # words from h to m
    Py_ssize_t outer    # start of G(a, .)


cdef struct Chart:
    Py_ssize_t words            # including the root
    Py_ssize_t nodes
    Py_ssize_t labels
    Py_ssize_t stride           # of rows of labels: a multiple of 8; the padding is -inf in arc and D
    const int *start            # [words + 1]: the first node of a word
    int *word_of                # [nodes]
    # the arcs of a head node on one side are adjacent, near children first:
    # side 0 (left) of node v is first[2 v] .. first[2 v + 1] - 1, side 1 (right) first[2 v + 1] .. first[2 v + 2] - 1
    Py_ssize_t *first           # [2 nodes + 1]
    Py_ssize_t *reach           # [2 nodes][words]: one past the last arc of this side up to a length
    Arc *arcs
    int *modifier               # [count]: the m of all arcs
    Py_ssize_t count
    Py_ssize_t *by_width        # [count]: arcs in order of width
    Py_ssize_t *width_start     # [words + 1]
    float *D                    # [arc][stride]
    float *C                    # [node][arc]: the arcs of a head on one side are adjacent
    float *G
    const float *pu             # [nodes]
    const float *pb             # pairs of neighbours: [pair[w] + a * tags of w + 1 + b]
    Py_ssize_t *pair            # [words]
    const float *mask           # [2][labels]: 0 or -inf, for arcs of the root and for all others
    const int *fixed            # [words]: the given label, or -1
    const int *gold_head        # [words] in loss-augmented decoding, otherwise NULL
    const unsigned short *gold_label
    # scratch of one arc
    float *arc                  # [stride]
    float *none                 # [stride]: no sibling
    float *siblings             # [children of h before m][stride]
    float *inner                # [children of m towards h][stride]
    float *outer                # [children of m away from h][stride]
    float *H                    # [nodes][stride]
    float *M
    Arrays *arrays              # all that the chart allocates


cdef inline Py_ssize_t side_begin(const Chart *c, Py_ssize_t v, bint right) noexcept nogil:
    return c.first[2 * v + right]

cdef inline Py_ssize_t side_end(const Chart *c, Py_ssize_t v, bint right) noexcept nogil:
    return c.first[2 * v + right + 1]


cdef inline Py_ssize_t side_until(const Chart *c, Py_ssize_t v, bint right, Py_ssize_t distance) noexcept nogil:
    """The end of the arcs of a side up to a length."""
    return c.reach[(2 * v + right) * c.words + distance]


cdef inline float pair_score(const Chart *c, Py_ssize_t x, Py_ssize_t y) noexcept nogil:
    """pb of two nodes of neighbouring words, in any order."""
    cdef Py_ssize_t w
    if x > y:
        x, y = y, x
    w = c.word_of[x]
    return c.pb[c.pair[w] + (x - c.start[w]) * (c.start[w + 2] - c.start[w + 1]) + y - c.start[w + 1]]


cdef void score_parts(Chart *c, Factors f, Py_ssize_t a) noexcept nogil:
    """Score the factors of an arc between its ends: itself, siblings, inner grandchildren."""
    cdef Arc *arc = &c.arcs[a]
    cdef Py_ssize_t L = c.labels, first, t
    cdef bint right = c.word_of[arc.m] > c.word_of[arc.h]
    cdef const float *mask = c.mask + (0 if c.word_of[arc.h] == 0 else L)
    cdef int fixed = c.fixed[c.word_of[arc.m]], none = -1
    f.prepare_arc(arc.h, arc.m)
    f.finish()
    f.arc(arc.h, arc.m, c.arc)
    f.siblings(arc.h, arc.m, &none, 1, c.none)
    if c.word_of[arc.h] > 0:
        first = side_begin(c, arc.h, right)
        f.siblings(arc.h, arc.m, c.modifier + first, side_until(c, arc.h, right, arc.width - 1) - first, c.siblings)
    first = side_begin(c, arc.m, not right)
    f.grandchildren(arc.h, arc.m, c.modifier + first, side_until(c, arc.m, not right, arc.width - 1) - first, c.inner)
    f.finish()
    for t in range(L):
        c.arc[t] = (c.arc[t] + c.pu[arc.m]) if mask[t] == 0 and (fixed < 0 or fixed == t) else -INFINITY
    for t in range(L, c.stride):
        c.arc[t] = -INFINITY
    if c.gold_head != NULL:
        if c.gold_head[c.word_of[arc.m]] != c.word_of[arc.h]:
            for t in range(L):
                c.arc[t] += 1
        else:
            for t in range(L):
                c.arc[t] += 0.5 if c.gold_label[c.word_of[arc.m]] != t else 0


cdef void fill_sides(Chart *c, Py_ssize_t a) noexcept nogil:
    """H and M of an arc for all nodes at which it may split: the max over children up to the node."""
    cdef Arc *arc = &c.arcs[a]
    cdef Py_ssize_t S = c.stride, i = c.word_of[arc.h], j = c.word_of[arc.m], w, v, t
    cdef bint right = j > i
    cdef Py_ssize_t of_h = side_begin(c, arc.h, right), of_m = side_begin(c, arc.m, not right)
    for t in range(S):
        c.H[arc.h * S + t] = c.none[t]
        c.M[arc.m * S + t] = 0
    for w in range(min(i, j) + 1, max(i, j)):
        for v in range(c.start[w], c.start[w + 1]):
            if i > 0:
                best_rows(c.H + v * S, c.C + v * c.count + of_h, c.siblings,
                          side_until(c, arc.h, right, w - i if right else i - w) - of_h, S)
            if i > 0 or w == 1:
                best_rows(c.M + v * S, c.C + v * c.count + of_m, c.inner,
                          side_until(c, arc.m, not right, j - w if right else w - j) - of_m, S)


cdef void fill_arc(Chart *c, Factors f, Py_ssize_t a) noexcept nogil:
    """D(a, .) and G(a, .)."""
    cdef Arc *arc = &c.arcs[a]
    cdef Py_ssize_t S = c.stride, i = c.word_of[arc.h], j = c.word_of[arc.m], x, y, w, w2, t, k, splits, first
    cdef bint right = j > i
    cdef float *D = c.D + a * S
    cdef float best
    score_parts(c, f, a)
    fill_sides(c, a)
    for t in range(S):
        D[t] = -INFINITY
    splits = arc.width if i > 0 else 1
    for k in range(splits):
        w = i + k if right else i - k
        w2 = w + 1 if right else w - 1
        for x in range(c.start[w], c.start[w + 1]):
            if w == i and x != arc.h:
                continue
            for y in range(c.start[w2], c.start[w2 + 1]):
                if w2 == j and y != arc.m:
                    continue
                raise_to_sum(D, c.H + x * S, c.M + y * S, pair_score(c, x, y), S)
    for t in range(S):
        D[t] += c.arc[t]
    best = largest(D, S)
    c.C[arc.m * c.count + a] = best
    first = side_begin(c, arc.m, right)
    if best > -INFINITY:
        f.grandchildren(arc.h, arc.m, c.modifier + first, side_end(c, arc.m, right) - first, c.outer)
        f.finish()
    for k in range(first, side_end(c, arc.m, right)):
        c.G[arc.outer + k - first] = largest_sum(D, c.outer + (k - first) * S, S) if best > -INFINITY else -INFINITY


cdef Py_ssize_t complete(const Chart *c, Py_ssize_t a, Py_ssize_t e) noexcept nogil:
    """The arc b that gives C(a, e) for a node e beyond m; -1: none."""
    cdef Arc *arc = &c.arcs[a]
    cdef bint right = c.word_of[arc.m] > c.word_of[arc.h]
    cdef Py_ssize_t first = side_begin(c, arc.m, right), k, found = -1
    cdef float best = -INFINITY, s
    for k in range(first, side_until(c, arc.m, right, abs(c.word_of[e] - c.word_of[arc.m]))):
        s = c.G[arc.outer + k - first] + c.C[e * c.count + k]
        if s > best:
            best = s
            found = k
    return found


cdef void fill(Chart *c, Factors f) noexcept nogil:
    cdef Py_ssize_t w, h, e, a, k, v, first, m
    cdef int right
    for w in range(1, c.words):
        for k in range(c.width_start[w], c.width_start[w + 1]):
            fill_arc(c, f, c.by_width[k])
        for h in range(c.words):
            for right in range(2):
                e = h + w if right else h - w
                if e < 1 or e >= c.words or (h == 0 and e < c.words - 1):
                    continue
                for v in range(c.start[h], c.start[h + 1]):
                    for a in range(side_begin(c, v, right), side_until(c, v, right, w - 1)):
                        m = c.arcs[a].m
                        if c.C[m * c.count + a] == -INFINITY:
                            continue
                        first = side_begin(c, m, right)
                        for k in range(c.start[e], c.start[e + 1]):
                            c.C[k * c.count + a] = largest_sum(
                                c.G + c.arcs[a].outer, c.C + k * c.count + first,
                                side_until(c, m, right, w - c.arcs[a].width) - first)


cdef Py_ssize_t argmax_child(const Chart *c, Py_ssize_t v, bint right, Py_ssize_t x, const float *rows,
                             Py_ssize_t t) noexcept nogil:
    """The child of a node on one side, up to node x, that attains H(x, t) or M(x, t); rows are its factors."""
    cdef Py_ssize_t first = side_begin(c, v, right), k, best = -1
    cdef float s, top = -INFINITY
    for k in range(first, side_until(c, v, right, abs(c.word_of[x] - c.word_of[v]))):
        s = c.C[x * c.count + k] + rows[(k - first) * c.stride + t]
        if s > top:
            top, best = s, k
    return best


cdef int trace_complete(Chart *c, Factors f, Py_ssize_t a, Py_ssize_t e, int *node, int *head,
                        int *label) noexcept nogil:
    """Trace back C(a, e): heads, labels and nodes of the words below it, outermost child first.

    −1 if no derivation of a score is found, which happens only if scores are not finite.
    """
    cdef Arc *arc
    cdef Py_ssize_t S = c.stride, b, t, chosen, h, j, k, x, y, w, w2, bx, by
    cdef float s, top
    cdef bint right
    while True:
        arc = &c.arcs[a]
        right = c.word_of[arc.m] > c.word_of[arc.h]
        b = -1
        if e != arc.m:
            b = complete(c, a, e)
            if b < 0:
                return -1
            f.grandchildren(arc.h, arc.m, c.modifier + b, 1, c.none)
            f.finish()
        else:
            memset(c.none, 0, S * sizeof(float))
        top, chosen = -INFINITY, 0
        for t in range(c.labels):
            s = c.D[a * S + t] + c.none[t]
            if s > top:
                top, chosen = s, t
        h, j = c.word_of[arc.h], c.word_of[arc.m]
        node[j], head[j], label[j] = arc.m, <int> h, <int> chosen
        score_parts(c, f, a)
        fill_sides(c, a)
        top, bx, by = -INFINITY, -1, -1
        for k in range(arc.width if h > 0 else 1):
            w = h + k if right else h - k
            w2 = w + 1 if right else w - 1
            for x in range(c.start[w], c.start[w + 1]):
                if w == h and x != arc.h:
                    continue
                for y in range(c.start[w2], c.start[w2 + 1]):
                    if w2 == j and y != arc.m:
                        continue
                    s = c.H[x * S + chosen] + c.M[y * S + chosen] + pair_score(c, x, y)
                    if s > top:
                        top, bx, by = s, x, y
        if bx < 0:
            return -1
        # find the children before the scratch memory is reused
        k = argmax_child(c, arc.h, right, bx, c.siblings, chosen) if bx != arc.h else -1
        t = argmax_child(c, arc.m, not right, by, c.inner, chosen) if by != arc.m else -1
        if (k < 0 and bx != arc.h) or (t < 0 and by != arc.m):
            return -1
        if k >= 0 and trace_complete(c, f, k, bx, node, head, label) < 0:
            return -1
        if t >= 0 and trace_complete(c, f, t, by, node, head, label) < 0:
            return -1
        if b < 0:
            return 0
        a = b


cdef int make_arcs(Chart *c, const unsigned char[:, ::1] keep) except -1:
    """List the arcs that are kept; nodes with score −inf have none."""
    cdef Py_ssize_t v, h, m, d, k = 0, at, outer = 0, total = 0, u
    cdef int right
    for h in range(c.words):
        for m in range(1, c.words):
            if h != m and keep[h, m]:
                total += (c.start[h + 1] - c.start[h]) * (c.start[m + 1] - c.start[m])
    c.arcs = <Arc *> new_array(&c.arrays, (total + 1) * sizeof(Arc))
    c.modifier = <int *> new_array(&c.arrays, (total + 1) * sizeof(int))
    c.reach = <Py_ssize_t *> new_array(&c.arrays, 2 * c.nodes * c.words * sizeof(Py_ssize_t))
    c.by_width = <Py_ssize_t *> new_array(&c.arrays, (total + 1) * sizeof(Py_ssize_t))
    c.first = <Py_ssize_t *> new_array(&c.arrays, (2 * c.nodes + 1) * sizeof(Py_ssize_t))
    c.width_start = <Py_ssize_t *> new_array(&c.arrays, (c.words + 2) * sizeof(Py_ssize_t))
    c.word_of = <int *> new_array(&c.arrays, (c.nodes + 1) * sizeof(int))
    c.pair = <Py_ssize_t *> new_array(&c.arrays, (c.words + 1) * sizeof(Py_ssize_t))
    at = 0
    for h in range(c.words):
        for v in range(c.start[h], c.start[h + 1]):
            c.word_of[v] = <int> h
        c.pair[h] = at
        if h + 1 < c.words:
            at += (c.start[h + 1] - c.start[h]) * (c.start[h + 2] - c.start[h + 1])
    for v in range(c.nodes):
        h = c.word_of[v]
        for right in range(2):
            c.first[2 * v + right] = k
            for d in range(c.words):
                m = h + d if right else h - d
                if d > 0 and 0 < m < c.words and keep[h, m] and c.pu[v] > -INFINITY:
                    for u in range(c.start[m], c.start[m + 1]):
                        if c.pu[u] == -INFINITY:
                            continue
                        c.arcs[k].h = <int> v
                        c.arcs[k].m = c.modifier[k] = <int> u
                        c.arcs[k].width = <int> d
                        c.width_start[d + 1] += 1
                        k += 1
                c.reach[(2 * v + right) * c.words + d] = k
    c.first[2 * c.nodes] = k
    c.count = total = k
    for d in range(1, c.words + 1):
        c.width_start[d] += c.width_start[d - 1]
    for k in range(total):
        d = c.arcs[k].width
        c.by_width[c.width_start[d]] = k
        c.width_start[d] += 1
    for d in range(c.words, 0, -1):
        c.width_start[d] = c.width_start[d - 1]
    c.width_start[0] = 0
    for k in range(total):
        right = c.word_of[c.arcs[k].m] > c.word_of[c.arcs[k].h]
        c.arcs[k].outer = outer
        outer += side_end(c, c.arcs[k].m, right) - side_begin(c, c.arcs[k].m, right)
    c.G = <float *> new_array(&c.arrays, (outer + 1) * sizeof(float))
    c.D = <float *> new_array(&c.arrays, (total * c.stride + 1) * sizeof(float))
    c.C = <float *> new_array(&c.arrays, (total * c.nodes + 1) * sizeof(float))
    # factors do not write the padding, which must be 0
    c.arc = <float *> new_array(&c.arrays, 2 * c.stride * sizeof(float))
    c.siblings = <float *> new_array(&c.arrays, (c.nodes + 1) * c.stride * sizeof(float))
    c.inner = <float *> new_array(&c.arrays, (c.nodes + 1) * c.stride * sizeof(float))
    c.outer = <float *> new_array(&c.arrays, (c.nodes + 1) * c.stride * sizeof(float))
    c.H = <float *> new_array(&c.arrays, (c.nodes + 1) * c.stride * sizeof(float))
    c.M = <float *> new_array(&c.arrays, (c.nodes + 1) * c.stride * sizeof(float))
    c.none = c.arc + c.stride
    for k in range(total * c.nodes):
        c.C[k] = -INFINITY
    return 0


def best_parse(Factors factors not None, const int[::1] starts not None, const unsigned char[:, ::1] keep not None,
               const float[:, ::1] mask not None, const int[::1] fixed not None,
               const float[::1] pu not None, const float[::1] pb not None,
               const int[::1] gold_heads=None, const unsigned short[::1] gold_labels=None):
    """(nodes, heads, labels, score) of the best analysis; entry 0 of each array is the root.

    ``starts[w]`` is the first node of word w, with the number of nodes at the end; ``keep[h, m]`` is 1 for allowed
    arcs; ``mask`` (arcs of the root, other arcs) is 0 or −inf for each label; ``fixed[m]`` a given label or −1; ``pu``
    scores nodes, −inf forbids one; ``pb`` scores pairs of nodes of adjacent words, all pairs of words 0 and 1 first.
    The score is −inf if there is no tree; scores that are not finite are a ModelError. With a gold tree, decoding is
    loss-augmented: 1 for a wrong head, 0.5 for a wrong label only.
    """
    cdef Chart c
    cdef Py_ssize_t words = starts.shape[0] - 1, a, v, best = -1, last = -1, pairs = 0
    cdef float top = -INFINITY
    cdef bint read = True
    memset(&c, 0, sizeof(Chart))
    counts = np.diff(starts)
    if words < 2 or starts[0] != 0 or starts[1] != 1 or starts[words] != factors.nodes or counts.min() < 1:
        raise ValueError("starts do not list the nodes of a root and at least one word")
    pairs = int((counts[:-1] * counts[1:]).sum())
    if (keep.shape[0] != words or keep.shape[1] != words or mask.shape[0] != 2 or mask.shape[1] != factors.labels
            or fixed.shape[0] != words or pu.shape[0] != factors.nodes or pb.shape[0] != pairs):
        raise ValueError("arrays of another size than the sentence")
    c.words, c.nodes, c.labels, c.stride = words, factors.nodes, factors.labels, factors.stride
    c.start, c.mask, c.fixed, c.pu, c.pb = &starts[0], &mask[0, 0], &fixed[0], &pu[0], &pb[0]
    if gold_heads is not None and gold_labels is not None:
        if gold_heads.shape[0] != words or gold_labels.shape[0] != words:
            raise ValueError("a gold tree of another size than the sentence")
        c.gold_head, c.gold_label = &gold_heads[0], &gold_labels[0]
    nodes, heads, labels = (np.zeros(words, dtype=np.intc) for _ in range(3))
    cdef int[::1] node = nodes
    cdef int[::1] head = heads
    cdef int[::1] label = labels
    try:
        make_arcs(&c, keep)
        with nogil:
            fill(&c, factors)
            for a in range(side_begin(&c, 0, True), side_end(&c, 0, True)):
                for v in range(c.start[words - 1], c.start[words]):
                    if c.C[v * c.count + a] > top:
                        top = c.C[v * c.count + a]
                        best, last = a, v
            if best >= 0:
                read = top < INFINITY and trace_complete(&c, factors, best, last, &node[0], &head[0], &label[0]) == 0
    finally:
        free_arrays(&c.arrays)
    if not read:
        raise ModelError("the scores of a tree are not finite: the weights have diverged")
    return nodes, heads, labels.astype(np.uint16), float(top)
