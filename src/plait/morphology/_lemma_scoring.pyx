"""Scores of the candidate lemmas of one form: from the form and its tag for the edits, and from the lemma itself."""

from libc.math cimport exp
from libc.string cimport memcmp, memcpy, memset

import numpy as np

from plait.core._hashing cimport hash_characters
from plait.core._memory cimport Slot, insert, prefetch_slot, release, rewind, take
from plait.core._templates cimport (
    Templates, clear_sums, close_sums, look_up, new_sum, open_sums, signature,
)
from plait.core._types cimport atom_t, key_t, score_t, uint32_t, uint64_t
from plait.core._weights cimport Scorer
from plait.morphology._known_words cimport EMPTY, LEMMA, PAIR, TAGGED, KnownLemmas, joined_hash
from plait.morphology._lemma_search cimport Candidate, Candidates, ScriptIndex, free_candidates, lemma_text
from plait.morphology._word_tag cimport COLUMNS, WordTag

cdef extern from "Python.h":
    Py_UCS4 *PyUnicode_AsUCS4(object text, Py_UCS4 *buffer, Py_ssize_t size, int with_null) except NULL


cdef enum:
    MAX_TEMPLATES = 4096    # of a set, the limit of features/templates.py
    MAX_SUMS = 1 << 17      # cached; then all are forgotten
    MAX_KEPT = 1 << 18      # characters of the candidates of one word, in memory that stays allocated


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


def casing_class(str form not None):
    """1 lower, 2 only the first letter upper, 3 all upper, 4 mixed, 5 no letters with case, 6 one upper letter.

    >>> [casing_class(form) for form in ("dog", "Dog", "DOG", "iPod", "42", "I")]
    [1, 2, 3, 4, 5, 6]
    """
    return class_of(form, form.lower())


cdef int class_of(str form, str lower) except -1:
    """The same; ``lower`` is the form in lower case."""
    cdef str upper = form.upper()
    if lower == upper:
        return 5
    if form == lower:
        return 1
    if form == upper:
        return 6 if len(form) == 1 else 3
    return 2 if form[0] != lower[0] and form[1:] == lower[1:] else 4


cdef class Workspace:
    """Memory for one word after the other."""

    def __dealloc__(self):
        free_candidates(&self.found)
        release(&self.arena)


cdef class LemmaScorer:
    """Scores the candidates of a form under a tag.

    Templates come with their columns: (templates, codes of the spelling, number of own columns, number of all columns).
    ``edits`` and ``casings`` are the two labels of every script in the first table. Templates of lemmas that look at
    the same ending, or at the same properties, form a group, and the sums of groups are cached: many lemmas of one tag
    end alike.
    """

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
        if self.form_width != self.form_tag_at + COLUMNS or self.lemma_width != self.lemma_tag_at + COLUMNS:
            raise ValueError("templates of other tags")
        if len(edits) != scripts.count or len(casings) != len(edits) or len(of_tag) != self.lemma_groups.count:
            raise ValueError(f"{len(edits)} labels for {scripts.count} edit scripts")
        if len(edits) and not (0 <= min(*edits, *casings) and max(*edits, *casings) < edit_weights.labels):
            raise ValueError(f"labels of scripts that are not among {edit_weights.labels}")
        open_sums(&self.sums, MAX_TEMPLATES, self.lemma_groups.count)
        self.idle = []

    def __dealloc__(self):
        close_sums(&self.sums)

    cdef Workspace workspace(self):
        """Memory that no other thread uses; ``put_back`` returns it."""
        try:
            return self.idle.pop()
        except IndexError:
            return Workspace()

    cdef int put_back(self, Workspace space) except -1:
        """Keep the memory for another word, unless an endless one has made it large."""
        if space.found.size <= MAX_KEPT:
            self.idle.append(space)
        return 0

    cdef double *candidate_scores(self, Workspace space, str form, WordTag tag) except NULL:
        """Find the candidates of a form and score them."""
        cdef str lower = form.lower()
        cdef int case = class_of(form, lower)
        cdef Candidates *found = &space.found
        cdef Py_UCS4 *text
        cdef double *scores
        self.scripts.find(form, found)
        rewind(&space.arena)
        scores = <double *> take(&space.arena, (found.count + 1) * sizeof(double))
        text = <Py_UCS4 *> take(&space.arena, (len(lower) + 1) * sizeof(Py_UCS4))
        PyUnicode_AsUCS4(lower, text, len(lower) + 1, 1)
        self.add_edits(space, text, len(lower), case, tag, scores)
        self.add_lemmas(space, len(form), hash_characters(text, len(lower)), tag, scores)
        return scores

    cdef int add_edits(self, Workspace space, const Py_UCS4 *lower, Py_ssize_t n, int case, WordTag tag,
                       double *scores) except -1:
        """What the form and its tag say of the edit and of the casing of each script."""
        cdef const Candidates *found = &space.found
        cdef size_t size = self.edit_weights.labels * sizeof(score_t)
        cdef score_t *row = <score_t *> take(&space.arena, size)
        cdef atom_t *atoms = <atom_t *> take(&space.arena, self.form_width * sizeof(atom_t))
        cdef key_t keys[MAX_TEMPLATES]
        cdef Py_ssize_t k, c
        memset(row, 0, size)
        for k in range(self.form_own_at):
            atoms[k] = spelling_atom(self.form_codes[k], lower, n)
        atoms[self.form_own_at] = 1
        atoms[self.form_own_at + 1] = <uint64_t> case
        memcpy(atoms + self.form_tag_at, tag.atoms, COLUMNS * sizeof(atom_t))
        self.form_templates.fill(atoms, keys)
        self.edit_weights.add(keys, self.form_templates.count, row)
        for c in range(found.count):
            k = found.items[c].number
            scores[c] = <double> row[self.edits[k]] + <double> row[self.casings[k]]
        return 0

    cdef void fill_lemmas(self, Candidates *found, Py_ssize_t n, uint64_t lower_hash, uint64_t upos_hash,
                          atom_t *atoms) noexcept nogil:
        """The atoms of each candidate without those of the tag; ``n`` is the length of the form, which comes first in
        the text.
        """
        cdef Py_ssize_t c, k, length, width = self.lemma_tag_at
        cdef const Py_UCS4 *text
        cdef Candidate *lemma
        cdef atom_t *own
        cdef bint some = False
        for c in range(found.count):
            lemma = found.items + c
            text, length = found.text + lemma.start, lemma.end - lemma.start
            for k in range(self.lemma_own_at):
                atoms[c * width + k] = spelling_atom(self.lemma_codes[k], text, length)
            own = atoms + c * width + self.lemma_own_at
            lemma.hash = hash_characters(text, length)
            own[0] = joined_hash(LEMMA, lemma.hash, EMPTY)
            own[1] = joined_hash(PAIR, lower_hash, lemma.lower_hash if lemma.lower_hash else lemma.hash)
            own[2] = joined_hash(TAGGED, lemma.hash, upos_hash)
            for k in range(3):
                self.known.expect(<uint32_t> own[k])
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

    cdef int add_lemmas(self, Workspace space, Py_ssize_t length, uint64_t lower_hash, WordTag tag,
                        double *scores) except -1:
        """What the lemmas themselves say: the sums of their groups, those from the cache and new ones."""
        cdef Py_ssize_t count = space.found.count, groups = self.lemma_groups.count, width = self.lemma_tag_at, c, g
        cdef Py_ssize_t k = 0
        cdef Slot *slot
        cdef atom_t *atoms = <atom_t *> take(&space.arena, count * width * sizeof(atom_t))
        cdef atom_t *row = <atom_t *> take(&space.arena, self.lemma_width * sizeof(atom_t))     # with the tag
        cdef key_t *keys = <key_t *> take(&space.arena, count * groups * sizeof(key_t))
        cdef const score_t **parts = <const score_t **> take(&space.arena, count * groups * sizeof(score_t *))
        self.fill_lemmas(&space.found, length, lower_hash, tag.upos_hash, atoms)
        memcpy(row + width, tag.atoms, COLUMNS * sizeof(atom_t))
        try:        # nothing else can run until the sums are added up
            if self.sums.memo.count > MAX_SUMS:
                clear_sums(&self.sums)
            for c in range(count):
                for g in range(groups):
                    keys[k] = signature(self.lemma_groups, g, atoms + c * width, tag.mixed if self.of_tag[g] else 1)
                    prefetch_slot(&self.sums.memo, keys[k])
                    k += 1
            k = 0
            for c in range(count):
                for g in range(groups):
                    parts[k] = NULL
                    if keys[k] != 0:
                        slot = insert(&self.sums.memo, keys[k])
                        if slot.value.pointer == NULL:
                            if self.sums.waiting + self.lemma_groups.templates.count > MAX_TEMPLATES:
                                look_up(&self.sums, self.lemma_weights)
                            memcpy(row, atoms + c * width, width * sizeof(atom_t))
                            slot.value.pointer = new_sum(&self.sums, self.lemma_groups, g, row, 1)
                        parts[k] = <const score_t *> slot.value.pointer
                    k += 1
            look_up(&self.sums, self.lemma_weights)
        except MemoryError:
            clear_sums(&self.sums)      # some are without their rows
            raise
        for c in range(count):
            for k in range(c * groups, (c + 1) * groups):
                if parts[k] != NULL:
                    scores[c] += <double> parts[k][0]
        return 0

    def scored(self, str form not None, WordTag tag not None):
        """The candidates and their scores."""
        cdef Workspace space = self.workspace()
        cdef const double *scores = self.candidate_scores(space, form, tag)
        cdef Py_ssize_t c
        lemmas = [(space.found.items[c].number, lemma_text(&space.found, c)) for c in range(space.found.count)]
        out = np.array([scores[c] for c in range(space.found.count)], dtype=np.float64)
        self.put_back(space)
        return lemmas, out

    cdef str best_lemma(self, str form, WordTag tag, double *probability):
        cdef Workspace space = self.workspace()
        cdef double *scores = self.candidate_scores(space, form, tag)
        cdef str lemma = form
        probability[0] = 1.0
        if space.found.count > 0:
            lemma = lemma_text(&space.found, most_probable(&space.found, scores, probability))
        self.put_back(space)
        return lemma

    def best(self, str form not None, WordTag tag not None):
        """The most probable lemma and its probability; the form itself if there is no candidate."""
        cdef double p
        lemma = self.best_lemma(form, tag, &p)
        return lemma, p

    cdef str edited(self, str form, Py_ssize_t script):
        cdef Workspace space = self.workspace()
        cdef str lemma = self.scripts.made_by(script, form, &space.found)
        self.put_back(space)
        return lemma


cdef bint are_equal(const Candidates *found, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    """Whether two candidates are the same lemma."""
    cdef Py_ssize_t n = found.items[a].end - found.items[a].start
    if found.items[a].hash != found.items[b].hash:
        return False
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
