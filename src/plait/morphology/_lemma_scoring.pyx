"""Scores of the candidate lemmas of one form: from the form and its tag for the edits, and from the lemma itself."""

from libc.math cimport exp
from libc.stdint cimport uint8_t
from libc.stdlib cimport free
from libc.string cimport memcmp

import numpy as np

from plait.core._arrays cimport Arrays, allocated, free_arrays, new_array
from plait.core._hashing cimport hash_characters, hash_text, mix
from plait.core._memory cimport Slot, insert, prefetch_slot
from plait.core._templates cimport (
    Sums, TemplateGroups, Templates, clear_sums, close_sums, look_up, new_sum, open_sums, signature,
)
from plait.core._types cimport atom_t, key_t, score_t, uint32_t, uint64_t
from plait.core._weights cimport Scorer
from plait.morphology._known_words cimport EMPTY, LEMMA, PAIR, TAGGED, KnownLemmas, joined_hash
from plait.morphology._lemma_search cimport Candidates, ScriptIndex, free_candidates, lemma_text

cdef extern from "Python.h":
    Py_UCS4 *PyUnicode_AsUCS4(object text, Py_UCS4 *buffer, Py_ssize_t size, int with_null) except NULL


cdef enum:
    MAX_TEMPLATES = 4096    # of a set, the limit of features/templates.py
    MAX_SUMS = 1 << 17      # cached; then all are forgotten

cdef inline uint64_t spelling_atom(int column, const Py_UCS4 *text, Py_ssize_t n) noexcept nogil:
    """One column as ``word_atoms`` fills it: 0 the form, 1 its length, 100 + k a suffix, 200 + k a prefix."""
    if column == 0:
        return hash_characters(text, n)
    if column == 1:
        return <uint64_t> min(n, 10) + 1
    if column > 200:
        return hash_characters(text, column - 200) if n >= column - 200 else 0
    return hash_characters(text + n - (column - 100), column - 100) if n >= column - 100 else 0


def spelling_codes(columns):
    """The columns of ``word_atoms`` as numbers."""
    kinds = {"w": 0, "len": 1}
    return np.array(
        [kinds[c] if c in kinds else (100 if c[:3] == "suf" else 200) + int(c[3:]) for c in columns], dtype=np.intc
    )


cdef class LemmaScorer:
    """Scores the candidates of a form under a tag.

    Templates come with their columns: (templates, codes of the spelling, number of own columns, number of all columns).
    ``edits`` and ``casings`` are the two labels of every script in the first table. Templates of lemmas that look at
    the same ending, or at the same properties, form a group, and the sums of groups are cached: many lemmas of one tag
    end alike.
    """

    cdef Scorer edit_weights, lemma_weights
    cdef Templates form_templates
    cdef TemplateGroups lemma_groups
    cdef Sums sums                      # of the groups, by their contents; only used while nothing else can run
    cdef const uint8_t[::1] of_tag      # [groups]: whether templates of the group look at the tag
    cdef ScriptIndex scripts
    cdef KnownLemmas known
    cdef const int[::1] edits, casings, form_codes, lemma_codes
    cdef Py_ssize_t form_own_at, form_tag_at, form_width, lemma_own_at, lemma_tag_at, lemma_width

    def __init__(self, Scorer edit_weights not None, Scorer lemma_weights not None, form_templates, lemma_templates,
                 of_tag, ScriptIndex scripts not None, KnownLemmas known not None, edits, casings):
        self.edit_weights, self.lemma_weights, self.known, self.scripts = edit_weights, lemma_weights, known, scripts
        self.edits, self.casings, self.of_tag = edits, casings, of_tag
        self.form_templates, self.form_codes, own, self.form_width = form_templates
        self.form_own_at, self.form_tag_at = len(self.form_codes), len(self.form_codes) + own
        self.lemma_groups, self.lemma_codes, own, self.lemma_width = lemma_templates
        self.lemma_own_at, self.lemma_tag_at = len(self.lemma_codes), len(self.lemma_codes) + own
        cdef Templates templates = self.lemma_groups.templates
        if (max(self.form_templates.count, templates.count) > MAX_TEMPLATES
                or min(self.form_templates.lowest, templates.lowest) < 0):
            raise ValueError("templates that look outside a form")
        if (self.form_templates.highest >= self.form_width or templates.highest >= self.lemma_width
                or lemma_weights.labels != 1):
            raise ValueError("templates that look outside a form")
        if len(edits) != scripts.count or len(casings) != len(edits) or len(of_tag) != self.lemma_groups.count:
            raise ValueError(f"{len(edits)} labels for {scripts.count} edit scripts")
        if len(edits) and not (0 <= min(*edits, *casings) and max(*edits, *casings) < edit_weights.labels):
            raise ValueError(f"labels of scripts that are not among {edit_weights.labels}")
        open_sums(&self.sums, MAX_TEMPLATES, self.lemma_groups.count)

    def __dealloc__(self):
        close_sums(&self.sums)

    cdef int compute_scores(self, const Candidates *found, str form, int case, const uint64_t[::1] tag, str upos,
                            double *scores) except -1:
        """The score of each candidate."""
        cdef str lower = form.lower()
        if tag.shape[0] != self.form_width - self.form_tag_at or tag.shape[0] != self.lemma_width - self.lemma_tag_at:
            raise ValueError(f"a tag of {tag.shape[0]} atoms")
        cdef Arrays *arrays = NULL
        cdef score_t *row
        cdef atom_t *atoms
        cdef Py_UCS4 *text
        try:
            row = <score_t *> new_array(&arrays, self.edit_weights.labels * sizeof(score_t))
            atoms = <atom_t *> new_array(
                &arrays, max(self.form_width, self.lemma_width * found.count) * sizeof(atom_t))
            text = <Py_UCS4 *> new_array(&arrays, (len(lower) + 1) * sizeof(Py_UCS4))
            PyUnicode_AsUCS4(lower, text, len(lower) + 1, 1)
            self.add_edits(found, text, len(lower), case, tag, atoms, row, scores)
            self.fill_lemmas(found, len(form), hash_characters(text, len(lower)), hash_text(upos, 0, len(upos)), tag,
                             atoms)
            self.add_lemmas(found.count, atoms, tag, scores)
        finally:
            free_arrays(&arrays)
        return 0

    cdef void add_edits(self, const Candidates *found, const Py_UCS4 *lower, Py_ssize_t n, int case,
                        const uint64_t[::1] tag, atom_t *atoms, score_t *row, double *scores) noexcept nogil:
        """What the form and its tag say of the edit and of the casing of each script."""
        cdef key_t keys[MAX_TEMPLATES]
        cdef Py_ssize_t k, c
        for k in range(self.form_own_at):
            atoms[k] = spelling_atom(self.form_codes[k], lower, n)
        atoms[self.form_own_at] = 1
        atoms[self.form_own_at + 1] = <uint64_t> case
        for k in range(tag.shape[0]):
            atoms[self.form_tag_at + k] = tag[k]
        self.form_templates.fill(atoms, keys)
        self.edit_weights.add(keys, self.form_templates.count, row)
        for c in range(found.count):
            k = found.items[c].number
            scores[c] = <double> row[self.edits[k]] + <double> row[self.casings[k]]

    cdef void fill_lemmas(self, const Candidates *found, Py_ssize_t n, uint64_t lower_hash, uint64_t upos_hash,
                          const uint64_t[::1] tag, atom_t *atoms) noexcept nogil:
        """The atoms of each candidate; ``n`` is the length of the form, which stands at the beginning of the text."""
        cdef Py_ssize_t c, k, length, width = self.lemma_width
        cdef const Py_UCS4 *text
        cdef uint64_t hashed
        cdef atom_t *own
        cdef bint some = False
        for c in range(found.count):
            text, length = found.text + found.items[c].start, found.items[c].end - found.items[c].start
            for k in range(self.lemma_own_at):
                atoms[c * width + k] = spelling_atom(self.lemma_codes[k], text, length)
            own = atoms + c * width + self.lemma_own_at
            hashed = hash_characters(text, length)
            own[0] = joined_hash(LEMMA, hashed, EMPTY)
            own[1] = joined_hash(PAIR, lower_hash, found.items[c].lower_hash if found.items[c].lower_hash else hashed)
            own[2] = joined_hash(TAGGED, hashed, upos_hash)
            for k in range(3):
                self.known.expect(<uint32_t> own[k])
            for k in range(tag.shape[0]):
                atoms[c * width + self.lemma_tag_at + k] = tag[k]
        for c in range(found.count):
            text, length = found.text + found.items[c].start, found.items[c].end - found.items[c].start
            own = atoms + c * width + self.lemma_own_at
            own[0] = 1 if not self.known.has(<uint32_t> own[0]) else 3 if self.known.has(<uint32_t> own[2]) else 2
            own[1] = 2 if self.known.has(<uint32_t> own[1]) else 3
            own[2] = 1 if length == n and memcmp(text, found.text, n * sizeof(Py_UCS4)) == 0 else 2
            some = some or own[1] == 2
        if not some:
            for c in range(found.count):
                atoms[c * width + self.lemma_own_at + 1] = 1

    cdef int add_lemmas(self, Py_ssize_t count, const atom_t *atoms, const uint64_t[::1] tag,
                        double *scores) except -1:
        """What the lemmas themselves say: the sums of their groups, those from the cache and new ones."""
        cdef Py_ssize_t k, groups = self.lemma_groups.count, width = self.lemma_width
        cdef uint64_t of_tag = 0, seen
        cdef Slot *slot
        cdef Arrays *arrays = NULL
        cdef key_t *keys
        cdef const score_t **parts
        for k in range(tag.shape[0]):
            of_tag = mix(of_tag, tag[k])
        try:
            keys = <key_t *> new_array(&arrays, count * groups * sizeof(key_t))
            parts = <const score_t **> new_array(&arrays, count * groups * sizeof(score_t *))
            if self.sums.memo.count > MAX_SUMS:
                clear_sums(&self.sums)
            for k in range(count * groups):
                seen = of_tag if self.of_tag[k % groups] else 1
                keys[k] = signature(self.lemma_groups, k % groups, atoms + k // groups * width, seen)
                prefetch_slot(&self.sums.memo, keys[k])
            for k in range(count * groups):
                if keys[k] == 0:
                    continue
                slot = insert(&self.sums.memo, keys[k])
                if slot.value.pointer == NULL:
                    if self.sums.waiting + self.lemma_groups.templates.count > MAX_TEMPLATES:
                        look_up(&self.sums, self.lemma_weights)
                    slot.value.pointer = new_sum(
                        &self.sums, self.lemma_groups, k % groups, atoms + k // groups * width, 1)
                parts[k] = <const score_t *> slot.value.pointer
            look_up(&self.sums, self.lemma_weights)
            for k in range(count * groups):
                if parts[k] != NULL:
                    scores[k // groups] += <double> parts[k][0]
        except MemoryError:
            clear_sums(&self.sums)      # some are without their rows
            raise
        finally:
            free_arrays(&arrays)
        return 0

    def scored(self, str form not None, int case, const uint64_t[::1] tag not None, str upos not None):
        """The candidates and their scores; ``case`` is the casing class of the form, ``tag`` the atoms of its tag."""
        cdef Candidates found
        cdef double[::1] scores
        cdef Py_ssize_t c
        try:
            self.scripts.find(form, &found)
            out = np.zeros(found.count + 1, dtype=np.float64)
            scores = out
            self.compute_scores(&found, form, case, tag, upos, &scores[0])
            lemmas = [(found.items[c].number, lemma_text(&found, c)) for c in range(found.count)]
            return lemmas, out[:found.count]
        finally:
            free_candidates(&found)

    def best(self, str form not None, int case, const uint64_t[::1] tag not None, str upos not None):
        """The most probable lemma and its probability; the form itself if there is no candidate."""
        cdef Candidates found
        cdef double *scores = NULL
        cdef Py_ssize_t chosen
        cdef double p
        try:
            self.scripts.find(form, &found)
            if found.count < 2:
                return (lemma_text(&found, 0) if found.count else form), 1.0
            scores = <double *> allocated(found.count * sizeof(double))
            self.compute_scores(&found, form, case, tag, upos, scores)
            chosen = most_probable(&found, scores, &p)
            return lemma_text(&found, chosen), p
        finally:
            free(scores)
            free_candidates(&found)


cdef bint are_equal(const Candidates *found, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    """Whether two candidates are the same lemma."""
    cdef Py_ssize_t n = found.items[a].end - found.items[a].start
    return n == found.items[b].end - found.items[b].start and memcmp(
        found.text + found.items[a].start, found.text + found.items[b].start, n * sizeof(Py_UCS4)) == 0


cdef Py_ssize_t most_probable(const Candidates *found, double *scores, double *probability) noexcept nogil:
    """The candidate whose lemma is the most probable one; several scripts may make the same lemma. Changes the scores.
    """
    cdef double top = scores[0], total = 0
    cdef Py_ssize_t c, d, chosen = 0
    for c in range(found.count):
        top = max(top, scores[c])
    for c in range(found.count):
        scores[c] = exp(scores[c] - top)
        total += scores[c]
        for d in range(c):
            if are_equal(found, c, d):
                scores[d] += scores[c]
                scores[c] = 0
                break
    for c in range(found.count):
        if scores[c] > scores[chosen]:
            chosen = c
    probability[0] = scores[chosen] / total
    return chosen
