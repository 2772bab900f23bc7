"""The nodes of the factors of Bohnet & Kuhn (2012), found in partial trees."""

from plait.transition._state cimport T, W

ROLE_NAMES = ("h", "d", "in", "op", "f1", "f2", "gi", "go", "c1", "c2", "gg")
ROLE_COLUMN_NAMES = ("w", "t", "l")
SIBLING_ROLES = ("in", "op", "f1", "f2")

cdef atom_t NONE = 0x4e4f4e45


cdef inline void show(atom_t *window, int role, const Node *node, const Arc *arc) noexcept nogil:
    """Form, tag and label; an absent node is told by a sign of its own, and no form."""
    cdef atom_t *to = window + role * <int> ROLE_COLUMNS
    to[<int> FORM] = node.atom[<int> W] if node != NULL else 0
    to[<int> TAG] = node.atom[<int> T] if node != NULL else NONE
    to[<int> LABEL] = <atom_t> arc.label + 1 if arc != NULL else NONE


cdef inline void show_child(atom_t *window, int role, const Arc *arc) noexcept nogil:
    show(window, role, arc.child if arc != NULL else NULL, arc)


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
    """The leftmost child to the right of a place, one word left out."""
    cdef const Arc *best = NULL
    cdef const Arc *arc = node.arcs
    while arc != NULL:
        if arc.child.word > after and arc.child.word != but:
            if best == NULL or arc.child.word < best.child.word:
                best = arc
        arc = arc.next
    return best


cdef class GraphTemplates:
    """Templates over the roles of a factor."""

    def __cinit__(self, Templates siblings not None, Templates grandchildren not None):
        for templates in (siblings, grandchildren):
            if templates.lowest < 0 or templates.highest >= <int> ROLES * <int> ROLE_COLUMNS:
                raise ValueError("templates look outside the factor")
        self.siblings, self.grandchildren = siblings, grandchildren

    cdef void see_siblings(self, const Node *h, const Arc *arc, atom_t *window) noexcept nogil:
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
        show(window, HEAD, h, NULL)
        show(window, DEPENDENT, d, NULL)
        show_child(window, BETWEEN, between)
        show_child(window, OPPOSITE, outermost(h, not left))
        other = leftmost(h, 0, d.word)
        show_child(window, FIRST, other)
        show_child(window, SECOND, leftmost(h, other.child.word, d.word) if other != NULL else NULL)

    cdef void see_grandchildren(self, const Node *h, const Node *d, atom_t *window) noexcept nogil:
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
        show(window, HEAD, h, NULL)
        show(window, DEPENDENT, d, NULL)
        show_child(window, INNER, inner)
        show_child(window, OUTER, outer)
        arc = leftmost(d, 0, -1)
        show_child(window, CHILD1, arc)
        show_child(window, CHILD2, leftmost(d, arc.child.word, -1) if arc != NULL else NULL)
        if beyond != NULL:
            show_child(window, BEYOND, beyond)
        else:
            window[<int> BEYOND * <int> ROLE_COLUMNS + <int> FORM] = 0
            window[<int> BEYOND * <int> ROLE_COLUMNS + <int> TAG] = 0
            window[<int> BEYOND * <int> ROLE_COLUMNS + <int> LABEL] = 0
