"""Scores of the lemmas of one form: what form and tag say of the edits, and what the lemmas look like."""

from libc.math cimport exp
from libc.stdlib cimport calloc, free

import numpy as np

from plait.core._arrays cimport place
from plait.core._hashing cimport finish, hash_text, mix
from plait.core._types cimport key_t, score_t, uint32_t, uint64_t
from plait.core._weights cimport Scorer
from plait.core._templates cimport Templates


cdef enum:
    MOST = 4096     # templates of a set, as features/templates.py has it

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
        if hashes.dtype != np.uint32 or hashes.ndim != 1 or not (hashes[1:] > hashes[:max(len(hashes) - 1, 0)]).all():
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
        return place[uint32_t](self._hashes, value) >= 0

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


cdef uint64_t EMPTY = hash_text("", 0, 0)


cdef inline uint32_t joined(uint64_t kind, uint64_t a, uint64_t b) noexcept nogil:
    return <uint32_t> (finish(mix(mix(kind, a), b)) >> 32)


cdef uint32_t known_hash(uint64_t kind, str a, str b):
    return joined(kind, hash_text(a, 0, len(a)), hash_text(b, 0, len(b)))


cdef uint64_t spelling(int column, str text):
    """One column as ``word_atoms`` fills it: 0 the form, 1 its length, 100 + k a suffix, 200 + k a prefix."""
    cdef Py_ssize_t n = len(text)
    if column == 0:
        return hash_text(text, 0, n)
    if column == 1:
        return <uint64_t> min(n, 10) + 1
    if column > 200:
        return hash_text(text, 0, column - 200) if n >= column - 200 else 0
    return hash_text(text, n - (column - 100), n) if n >= column - 100 else 0


def spelling_codes(columns):
    """The columns of ``word_atoms`` as numbers."""
    kinds = {"w": 0, "len": 1}
    return np.array(
        [kinds[c] if c in kinds else (100 if c[:3] == "suf" else 200) + int(c[3:]) for c in columns], dtype=np.intc
    )


cdef class LemmaScorer:
    """Scores the candidates of a form under a tag; nothing in it changes in use.

    ``of_form`` and ``of_lemma`` are templates with their columns: (compiled, codes of the spelling, how many columns
    are their own, how many there are). ``edits`` and ``casings`` give every script its two labels in the first table.
    """

    cdef Scorer of_edits, of_lemmas
    cdef Templates form, lemma
    cdef KnownLemmas known
    cdef const int[::1] edits, casings, form_codes, lemma_codes
    cdef Py_ssize_t form_own, form_tag, form_width, lemma_own, lemma_tag, lemma_width

    def __init__(self, Scorer of_edits not None, Scorer of_lemmas not None, of_form, of_lemma,
                 KnownLemmas known not None, edits, casings):
        self.of_edits, self.of_lemmas, self.known = of_edits, of_lemmas, known
        self.edits, self.casings = edits, casings
        self.form, self.form_codes, own, self.form_width = of_form
        self.form_own, self.form_tag = len(self.form_codes), len(self.form_codes) + own
        self.lemma, self.lemma_codes, own, self.lemma_width = of_lemma
        self.lemma_own, self.lemma_tag = len(self.lemma_codes), len(self.lemma_codes) + own
        if self.form.count > MOST or self.lemma.count > MOST or self.form.lowest < 0 or self.lemma.lowest < 0:
            raise ValueError("templates that look outside a form")
        if self.form.highest >= self.form_width or self.lemma.highest >= self.lemma_width or of_lemmas.labels != 1:
            raise ValueError("templates that look outside a form")
        if len(edits) and not (0 <= min(*edits, *casings) and max(*edits, *casings) < of_edits.labels):
            raise ValueError(f"labels of scripts that are not among {of_edits.labels}")

    cdef int fill(self, str form, list candidates, int case, const uint64_t[::1] tag, str upos,
                  double *scores) except -1:
        """The score of each candidate."""
        cdef Py_ssize_t n = len(candidates), c, k, width = max(self.form_width, self.lemma_width)
        cdef key_t keys[MOST]
        cdef uint64_t upos_hash = hash_text(upos, 0, len(upos)), lemma_hash
        cdef str lemma, low = form.lower()
        cdef uint64_t low_hash = hash_text(low, 0, len(low))
        cdef bint some = False
        cdef int number
        cdef score_t one
        if tag.shape[0] != self.form_width - self.form_tag or tag.shape[0] != self.lemma_width - self.lemma_tag:
            raise ValueError(f"a tag of {tag.shape[0]} atoms")
        cdef score_t *row = <score_t *> calloc(self.of_edits.labels, sizeof(score_t))
        cdef uint64_t *atoms = <uint64_t *> calloc(width * (n + 1), sizeof(uint64_t))
        cdef uint64_t *at
        if row == NULL or atoms == NULL:
            free(row)
            free(atoms)
            raise MemoryError()
        try:
            for k in range(self.form_own):
                atoms[k] = spelling(self.form_codes[k], low)
            atoms[self.form_own] = 1
            atoms[self.form_own + 1] = <uint64_t> case
            for k in range(tag.shape[0]):
                atoms[self.form_tag + k] = tag[k]
            self.form.fill(atoms, keys)
            self.of_edits.add(keys, self.form.count, row)
            for c in range(n):
                at = atoms + width * (c + 1)
                number, lemma = candidates[c]
                if not 0 <= number < self.edits.shape[0]:
                    raise IndexError(f"script {number} of {self.edits.shape[0]}")
                scores[c] = <double> row[self.edits[number]] + <double> row[self.casings[number]]
                for k in range(self.lemma_own):
                    at[k] = spelling(self.lemma_codes[k], lemma)
                lemma_hash = hash_text(lemma, 0, len(lemma))
                at[self.lemma_own] = 1
                if self.known.has(joined(LEMMA, lemma_hash, EMPTY)):
                    at[self.lemma_own] = 3 if self.known.has(joined(TAGGED, lemma_hash, upos_hash)) else 2
                at[self.lemma_own + 2] = 1 if lemma == form else 2
                lemma = lemma.lower()
                lemma_hash = hash_text(lemma, 0, len(lemma))
                at[self.lemma_own + 1] = 2 if self.known.has(joined(PAIR, low_hash, lemma_hash)) else 3
                some = some or at[self.lemma_own + 1] == 2
                for k in range(tag.shape[0]):
                    at[self.lemma_tag + k] = tag[k]
            for c in range(n):
                at = atoms + width * (c + 1)
                if not some:
                    at[self.lemma_own + 1] = 1
                one = 0
                self.lemma.fill(at, keys)
                self.of_lemmas.add(keys, self.lemma.count, &one)
                scores[c] += <double> one
        finally:
            free(row)
            free(atoms)
        return 0

    def scores(self, str form not None, list candidates not None, int case, const uint64_t[::1] tag not None,
               str upos not None):
        """The score of each candidate; ``case`` is the casing class of the form, ``tag`` the atoms of its tag."""
        out = np.zeros(len(candidates) + 1, dtype=np.float64)
        cdef double[::1] scores = out
        self.fill(form, candidates, case, tag, upos, &scores[0])
        return out[:len(candidates)]

    def best(self, str form not None, list candidates not None, int case, const uint64_t[::1] tag not None,
             str upos not None):
        """The lemma with the highest probability, and that; several scripts may make the same lemma."""
        cdef Py_ssize_t c, n = len(candidates)
        cdef double top, total = 0, p
        cdef dict found = {}
        cdef double *scores = <double *> calloc(n + 1, sizeof(double))
        if scores == NULL:
            raise MemoryError()
        try:
            self.fill(form, candidates, case, tag, upos, scores)
            top = scores[0]
            for c in range(n):
                top = max(top, scores[c])
            for c in range(n):
                p = exp(scores[c] - top)
                total += p
                lemma = (<tuple> candidates[c])[1]
                if lemma in found:
                    found[lemma] = p + <double> found[lemma]
                else:
                    found[lemma] = p
        finally:
            free(scores)
        chosen, p = None, -1
        for lemma, value in found.items():
            if value > p:
                chosen, p = lemma, value
        return chosen, p / total
