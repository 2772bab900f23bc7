"""Scores of the candidate lemmas of one form: from the form and its tag for the edits, and from the lemma itself."""

from libc.math cimport exp
from libc.stdlib cimport calloc, free

import numpy as np

from plait.core._arrays cimport place
from plait.core._hashing cimport finish, hash_text, mix
from plait.core._types cimport key_t, score_t, uint32_t, uint64_t
from plait.core._weights cimport Scorer
from plait.core._templates cimport Templates


cdef enum:
    MAX_TEMPLATES = 4096    # of a set, the limit of features/templates.py

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
        """For each lemma, whether it is known, and whether it is known as a lemma of this form.

        The first: 3 with this part of speech, 2 with another, 1 unknown. The second: 2 yes, 3 no but another of these
        lemmas is, 1 the form is new.
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


cdef inline uint32_t joined_hash(uint64_t kind, uint64_t a, uint64_t b) noexcept nogil:
    return <uint32_t> (finish(mix(mix(kind, a), b)) >> 32)


cdef uint32_t known_hash(uint64_t kind, str a, str b):
    return joined_hash(kind, hash_text(a, 0, len(a)), hash_text(b, 0, len(b)))


cdef uint64_t spelling_atom(int column, str text):
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

    ``form_templates`` and ``lemma_templates`` are templates with their columns: (compiled, codes of the spelling,
    number of own columns, number of all columns). ``edits`` and ``casings`` are the two labels of every script in the
    first table.
    """

    cdef Scorer edit_weights, lemma_weights
    cdef Templates form_templates, lemma_templates
    cdef KnownLemmas known
    cdef const int[::1] edits, casings, form_codes, lemma_codes
    cdef Py_ssize_t form_own_at, form_tag_at, form_width, lemma_own_at, lemma_tag_at, lemma_width

    def __init__(self, Scorer edit_weights not None, Scorer lemma_weights not None, form_templates, lemma_templates,
                 KnownLemmas known not None, edits, casings):
        self.edit_weights, self.lemma_weights, self.known = edit_weights, lemma_weights, known
        self.edits, self.casings = edits, casings
        self.form_templates, self.form_codes, own, self.form_width = form_templates
        self.form_own_at, self.form_tag_at = len(self.form_codes), len(self.form_codes) + own
        self.lemma_templates, self.lemma_codes, own, self.lemma_width = lemma_templates
        self.lemma_own_at, self.lemma_tag_at = len(self.lemma_codes), len(self.lemma_codes) + own
        if (max(self.form_templates.count, self.lemma_templates.count) > MAX_TEMPLATES
                or min(self.form_templates.lowest, self.lemma_templates.lowest) < 0):
            raise ValueError("templates that look outside a form")
        if (self.form_templates.highest >= self.form_width or self.lemma_templates.highest >= self.lemma_width
                or lemma_weights.labels != 1):
            raise ValueError("templates that look outside a form")
        if len(edits) and not (0 <= min(*edits, *casings) and max(*edits, *casings) < edit_weights.labels):
            raise ValueError(f"labels of scripts that are not among {edit_weights.labels}")

    cdef int compute_scores(self, str form, list candidates, int case, const uint64_t[::1] tag, str upos,
                            double *scores) except -1:
        """The score of each candidate."""
        cdef Py_ssize_t n = len(candidates), c, k, width = max(self.form_width, self.lemma_width)
        cdef key_t keys[MAX_TEMPLATES]
        cdef uint64_t upos_hash = hash_text(upos, 0, len(upos)), lemma_hash
        cdef str lemma, low = form.lower()
        cdef uint64_t low_hash = hash_text(low, 0, len(low))
        cdef bint some = False
        cdef int number
        cdef score_t one
        if tag.shape[0] != self.form_width - self.form_tag_at or tag.shape[0] != self.lemma_width - self.lemma_tag_at:
            raise ValueError(f"a tag of {tag.shape[0]} atoms")
        cdef score_t *row = <score_t *> calloc(self.edit_weights.labels, sizeof(score_t))
        cdef uint64_t *atoms = <uint64_t *> calloc(width * (n + 1), sizeof(uint64_t))
        cdef uint64_t *at
        if row == NULL or atoms == NULL:
            free(row)
            free(atoms)
            raise MemoryError()
        try:
            for k in range(self.form_own_at):
                atoms[k] = spelling_atom(self.form_codes[k], low)
            atoms[self.form_own_at] = 1
            atoms[self.form_own_at + 1] = <uint64_t> case
            for k in range(tag.shape[0]):
                atoms[self.form_tag_at + k] = tag[k]
            self.form_templates.fill(atoms, keys)
            self.edit_weights.add(keys, self.form_templates.count, row)
            for c in range(n):
                at = atoms + width * (c + 1)
                number, lemma = candidates[c]
                if not 0 <= number < self.edits.shape[0]:
                    raise IndexError(f"script {number} of {self.edits.shape[0]}")
                scores[c] = <double> row[self.edits[number]] + <double> row[self.casings[number]]
                for k in range(self.lemma_own_at):
                    at[k] = spelling_atom(self.lemma_codes[k], lemma)
                lemma_hash = hash_text(lemma, 0, len(lemma))
                at[self.lemma_own_at] = 1
                if self.known.has(joined_hash(LEMMA, lemma_hash, EMPTY)):
                    at[self.lemma_own_at] = 3 if self.known.has(joined_hash(TAGGED, lemma_hash, upos_hash)) else 2
                at[self.lemma_own_at + 2] = 1 if lemma == form else 2
                lemma = lemma.lower()
                lemma_hash = hash_text(lemma, 0, len(lemma))
                at[self.lemma_own_at + 1] = 2 if self.known.has(joined_hash(PAIR, low_hash, lemma_hash)) else 3
                some = some or at[self.lemma_own_at + 1] == 2
                for k in range(tag.shape[0]):
                    at[self.lemma_tag_at + k] = tag[k]
            for c in range(n):
                at = atoms + width * (c + 1)
                if not some:
                    at[self.lemma_own_at + 1] = 1
                one = 0
                self.lemma_templates.fill(at, keys)
                self.lemma_weights.add(keys, self.lemma_templates.count, &one)
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
        self.compute_scores(form, candidates, case, tag, upos, &scores[0])
        return out[:len(candidates)]

    def best(self, str form not None, list candidates not None, int case, const uint64_t[::1] tag not None,
             str upos not None):
        """The most probable lemma and its probability; several scripts may produce the same lemma."""
        cdef Py_ssize_t c, n = len(candidates)
        cdef double top, total = 0, p
        cdef dict found = {}
        cdef double *scores = <double *> calloc(n + 1, sizeof(double))
        if scores == NULL:
            raise MemoryError()
        try:
            self.compute_scores(form, candidates, case, tag, upos, scores)
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
