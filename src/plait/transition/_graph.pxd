# Graph features: factors of two and three arcs, scored once, when no transition can change them any more.
#
# When d is attached to h, d is complete: so are the factors of h → d with children of d, and those of every arc d → x
# with other children of d. The latter do not depend on h; their sum is cached in the node.

from libc.stdint cimport int32_t

from plait.core._types cimport atom_t
from plait.core._templates cimport Templates
from plait.transition._state cimport Arc, Node, Sentence

cdef enum Role:         # the nodes of a factor around the arc h → d
    HEAD
    DEPENDENT
    BETWEEN             # 2a: child of h next to d, on its side towards h
    OPPOSITE            # 2b: outermost child of h on the other side
    FIRST               # 3a: the two leftmost other children of h
    SECOND
    INNER               # 2c: child of d farthest towards h, still between the two
    OUTER               # 2d: outermost child of d away from h
    CHILD1              # 3b: the two leftmost children of d
    CHILD2
    BEYOND              # 3c: outermost child of OUTER still farther out; absent without one
    ROLES

cdef enum RoleColumn:
    FORM
    TAG
    LABEL               # of the arc to the node
    ROLE_COLUMNS


cdef class GraphTemplates:
    cdef readonly Templates siblings        # of an arc and other children of its head
    cdef readonly Templates grandchildren   # of an arc and children of its dependent, or the arc alone

    cdef readonly Py_ssize_t columns        # of a role: ROLE_COLUMNS, then columns of words and of tags
    cdef Py_ssize_t extras
    cdef const int32_t[::1] extra           # [extras]: columns of the word matrix
    cdef Py_ssize_t of_tags
    cdef const int32_t[::1] of_tag          # [of_tags]: columns of tag features

    # window [ROLES][columns]
    cdef void fill_role(self, const Sentence *sentence, const Node *node, const Arc *arc, int role,
                        atom_t *window) noexcept nogil
    cdef void fill_child(self, const Sentence *sentence, const Arc *arc, int role, atom_t *window) noexcept nogil
    cdef void fill_siblings(self, const Sentence *sentence, const Node *h, const Arc *arc,
                            atom_t *window) noexcept nogil
    cdef void fill_grandchildren(self, const Sentence *sentence, const Node *h, const Node *d,
                                 atom_t *window) noexcept nogil
