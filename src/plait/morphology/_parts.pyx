"""Which parts each tag consists of, as arrays that compiled code can trust."""

import numpy as np

cdef enum:
    NODES_FOR_TAG = 8       # nodes that are summed in the time that it takes to sum one tag directly


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
        self.start = &at[0]
        self.part = &part[0]
        self.coarse_of = &coarse_of[0]
        self.tree, self.halves = split_into_halves(self.starts, self.labels)
        cdef const int32_t[:, ::1] tree = self.tree
        cdef const int32_t[:, ::1] halves = self.halves
        self.nodes = len(self.tree)
        self._tree = <const Pair *> &tree[0, 0]
        self._halves = <const Pair *> &halves[0, 0]

    cdef score_t total(self, label_t tag, const score_t *scores) noexcept nogil:
        cdef Py_ssize_t j
        cdef score_t sum = 0
        for j in range(self.start[tag], self.start[tag + 1]):
            sum += scores[self.part[j]]
        return sum

    cdef void sum_halves(self, const score_t *scores, score_t *sums) noexcept nogil:
        cdef Py_ssize_t k
        cdef Pair node
        sums[0] = 0
        for k in range(1, self.nodes):
            node = self._tree[k]
            sums[k] = sums[node.a] + scores[node.b]

    cdef void add_totals(self, const label_t *tags, Py_ssize_t count, const score_t *scores, const score_t *base,
                         bint by_tag, score_t *sums, score_t *out) noexcept nogil:
        cdef Py_ssize_t c
        cdef Pair half
        if count * NODES_FOR_TAG < self.nodes:
            for c in range(count):
                out[c] = base[tags[c] if by_tag else c] + self.total(tags[c], scores)
            return
        self.sum_halves(scores, sums)
        for c in range(count):
            half = self._halves[tags[c]]
            out[c] = base[tags[c] if by_tag else c] + (sums[half.a] + sums[half.b])

    def totals(self, const score_t[::1] scores not None, tags=None, base=None, bint by_tag=False):
        """The scores of these tags, or of all, from those of all parts; ``base`` is added."""
        chosen = np.arange(self.tags, dtype=np.uint16) if tags is None else np.array(tags, dtype=np.uint16)
        numbers_added = self.tags if by_tag else len(chosen)
        added = np.zeros(numbers_added, dtype=np.float32) if base is None else base
        if scores.shape[0] != self.parts or len(added) != numbers_added:
            raise ValueError(f"{scores.shape[0]} scores for {self.parts} parts, {len(added)} for {numbers_added} tags")
        if len(chosen) == 0 or chosen.max() >= self.tags:
            raise ValueError(f"tags {tags} of {self.tags}")
        out = np.zeros(len(chosen), dtype=np.float32)
        cdef const score_t[::1] more = added
        cdef score_t[::1] view = out
        cdef score_t[::1] sums = np.zeros(self.nodes, dtype=np.float32)
        cdef const label_t[::1] numbers = chosen
        with nogil:
            self.add_totals(&numbers[0], numbers.shape[0], &scores[0], &more[0], by_tag, &sums[0], &view[0])
        return out


def split_into_halves(starts, labels):
    """(tree, halves) of some tags, see ``_parts.pxd``: in Basque 638 nodes for 845 tags of 4,361 parts.

    >>> tree, halves = split_into_halves([0, 3, 6], [0, 1, 2, 0, 1, 3])
    >>> tree.tolist(), halves.tolist()
    ([[0, 0], [0, 0], [1, 1], [0, 2], [0, 3]], [[2, 3], [2, 4]])
    """
    cdef dict nodes = {}
    cdef list tree = [(0, 0)], halves = []
    cdef list parts = list(labels), at = list(starts)
    cdef Py_ssize_t t, begin, middle, end
    for t in range(len(at) - 1):
        begin, end = at[t], at[t + 1]
        middle = (begin + end + 1) // 2
        halves.append([node_of(parts[begin:middle], 0, nodes, tree), node_of(parts[middle:end][::-1], 1, nodes, tree)])
    return np.array(tree, dtype=np.int32), np.array(halves, dtype=np.int32)


cdef node_of(list parts, int side, dict nodes, list tree):
    """The node where a way from the root ends; nodes that are missing on it are made."""
    at = 0
    for part in parts:
        key = side, at, part
        if key not in nodes:
            nodes[key] = len(tree)
            tree.append((at, part))
        at = nodes[key]
    return at
