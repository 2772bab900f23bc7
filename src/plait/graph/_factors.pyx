"""Scores of arcs, siblings and grandchildren: from arrays in tests, from templates and weights in models.

The frame that templates look at is   h block | m block | s block | g block | atoms of the pair   with one block of
``width`` atoms for each node; the atoms of the pair are listed in PAIR_ATOMS.
"""

from libc.string cimport memcpy, memset

import numpy as np

from plait.core._arrays cimport free_arrays, new_array
from plait.core._delta cimport Delta
from plait.core._memory cimport release, try_take
from plait.core._rows cimport add_32
from plait.core._types cimport uint64_t
from plait.features._agreement cimport agreement

cdef enum:
    DIR         # left, right, or from the root
    DIST        # the same with the distance: 1, 2, 3-6, 7 or more
    SDIR        # of siblings: also whether m is the first child
    SDIST
    GDIR        # of grandchildren: the direction of both arcs
    BETWEEN     # a tag between the ends
    LEFT        # the tag of the left end, as predicted by the tagger
    RIGHT
    VERBS       # number between the ends, at most 3
    CONJUNCTIONS
    PUNCTUATION
    GUIDE       # whether the guide's tree has this arc
    GUIDE_DIST  # distance and direction from the guide's head to this one
    SGUIDE      # of siblings: which of the three arcs between h and s, m and s the guide has
    GGUIDE      # of grandchildren: which of the arcs from m and from h to g it has
    AGREE       # agreement of head and modifier
    PAIRS       # number of these

PAIR_ATOMS = ("dir", "dist", "sdir", "sdist", "gdir", "b.t", "left.t", "right.t", "verbs", "conjs", "puncts",
              "guide", "guide.dist", "sguide", "gguide", "agree")

cdef enum:
    NONE = 0x4e4f4e45   # no sibling
    VARIANTS = 12       # three directions and four distances
    PLAIN = 3           # directions only
    GDIRS = 8
    QUEUE = 512         # queued keys

# The template groups of each part, by the nodes they use: only the group "all" is computed for every factor.
GROUPS = {
    "arc": ("h", "m", "words", "all"),
    "between": ("words", "all"),
    "sibling": ("h s", "h s dist", "m s", "m s dist", "all"),
    "grandchild": ("h g", "m g", "all"),
}


cdef class Factors:
    """Scores the factors of a tree."""

    cdef void prepare_arc(self, Py_ssize_t h, Py_ssize_t m) noexcept nogil:
        pass

    cdef void arc(self, Py_ssize_t h, Py_ssize_t m, score_t *out) noexcept nogil:
        memset(out, 0, self.stride * sizeof(score_t))

    cdef void siblings(self, Py_ssize_t h, Py_ssize_t m, const int *s, Py_ssize_t count, score_t *out) noexcept nogil:
        memset(out, 0, count * self.stride * sizeof(score_t))

    cdef void grandchildren(self, Py_ssize_t h, Py_ssize_t m, const int *g, Py_ssize_t count,
                            score_t *out) noexcept nogil:
        memset(out, 0, count * self.stride * sizeof(score_t))

    cdef void finish(self) noexcept nogil:
        pass


cdef inline Py_ssize_t padded(Py_ssize_t labels) noexcept nogil:
    return (labels + 7) & ~(<Py_ssize_t> 7)


cdef class ArrayFactors(Factors):
    """Scores from arrays: arcs[h, m, label], siblings[h, m, s or none, label], grandchildren[h, m, g, label]."""

    def __init__(self, const float[:, :, ::1] arcs not None, const float[:, :, :, ::1] siblings not None,
                 const float[:, :, :, ::1] grandchildren not None):
        self.nodes = arcs.shape[0]
        self.labels = arcs.shape[2]
        self.stride = padded(self.labels)
        shapes = [(n, n, k, l) for n, k, l in ((self.nodes, self.nodes + 1, self.labels),
                                               (self.nodes, self.nodes, self.labels))]
        found = [tuple(np.shape(siblings)), tuple(np.shape(grandchildren))]
        if found != shapes or arcs.shape[1] != self.nodes:
            raise ValueError(f"siblings and grandchildren of shapes {found}; expected {shapes}")
        self.arcs = arcs
        self.of_siblings = siblings
        self.of_grandchildren = grandchildren

    cdef void arc(self, Py_ssize_t h, Py_ssize_t m, score_t *out) noexcept nogil:
        memcpy(out, &self.arcs[h, m, 0], self.labels * sizeof(score_t))

    cdef void siblings(self, Py_ssize_t h, Py_ssize_t m, const int *s, Py_ssize_t count, score_t *out) noexcept nogil:
        cdef Py_ssize_t k
        for k in range(count):
            memcpy(out + k * self.stride, &self.of_siblings[h, m, s[k] if s[k] >= 0 else self.nodes, 0],
                   self.labels * sizeof(score_t))

    cdef void grandchildren(self, Py_ssize_t h, Py_ssize_t m, const int *g, Py_ssize_t count,
                            score_t *out) noexcept nogil:
        cdef Py_ssize_t k
        for k in range(count):
            memcpy(out + k * self.stride, &self.of_grandchildren[h, m, g[k], 0], self.labels * sizeof(score_t))


cdef class FactorTemplates:
    """The compiled templates of a set, by the nodes they use; made by ``plait.graph.features``."""

    def __init__(self, Templates arc not None, Templates between not None, Templates sibling not None,
                 Templates grandchild not None, Py_ssize_t width, groups, Py_ssize_t agreement_column=0,
                 Py_ssize_t agreement_slots=0):
        """``groups``: the number of templates of each of the GROUPS, in order.

        The agreement slots of a node begin with atom ``agreement_column``.
        """
        cdef Templates part
        for part in (arc, between, sibling, grandchild):
            if part.lowest < 0 or part.highest >= 4 * width + PAIRS:
                raise ValueError("templates that look outside the frame")
        for name in GROUPS:
            if len(groups[name]) != len(GROUPS[name]):
                raise ValueError(f"{len(groups[name])} groups of {name} templates; expected {len(GROUPS[name])}")
        self.arc, self.between, self.sibling, self.grandchild = (
            TemplateGroups(part, [((), count) for count in groups[name]])
            for name, part in (("arc", arc), ("between", between), ("sibling", sibling), ("grandchild", grandchild)))
        self.between_words = groups["between"][1] == 0
        self.width = width
        self.agreement_column, self.agreement_slots = agreement_column, agreement_slots
        if not 0 <= agreement_column <= agreement_column + agreement_slots <= width:
            raise ValueError("slots of agreement outside the atoms of a node")


cdef inline uint64_t distance(Py_ssize_t h, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t d = h - m if h > m else m - h
    return <uint64_t> (d if d <= 2 else 3 if d <= 6 else 4)


cdef inline atom_t guide_distance(Py_ssize_t guide, Py_ssize_t h) noexcept nogil:
    """From the guide's head to this one: the same word, or direction and distance; the root is a separate case."""
    if guide == h:
        return 1
    if guide == 0 or h == 0:
        return 2 + (h == 0)
    return 8 + 2 * distance(guide, h) + (h > guide)


cdef class FeatureFactors(Factors):
    """The features of one sentence under some weights. It has scratch memory: use one per sentence and thread.

    ``guide``: the heads of the words in the guide's tree, entry 0 for the root.
    """

    def __init__(self, FactorTemplates templates not None, Scorer weights not None,
                 const uint64_t[:, ::1] blocks not None, const int[::1] word_of not None,
                 const unsigned short[::1] best not None, const int[:, ::1] counts not None, Py_ssize_t tags,
                 const int[::1] guide=None):
        cdef Py_ssize_t between = min(tags, best.shape[0]) + 1
        cdef size_t size
        if guide is not None and guide.shape[0] != best.shape[0]:
            raise ValueError(f"the guide has {guide.shape[0] - 1} words, the sentence {best.shape[0] - 1}")
        self.guide = guide
        self.guided = guide is not None
        self.templates = templates
        self.weights = weights
        self.labels = weights.labels
        self.stride = padded(self.labels)
        self.blocks = blocks
        self.word_of = word_of
        self.best = best
        self.counts = counts
        self.tags = tags
        self.nodes = blocks.shape[0]
        if (blocks.shape[1] != templates.width or word_of.shape[0] != self.nodes or counts.shape[0] != 3
                or counts.shape[1] != best.shape[0] or self.nodes == 0):
            raise ValueError("blocks, tokens, tags and counts of different sizes")
        if np.max(best) >= tags or np.max(word_of) >= best.shape[0] or np.min(word_of) < 0:
            raise ValueError("a tag or a word beyond the known ones")
        self.frame = <atom_t *> new_array(&self.arrays, (4 * templates.width + PAIRS) * sizeof(atom_t))
        cdef Py_ssize_t max_keys = templates.arc.templates.count + templates.between.templates.count * between
        max_keys = max(max_keys, max(templates.sibling.templates.count, templates.grandchild.templates.count))
        self.keys = <key_t *> new_array(&self.arrays, (max_keys + 1) * sizeof(key_t))
        self.seen = <int *> new_array(&self.arrays, tags * sizeof(int))
        self.words = best.shape[0]
        cdef Py_ssize_t n = self.nodes
        cdef Py_ssize_t queued = max(<Py_ssize_t> QUEUE, max_keys)
        self.of_head = <score_t **> new_array(&self.arrays, n * VARIANTS * sizeof(score_t *))
        self.of_modifier = <score_t **> new_array(&self.arrays, n * VARIANTS * sizeof(score_t *))
        self.of_words = <score_t **> new_array(&self.arrays, self.words * self.words * sizeof(score_t *))
        self.spare = <score_t *> new_array(&self.arrays, (2 * self.stride + 2) * sizeof(score_t))
        self.queue = <key_t *> new_array(&self.arrays, queued * sizeof(key_t))
        self.targets = <score_t **> new_array(&self.arrays, queued * sizeof(score_t *))
        self.spare_base = self.spare + self.stride
        if templates.sibling.templates.count > 0:
            size = n * (n + 1) * (PLAIN + VARIANTS) * sizeof(score_t *)
            self.of_h_s = <score_t **> new_array(&self.arrays, size)
            self.of_m_s = <score_t **> new_array(&self.arrays, size)
        if templates.grandchild.templates.count > 0:
            self.of_h_g = <score_t **> new_array(&self.arrays, n * n * GDIRS * sizeof(score_t *))
            self.of_m_g = <score_t **> new_array(&self.arrays, n * n * GDIRS * sizeof(score_t *))

    def __dealloc__(self):
        free_arrays(&self.arrays)
        release(&self.rows)

    cdef score_t *new_row(self) noexcept nogil:
        """A row that lives as long as this object; NULL when out of memory."""
        return <score_t *> try_take(&self.rows, self.stride * sizeof(score_t))

    cdef void add_group(self, TemplateGroups groups, Py_ssize_t g, score_t *out) noexcept nogil:
        """Add the rows of a group's templates, filled from the frame."""
        cdef Py_ssize_t first = groups.first[g], last = groups.first[g + 1]
        if last > first:
            groups.templates.fill_range(first, last, self.frame, self.keys)
            self.weights.add(self.keys, last - first, out)

    cdef void enqueue(self, TemplateGroups groups, Py_ssize_t g, score_t *out) noexcept nogil:
        """The same, but queued with those of other factors, so that memory accesses overlap."""
        cdef Py_ssize_t first = groups.first[g], last = groups.first[g + 1], k
        if self.waiting + last - first > QUEUE:
            self.flush()
        groups.templates.fill_range(first, last, self.frame, self.queue + self.waiting)
        for k in range(last - first):
            self.targets[self.waiting + k] = out
        self.waiting += last - first

    cdef void enqueue_keys(self, Py_ssize_t count, score_t *out) noexcept nogil:
        """The same for the first ``keys``."""
        cdef Py_ssize_t k
        if self.waiting + count > QUEUE:
            self.flush()
        for k in range(count):
            self.queue[self.waiting + k] = self.keys[k]
            self.targets[self.waiting + k] = out
        self.waiting += count

    cdef void flush(self) noexcept nogil:
        self.weights.add_each(self.queue, self.waiting, self.targets)
        self.waiting = 0

    cdef const score_t *group_sum(self, score_t **place, TemplateGroups groups, Py_ssize_t g,
                                  const score_t *base) noexcept nogil:
        """base (NULL: zeros) plus the sum of a group in the frame, cached at ``place``."""
        cdef score_t *row = place[0]
        if row != NULL:
            return row
        row = place[0] = self.new_row()
        if row == NULL:
            row = self.spare_base if base == NULL else self.spare
        self.begin_sum(row, base)
        self.add_group(groups, g, row)
        return row

    cdef void begin_sum(self, score_t *row, const score_t *base) noexcept nogil:
        if base == NULL:
            memset(row, 0, self.stride * sizeof(score_t))
        else:
            memcpy(row, base, self.stride * sizeof(score_t))

    cdef void prepare(self, score_t **place, TemplateGroups groups, Py_ssize_t g, const score_t *base) noexcept nogil:
        """Queue what ``group_sum`` would look up alone; without memory for the sum it still does."""
        if place[0] != NULL:
            return
        place[0] = self.new_row()
        if place[0] != NULL:
            self.begin_sum(place[0], base)
            self.enqueue(groups, g, place[0])

    cdef Py_ssize_t variant(self) noexcept nogil:
        cdef const atom_t *pair = self.frame + 4 * self.templates.width
        return 4 * (<Py_ssize_t> pair[DIR] - 1) + <Py_ssize_t> (pair[DIST] & 7) - 1

    cdef void fill_slot(self, Py_ssize_t slot, Py_ssize_t node) noexcept nogil:
        memcpy(self.frame + slot * self.templates.width, &self.blocks[node, 0],
               self.templates.width * sizeof(atom_t))

    cdef void fill_pair(self, Py_ssize_t h, Py_ssize_t m) noexcept nogil:
        """Fill the frame with the blocks of both ends, direction and distance."""
        cdef atom_t *pair = self.frame + 4 * self.templates.width
        cdef Py_ssize_t i = self.word_of[h], j = self.word_of[m]
        self.fill_slot(0, h)
        self.fill_slot(1, m)
        pair[DIR] = 3 if i == 0 else 1 if i < j else 2
        pair[DIST] = 8 * pair[DIR] + distance(i, j)
        if self.guided:
            pair[GUIDE] = 1 + (self.guide[j] == i)
            pair[GUIDE_DIST] = guide_distance(self.guide[j], i)
        if self.templates.agreement_slots > 0:
            pair[AGREE] = agreement(self.frame + self.templates.agreement_column,
                                    self.frame + self.templates.width + self.templates.agreement_column,
                                    self.templates.agreement_slots)

    cdef void fill_between(self, Py_ssize_t h, Py_ssize_t m) noexcept nogil:
        """Fill the frame with the tagger's tags at the ends and between them."""
        cdef atom_t *pair = self.frame + 4 * self.templates.width
        cdef Py_ssize_t i = self.word_of[h], j = self.word_of[m], k
        if i > j:
            i, j = j, i
        pair[LEFT] = <atom_t> self.best[i] + 1
        pair[RIGHT] = <atom_t> self.best[j] + 1
        for k in range(3):
            pair[VERBS + k] = <atom_t> min(3, self.counts[k, j - 1] - self.counts[k, i]) + 1 if j > i + 1 else 1

    cdef Py_ssize_t between_keys(self, Py_ssize_t h, Py_ssize_t m, key_t *keys) noexcept nogil:
        """Once for each distinct tag between the ends."""
        cdef atom_t *pair = self.frame + 4 * self.templates.width
        cdef Py_ssize_t i = self.word_of[h], j = self.word_of[m], k, at = 0
        if self.templates.between.templates.count == 0:
            return 0
        if i > j:
            i, j = j, i
        self.stamp += 1
        for k in range(i + 1, j):
            if self.seen[self.best[k]] == self.stamp:
                continue
            self.seen[self.best[k]] = self.stamp
            pair[BETWEEN] = <atom_t> self.best[k] + 1
            self.templates.between.templates.fill(self.frame, keys + at)
            at += self.templates.between.templates.count
        return at

    cdef Py_ssize_t arc_keys(self, Py_ssize_t h, Py_ssize_t m) noexcept nogil:
        cdef Py_ssize_t count = self.templates.arc.templates.count
        self.fill_pair(h, m)
        self.fill_between(h, m)
        self.templates.arc.templates.fill(self.frame, self.keys)
        return count + self.between_keys(h, m, self.keys + count)

    cdef void fill_sibling(self, Py_ssize_t h, Py_ssize_t m, Py_ssize_t s) noexcept nogil:
        """Add a sibling to the pair in the frame."""
        cdef atom_t *pair = self.frame + 4 * self.templates.width
        cdef Py_ssize_t i, j, k
        if s >= 0:
            self.fill_slot(2, s)
        else:
            for k in range(self.templates.width):
                self.frame[2 * self.templates.width + k] = NONE
        pair[SDIR] = 2 * pair[DIR] + (s >= 0)
        pair[SDIST] = 2 * pair[DIST] + (s >= 0)
        if self.guided:
            pair[SGUIDE] = 1
            if s >= 0:
                i, j, k = self.word_of[h], self.word_of[m], self.word_of[s]
                pair[SGUIDE] = 2 + (self.guide[k] == i) + 2 * (self.guide[j] == k) + 4 * (self.guide[k] == j)

    cdef Py_ssize_t sibling_keys(self, Py_ssize_t h, Py_ssize_t m, Py_ssize_t s) noexcept nogil:
        self.fill_pair(h, m)
        self.fill_sibling(h, m, s)
        self.templates.sibling.templates.fill(self.frame, self.keys)
        return self.templates.sibling.templates.count

    cdef void fill_grandchild(self, Py_ssize_t h, Py_ssize_t m, Py_ssize_t g) noexcept nogil:
        """Add a grandchild to the pair in the frame."""
        cdef atom_t *pair = self.frame + 4 * self.templates.width
        self.fill_slot(3, g)
        pair[GDIR] = 2 * pair[DIR] + (self.word_of[m] < self.word_of[g])
        if self.guided:
            pair[GGUIDE] = (1 + (self.guide[self.word_of[g]] == self.word_of[m])
                            + 2 * (self.guide[self.word_of[g]] == self.word_of[h]))

    cdef Py_ssize_t grandchild_keys(self, Py_ssize_t h, Py_ssize_t m, Py_ssize_t g) noexcept nogil:
        self.fill_pair(h, m)
        self.fill_grandchild(h, m, g)
        self.templates.grandchild.templates.fill(self.frame, self.keys)
        return self.templates.grandchild.templates.count

    cdef void sum_keys(self, Py_ssize_t n, score_t *out) noexcept nogil:
        memset(out, 0, self.labels * sizeof(score_t))
        self.weights.add(self.keys, n, out)

    cdef void prepare_arc(self, Py_ssize_t h, Py_ssize_t m) noexcept nogil:
        cdef Py_ssize_t variant
        cdef score_t **place = self.of_words + self.word_of[h] * self.words + self.word_of[m]
        self.fill_pair(h, m)
        variant = self.variant()
        self.prepare(self.of_head + h * VARIANTS + variant, self.templates.arc, 0, NULL)
        self.prepare(self.of_modifier + m * VARIANTS + variant, self.templates.arc, 1, NULL)
        if place[0] != NULL:
            return
        place[0] = self.new_row()
        if place[0] != NULL:
            self.begin_sum(place[0], NULL)
            self.fill_between(h, m)
            self.enqueue_keys(self.between_keys(h, m, self.keys) if self.templates.between_words else 0, place[0])
            self.enqueue(self.templates.arc, 2, place[0])

    cdef void arc(self, Py_ssize_t h, Py_ssize_t m, score_t *out) noexcept nogil:
        cdef Py_ssize_t variant, k
        cdef score_t **place
        cdef score_t *row
        self.fill_pair(h, m)
        self.fill_between(h, m)
        variant = self.variant()
        memcpy(out, self.group_sum(self.of_head + h * VARIANTS + variant, self.templates.arc, 0, NULL),
               self.stride * sizeof(score_t))
        add_32(out, self.group_sum(self.of_modifier + m * VARIANTS + variant, self.templates.arc, 1, NULL), self.stride)
        place = self.of_words + self.word_of[h] * self.words + self.word_of[m]
        if place[0] == NULL:
            k = self.between_keys(h, m, self.keys) if self.templates.between_words else 0
            place[0] = self.new_row()
            row = out if place[0] == NULL else place[0]
            if place[0] != NULL:
                memset(row, 0, self.stride * sizeof(score_t))
            self.weights.add(self.keys, k, row)
            self.add_group(self.templates.arc, 2, row)
        if place[0] != NULL:
            add_32(out, place[0], self.stride)
        if not self.templates.between_words:
            self.enqueue_keys(self.between_keys(h, m, self.keys), out)
        self.enqueue(self.templates.arc, 3, out)

    cdef const score_t *sibling_pair(self, score_t **of_node, Py_ssize_t other, Py_ssize_t variant,
                                     Py_ssize_t group) noexcept nogil:
        """The cached sum of the templates of a pair: ``group``, and the next group with the distance."""
        cdef Py_ssize_t n = self.nodes + 1
        cdef score_t **place = of_node + (PLAIN + variant) * n + other
        if place[0] != NULL:
            return place[0]
        return self.group_sum(place, self.templates.sibling, group + 1, self.group_sum(
            of_node + variant // 4 * n + other, self.templates.sibling, group, NULL))

    cdef void siblings(self, Py_ssize_t h, Py_ssize_t m, const int *s, Py_ssize_t count, score_t *out) noexcept nogil:
        cdef Py_ssize_t k, other, variant, n = self.nodes + 1, size = (PLAIN + VARIANTS) * n
        cdef score_t **of_h = self.of_h_s + h * size
        cdef score_t **of_m = self.of_m_s + m * size
        cdef score_t **by_h
        cdef score_t **by_m
        cdef bint near
        cdef score_t *row
        if self.templates.sibling.templates.count == 0:
            memset(out, 0, count * self.stride * sizeof(score_t))
            return
        self.fill_pair(h, m)
        variant = self.variant()
        for near in range(2):       # new sums without the distance, then those with it, which begin with the former
            for k in range(count):
                other = s[k] if s[k] >= 0 else self.nodes
                by_h = of_h + variant // 4 * n + other
                by_m = of_m + variant // 4 * n + other
                if near:
                    if by_h[0] == NULL or by_m[0] == NULL:
                        continue
                    self.fill_sibling(h, m, s[k])
                    self.prepare(of_h + (PLAIN + variant) * n + other, self.templates.sibling, 1, by_h[0])
                    self.prepare(of_m + (PLAIN + variant) * n + other, self.templates.sibling, 3, by_m[0])
                elif by_h[0] == NULL or by_m[0] == NULL:
                    self.fill_sibling(h, m, s[k])
                    self.prepare(by_h, self.templates.sibling, 0, NULL)
                    self.prepare(by_m, self.templates.sibling, 2, NULL)
            self.flush()
        for k in range(count):
            self.fill_sibling(h, m, s[k])
            other = s[k] if s[k] >= 0 else self.nodes
            row = out + k * self.stride
            memcpy(row, self.sibling_pair(self.of_h_s + h * size, other, variant, 0), self.stride * sizeof(score_t))
            add_32(row, self.sibling_pair(self.of_m_s + m * size, other, variant, 2), self.stride)
            self.enqueue(self.templates.sibling, 4, row)

    cdef void grandchildren(self, Py_ssize_t h, Py_ssize_t m, const int *g, Py_ssize_t count,
                            score_t *out) noexcept nogil:
        cdef Py_ssize_t k, n = self.nodes, directions
        cdef score_t *row
        if self.templates.grandchild.templates.count == 0:
            memset(out, 0, count * self.stride * sizeof(score_t))
            return
        self.fill_pair(h, m)
        for k in range(count):
            self.fill_grandchild(h, m, g[k])
            directions = <Py_ssize_t> (self.frame + 4 * self.templates.width)[GDIR]
            self.prepare(self.of_h_g + (h * GDIRS + directions) * n + g[k], self.templates.grandchild, 0, NULL)
            self.prepare(self.of_m_g + (m * GDIRS + directions) * n + g[k], self.templates.grandchild, 1, NULL)
        self.flush()
        for k in range(count):
            self.fill_grandchild(h, m, g[k])
            directions = <Py_ssize_t> (self.frame + 4 * self.templates.width)[GDIR]
            row = out + k * self.stride
            memcpy(row, self.group_sum(self.of_h_g + (h * GDIRS + directions) * n + g[k], self.templates.grandchild, 0,
                                       NULL), self.stride * sizeof(score_t))
            add_32(row, self.group_sum(self.of_m_g + (m * GDIRS + directions) * n + g[k], self.templates.grandchild, 1,
                                       NULL), self.stride)
            self.enqueue(self.templates.grandchild, 2, row)

    cdef void finish(self) noexcept nogil:
        self.flush()

    def keys_of(self, Py_ssize_t h, Py_ssize_t m, *, sibling=None, grandchild=None):
        """The keys of one factor that fired: an arc, or an arc with its sibling (−1: none) or grandchild."""
        cdef Py_ssize_t n, k
        for node in (h, m, sibling or 0, grandchild or 0):
            if not -1 <= node < self.nodes:
                raise IndexError(f"node {node} of {self.nodes}")
        if sibling is not None:
            n = self.sibling_keys(h, m, sibling)
        elif grandchild is not None:
            n = self.grandchild_keys(h, m, grandchild)
        else:
            n = self.arc_keys(h, m)
        return [self.keys[k] for k in range(n) if self.keys[k] != 0]

    def scores_of(self, Py_ssize_t h, Py_ssize_t m, *, sibling=None, grandchild=None):
        """The scores of one factor by label, as used by the chart."""
        cdef Py_ssize_t other = sibling if sibling is not None else grandchild if grandchild is not None else 0
        for node in (h, m, max(other, 0)):
            if not 0 <= node < self.nodes:
                raise IndexError(f"node {node} of {self.nodes}")
        if self.word_of[h] == self.word_of[m] or self.word_of[m] == 0:
            raise ValueError(f"no arc from node {h} to node {m}")
        out = np.zeros(self.stride, dtype=np.float32)
        cdef float[::1] row = out
        cdef int third = <int> other
        if self.labels > 0:
            if sibling is not None:
                self.siblings(h, m, &third, 1, &row[0])
            elif grandchild is not None:
                self.grandchildren(h, m, &third, 1, &row[0])
            else:
                self.arc(h, m, &row[0])
            self.finish()
        return out[:self.labels]

    def tree_delta(self, const int[::1] gold_nodes not None, const int[::1] gold_heads not None,
                   const unsigned short[::1] gold_labels not None, const int[::1] nodes not None,
                   const int[::1] heads not None, const unsigned short[::1] labels not None, bint second):
        """Δf of two trees over words 1, 2, ...: node, head (a word) and label of each; entry 0 is the root's node.

        Factors common to both trees are omitted. ``second``: also siblings and grandchildren.
        """
        cdef Delta delta = Delta()
        cdef Py_ssize_t n = gold_nodes.shape[0], m, k
        if not (gold_heads.shape[0] == gold_labels.shape[0] == nodes.shape[0] == heads.shape[0]
                == labels.shape[0] == n):
            raise ValueError("trees of different sizes")
        check_range(gold_nodes, self.nodes, "node")
        check_range(nodes, self.nodes, "node")
        check_range(gold_heads, n, "head")
        check_range(heads, n, "head")
        gold = np.asarray(factor_table(gold_nodes, gold_heads))
        found = np.asarray(factor_table(nodes, heads))
        cdef int[:, ::1] a = gold
        cdef int[:, ::1] b = found
        cdef bint same_arc, same
        with nogil:
            for m in range(1, n):
                same_arc = (a[m, 0] == b[m, 0] and a[m, 1] == b[m, 1] and gold_labels[m] == labels[m])
                if not same_arc:
                    delta.put_all(self.keys, self.arc_keys(a[m, 0], a[m, 1]), gold_labels[m], 1)
                    delta.put_all(self.keys, self.arc_keys(b[m, 0], b[m, 1]), labels[m], -1)
                if not second:
                    continue
                if not (same_arc and a[m, 2] == b[m, 2]):
                    delta.put_all(self.keys, self.sibling_keys(a[m, 0], a[m, 1], a[m, 2]), gold_labels[m], 1)
                    delta.put_all(self.keys, self.sibling_keys(b[m, 0], b[m, 1], b[m, 2]), labels[m], -1)
                for k in range(3, 5):
                    same = same_arc and a[m, k] == b[m, k]
                    if a[m, k] >= 0 and not same:
                        delta.put_all(self.keys, self.grandchild_keys(a[m, 0], a[m, 1], a[m, k]), gold_labels[m], 1)
                    if b[m, k] >= 0 and not same:
                        delta.put_all(self.keys, self.grandchild_keys(b[m, 0], b[m, 1], b[m, k]), labels[m], -1)
        return delta


cdef int check_range(const int[::1] array, Py_ssize_t high, str what) except -1:
    cdef Py_ssize_t k
    for k in range(array.shape[0]):
        if not 0 <= array[k] < high:
            raise ValueError(f"{what} {array[k]} of {high}")
    return 0


def factor_table(const int[::1] nodes not None, const int[::1] heads not None):
    """[word][5]: the nodes of head and word, of the sibling next to it (−1: none), of its outermost children.

    >>> import numpy as np
    >>> factor_table(np.arange(4, dtype=np.intc), np.array([-1, 2, 0, 2], dtype=np.intc))[1:].tolist()
    [[2, 1, -1, -1, -1], [0, 2, -1, 1, 3], [2, 3, -1, -1, -1]]
    """
    cdef Py_ssize_t n = nodes.shape[0], m, h
    table = np.full((n, 5), -1, dtype=np.intc)
    cdef int[:, ::1] t = table
    last = np.full(n, -1, dtype=np.intc)
    cdef int[::1] before = last     # the previous child of each head on this side
    for m in range(1, n):
        t[m, 0] = nodes[heads[m]]
        t[m, 1] = nodes[m]
    for m in range(1, n):           # right children, from the head outwards
        h = heads[m]
        if h < m:
            if before[h] >= 0:
                t[m, 2] = nodes[before[h]]
            before[h] = <int> m
            t[h, 4] = nodes[m]
    last[:] = -1
    for m in range(n - 1, 0, -1):
        h = heads[m]
        if h > m:
            if before[h] >= 0:
                t[m, 2] = nodes[before[h]]
            before[h] = <int> m
            t[h, 3] = nodes[m]
    return table
