# Context beyond the window of the templates: the nearest verbs and the nearest preposition of the clause.

from libc.stdint cimport int32_t, uint8_t, uint64_t

from plait.core._types cimport atom_t

cdef enum:
    NO_WORD = 2                 # the atom where there is no such word


cdef struct NearestColumns:     # columns of a matrix of atoms; verb < 0: no template uses them
    int32_t verb                # the word's form if it is usually a verb, else 0
    int32_t prep                # likewise for prepositions and postpositions
    int32_t stop                # not 0 where a clause ends: punctuation, subordinating conjunctions
    int32_t lverb               # filled in: the nearest verb to the left in the clause ...
    int32_t rverb               # ... to the right ...
    int32_t lprep               # ... and the nearest preposition to the left, with no verb between


# the class of one word and its kind, see fill_classes
cdef void fill_class(atom_t *row, Py_ssize_t column, const uint64_t[::1] words, const uint64_t[::1] symbols,
                     const uint8_t[::1] kinds) noexcept nogil


cdef inline void fill_nearest(atom_t *atoms, Py_ssize_t n, Py_ssize_t width,
                              const NearestColumns *columns) noexcept nogil:
    """Fill in the nearest verbs and prepositions; ``atoms`` points at the first of n rows."""
    cdef atom_t verb = NO_WORD, prep = NO_WORD
    cdef atom_t *row
    cdef Py_ssize_t i
    if columns.verb < 0:
        return
    for i in range(n):
        row = atoms + i * width
        row[columns.lverb] = verb
        row[columns.lprep] = prep
        if row[columns.stop] != 0:
            verb = prep = NO_WORD
        elif row[columns.verb] != 0:
            verb = row[columns.verb]
            prep = NO_WORD
        elif row[columns.prep] != 0:
            prep = row[columns.prep]
    verb = NO_WORD
    for i in range(n - 1, -1, -1):
        row = atoms + i * width
        row[columns.rverb] = verb
        if row[columns.stop] != 0:
            verb = NO_WORD
        elif row[columns.verb] != 0:
            verb = row[columns.verb]
