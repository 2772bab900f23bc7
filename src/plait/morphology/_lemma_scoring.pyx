"""Scores of the lemmas of one form: what form and tag say of the edits, and what the lemmas look like."""

from libc.stdlib cimport calloc, free

import numpy as np

from plait.core._hashing cimport finish, hash_text, mix
from plait.core._types cimport key_t, score_t, uint32_t, uint64_t
from plait.core._weights cimport Scorer
from plait.core._templates cimport Templates


cdef enum:
    LEMMA
    TAGGED
    PAIR


cdef class KnownLemmas:
    """What training has seen, as 32-bit hashes: lemmas alone, lemmas with a part of speech, and forms with lemmas.

    >>> known = KnownLemmas.of([("dogs", "NOUN", "dog")])
    >>> known.levels("dogs", ["dog", "dogs"], "NOUN"), known.levels("dog", ["dog"], "VERB")
    (([3, 1], [2, 3]), ([2], [1]))
    """

    cdef readonly object hashes     # uint32 [...], ascending
    cdef const uint32_t[::1] _hashes

    def __cinit__(self, hashes):
        if hashes.dtype != np.uint32 or hashes.ndim != 1 or not (hashes[1:] > hashes[:-1]).all():
            raise ValueError("the known lemmas are damaged")
        self.hashes = np.ascontiguousarray(hashes)
        self._hashes = self.hashes

    def __len__(self):
        return len(self.hashes)

    @classmethod
    def of(cls, words):
        """From (form, UPOS, lemma)."""
        found = set()
        for form, upos, lemma in words:
            found.add(known_hash(LEMMA, lemma, ""))
            found.add(known_hash(TAGGED, lemma, upos))
            found.add(known_hash(PAIR, form.lower(), lemma.lower()))
        return cls(np.array(sorted(found), dtype=np.uint32))

    cdef bint has(self, uint32_t value) noexcept nogil:
        cdef Py_ssize_t low = 0, high = self._hashes.shape[0], middle
        while low < high:
            middle = (low + high) // 2
            if self._hashes[middle] < value:
                low = middle + 1
            else:
                high = middle
        return low < self._hashes.shape[0] and self._hashes[low] == value

    def levels(self, str form not None, list lemmas not None, str upos not None):
        """Of each lemma whether it is known, and whether it is known as that of this form.

        The first: 3 with this part of speech, 2 with another, 1 not at all. The second: 2 yes, 3 no but another of
        these lemmas is, 1 the form is new.
        """
        cdef list known = [], seen = []
        cdef str lemma, lower = form.lower()
        cdef bint some = False
        for lemma in lemmas:
            if not self.has(known_hash(LEMMA, lemma, "")):
                known.append(1)
            else:
                known.append(3 if self.has(known_hash(TAGGED, lemma, upos)) else 2)
            if self.has(known_hash(PAIR, lower, lemma.lower())):
                seen.append(2)
                some = True
            else:
                seen.append(3)
        return known, seen if some else [1] * len(seen)


cdef uint32_t known_hash(uint64_t kind, str a, str b):
    cdef uint64_t h = mix(kind, hash_text(a, 0, len(a)))
    return <uint32_t> (finish(mix(h, hash_text(b, 0, len(b)))) >> 32)


def score_candidates(Scorer edits not None, Scorer lemmas not None, Templates of_form not None,
                     Templates of_lemma not None, const uint64_t[::1] form not None,
                     const uint64_t[:, ::1] made not None, const int[::1] edit not None,
                     const int[::1] casing not None):
    """The score of each candidate: rows of ``form``, at its edit and its casing, and the sum of rows of its lemma.

    ``form`` are the atoms of the form and its tag, ``made`` those of each lemma; ``edit`` and ``casing`` are labels of
    the table of edits.
    """
    cdef Py_ssize_t n = made.shape[0], c, forms = of_form.count, keys_of_lemma = of_lemma.count
    cdef key_t keys[4096]
    cdef score_t one
    if forms > 4096 or keys_of_lemma > 4096 or of_form.lowest < 0 or of_lemma.lowest < 0:
        raise ValueError("templates that look outside a form")
    if of_form.highest >= form.shape[0] or of_lemma.highest >= made.shape[1] or lemmas.labels != 1:
        raise ValueError("templates that look outside a form")
    if edit.shape[0] != n or casing.shape[0] != n:
        raise ValueError("candidates without an edit")
    for c in range(n):
        if not (0 <= edit[c] < edits.labels and 0 <= casing[c] < edits.labels):
            raise ValueError(f"label {max(edit[c], casing[c])} of {edits.labels}")
    out = np.empty(n, dtype=np.float64)
    cdef double[::1] scores = out
    cdef score_t *row = <score_t *> calloc(edits.labels + 1, sizeof(score_t))
    if row == NULL:
        raise MemoryError()
    with nogil:
        of_form.fill(&form[0], keys)
        edits.add(keys, forms, row)
        for c in range(n):
            one = 0
            of_lemma.fill(&made[c, 0], keys)
            lemmas.add(keys, keys_of_lemma, &one)
            scores[c] = <double> row[edit[c]] + <double> row[casing[c]] + <double> one
    free(row)
    return out
