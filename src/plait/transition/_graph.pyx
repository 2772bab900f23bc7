"""The nodes of the factors of Bohnet & Kuhn (2012), found in partial trees."""

from libc.string cimport memset

import numpy as np

from plait.transition._state cimport T, W

ROLE_NAMES = ("h", "d", "in", "op", "f1", "f2", "gi", "go", "c1", "c2", "gg")
ROLE_COLUMN_NAMES = ("w", "t", "l")
SIBLING_ROLES = ("in", "op", "f1", "f2")

cdef atom_t NONE = 0x4e4f4e45


cdef const Arc *outermost(const Node *node, bint left) noexcept nogil:
    """The child farthest out on one side."""
    cdef const Arc *best = NULL
    cdef const Arc *arc = node.arcs
    while arc != NULL:
        if (arc.child.word < node.word) == left:
            if best == NULL or (arc.child.word < best.child.word) == left:
                best = arc
        arc = arc.next
    return best


cdef const Arc *leftmost(const Node *node, int after, int but) noexcept nogil:
    """The leftmost child to the right of ``after``, except ``but``."""
    cdef const Arc *best = NULL
    cdef const Arc *arc = node.arcs
    while arc != NULL:
        if arc.child.word > after and arc.child.word != but:
            if best == NULL or arc.child.word < best.child.word:
                best = arc
        arc = arc.next
    return best


cdef class GraphTemplates:
    """Templates over the roles of a factor.

    ``extras`` are the columns of the word matrix that they look at, ``of_tags`` those of tag features.
    """

    def __cinit__(self, Templates siblings not None, Templates grandchildren not None, extras=(), of_tags=()):
        self.extras, self.of_tags = len(extras), len(of_tags)
        self.columns = <int> ROLE_COLUMNS + self.extras + self.of_tags
        for templates in (siblings, grandchildren):
            if templates.lowest < 0 or templates.highest >= <int> ROLES * self.columns:
                raise ValueError("templates look outside the factor")
        self.siblings, self.grandchildren = siblings, grandchildren
        self.extra, self.of_tag = np.array(extras, dtype=np.int32), np.array(of_tags, dtype=np.int32)

    def sees_only(self, Py_ssize_t width, Py_ssize_t tag_columns):
        """Whether a word matrix and tags of this many columns have all that the templates look at."""
        return all(0 <= i < width for i in self.extra) and all(0 <= i < tag_columns for i in self.of_tag)

    cdef void fill_role(self, const Sentence *sentence, const Node *node, const Arc *arc, int role,
                        atom_t *window) noexcept nogil:
        """Write form, tag, label and columns of the word; an absent node has its own symbol and no form."""
        cdef atom_t *to = window + role * self.columns
        cdef const atom_t *row
        cdef Py_ssize_t i
        to[<int> FORM] = node.atom[<int> W] if node != NULL else 0
        to[<int> TAG] = node.atom[<int> T] if node != NULL else NONE
        to[<int> LABEL] = <atom_t> arc.label + 1 if arc != NULL else NONE
        if node != NULL and node.word > 0:
            row = sentence.atoms + (node.word - 1) * sentence.width
            for i in range(self.extras):
                to[<int> ROLE_COLUMNS + i] = row[self.extra[i]]
            for i in range(self.of_tags):
                to[<int> ROLE_COLUMNS + self.extras + i] = sentence.tag_rows[
                    node.tag * sentence.tag_columns + self.of_tag[i]]
        else:
            memset(to + <int> ROLE_COLUMNS, 0, (self.extras + self.of_tags) * sizeof(atom_t))

    cdef void fill_child(self, const Sentence *sentence, const Arc *arc, int role, atom_t *window) noexcept nogil:
        self.fill_role(sentence, arc.child if arc != NULL else NULL, arc, role, window)

    cdef void fill_siblings(self, const Sentence *sentence, const Node *h, const Arc *arc,
                            atom_t *window) noexcept nogil:
        cdef const Node *d = arc.child
        cdef const Arc *other = h.arcs
        cdef const Arc *between = NULL
        cdef bint left = d.word < h.word
        while other != NULL:
            if d.word < other.child.word < h.word:
                if between == NULL or other.child.word < between.child.word:
                    between = other
            elif h.word < other.child.word < d.word:
                if between == NULL or other.child.word > between.child.word:
                    between = other
            other = other.next
        self.fill_role(sentence, h, NULL, HEAD, window)
        self.fill_role(sentence, d, NULL, DEPENDENT, window)
        self.fill_child(sentence, between, BETWEEN, window)
        self.fill_child(sentence, outermost(h, not left), OPPOSITE, window)
        other = leftmost(h, 0, d.word)
        self.fill_child(sentence, other, FIRST, window)
        self.fill_child(sentence, leftmost(h, other.child.word, d.word) if other != NULL else NULL, SECOND, window)

    cdef void fill_grandchildren(self, const Sentence *sentence, const Node *h, const Node *d,
                                 atom_t *window) noexcept nogil:
        cdef const Arc *arc = d.arcs
        cdef const Arc *inner = NULL
        cdef const Arc *outer
        cdef const Arc *beyond = NULL
        cdef bint left = d.word < h.word
        while arc != NULL:
            if d.word < arc.child.word < h.word:
                if inner == NULL or arc.child.word > inner.child.word:
                    inner = arc
            elif h.word < arc.child.word < d.word:
                if inner == NULL or arc.child.word < inner.child.word:
                    inner = arc
            arc = arc.next
        outer = outermost(d, left)
        if outer != NULL:
            beyond = outermost(outer.child, left)
        self.fill_role(sentence, h, NULL, HEAD, window)
        self.fill_role(sentence, d, NULL, DEPENDENT, window)
        self.fill_child(sentence, inner, INNER, window)
        self.fill_child(sentence, outer, OUTER, window)
        arc = leftmost(d, 0, -1)
        self.fill_child(sentence, arc, CHILD1, window)
        self.fill_child(sentence, leftmost(d, arc.child.word, -1) if arc != NULL else NULL, CHILD2, window)
        if beyond != NULL:
            self.fill_child(sentence, beyond, BEYOND, window)
        else:
            memset(window + <int> BEYOND * self.columns, 0, self.columns * sizeof(atom_t))
