# The candidate lemmas of a form as compiled code handles them: no Python string for any but the chosen one.

from plait.core._arrays cimport Arrays
from plait.core._memory cimport KeyMap
from plait.core._types cimport uint64_t
from plait.morphology._casing cimport CASING_COUNT


cdef struct Candidate:
    int number              # of the script
    Py_ssize_t start, end   # of the lemma in ``text``
    uint64_t lower_hash     # of the lemma in lower case; 0: it is the lemma itself
    uint64_t hash           # of the lemma, for its scores


cdef struct Candidates:     # of one form, in the order of the scripts' numbers
    Candidate *items
    Py_ssize_t count, capacity
    Py_UCS4 *text           # the form, then everything that was made of it
    Py_ssize_t used, size


cdef void free_candidates(Candidates *found) noexcept nogil
cdef str lemma_text(const Candidates *found, Py_ssize_t c)


cdef struct Step:           # of a script
    Py_ssize_t kept         # characters that stay; 0: some are replaced
    Py_ssize_t deleted      # where they begin in ``texts``: first what is deleted, ...
    Py_ssize_t inserted     # ... then what is inserted
    Py_ssize_t end


cdef struct Script:
    int casing              # its place in CASINGS
    Py_ssize_t first        # its steps: from the beginning of a form ...
    Py_ssize_t middle       # ... and, from this one on, up to its end
    Py_ssize_t end
    Py_ssize_t longer       # how much longer a lemma is than its form
    bint lower              # what is inserted is in lower case


cdef class ScriptIndex:
    cdef readonly Py_ssize_t count      # of scripts
    cdef Py_ssize_t longest[CASING_COUNT]   # ending of the scripts of a casing; -1: none
    cdef int casings        # number of casings up to the last one with a script
    cdef Script *scripts
    cdef Step *steps
    cdef Py_UCS4 *texts
    cdef int *numbers       # of the scripts; those of one ending and casing are adjacent
    cdef Arrays *arrays     # these four
    cdef KeyMap by_ending   # hash of casing and ending → Row: where its scripts start, and their number

    # every script that applies; what is found, zeros at first, keeps its memory for the next form; the caller frees it
    cdef int find(self, str form, Candidates *found) except -1
    # the lemma that one script makes of a form; None if it does not apply
    cdef str made_by(self, Py_ssize_t number, str form, Candidates *found)
    cdef int find_cased(self, str text, Py_ssize_t casing, bint of_underscore, Candidates *found) except -1
    cdef Py_ssize_t edit(self, const Script *script, Py_ssize_t base, Py_ssize_t n, Candidates *found) except -1
    cdef Py_UCS4 *copy_steps(self, Py_ssize_t first, Py_ssize_t end, const Py_UCS4 *form,
                             Py_UCS4 *target) noexcept nogil
