"""The scripts that apply to a form, found by what the form ends in."""

from libc.stdlib cimport free, qsort, realloc
from libc.string cimport memcmp, memcpy, memset

from plait.morphology._casing import CASINGS

from plait.core._arrays cimport free_arrays, new_array
from plait.core._hashing cimport finish, hash_text, mix
from plait.core._memory cimport Slot, free_map, insert
from plait.core._memory cimport find as find_slot
from plait.core._types cimport uint16_t, uint32_t
from plait.morphology._casing cimport CASING_COUNT, recased

cdef enum:
    MAX_SCRIPTS = 0xffff    # of one ending
    INSERTED = 40           # up to so many candidates are sorted by insertion, more by qsort

cdef Py_UCS4 UNDERSCORE = u"_"

cdef extern from "Python.h":
    int PyUnicode_4BYTE_KIND
    str PyUnicode_FromKindAndData(int kind, const void *characters, Py_ssize_t count)
    Py_UCS4 *PyUnicode_AsUCS4(object text, Py_UCS4 *buffer, Py_ssize_t size, int with_null) except NULL


cdef void free_candidates(Candidates *found) noexcept nogil:
    free(found.items)
    free(found.text)


cdef str lemma_text(const Candidates *found, Py_ssize_t c):
    cdef Py_ssize_t start = found.items[c].start
    return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, found.text + start, found.items[c].end - start)


cdef int reserve_text(Candidates *found, Py_ssize_t length) except -1:
    """Make space for so many more characters."""
    cdef Py_ssize_t size = max(2 * found.size, found.used + length, 256)
    cdef Py_UCS4 *larger
    if found.used + length > found.size:
        larger = <Py_UCS4 *> realloc(found.text, size * sizeof(Py_UCS4))
        if larger == NULL:
            raise MemoryError()
        found.text, found.size = larger, size
    return 0


cdef int add_text(Candidates *found, str text) except -1:
    reserve_text(found, len(text) + 1)      # and a null character
    PyUnicode_AsUCS4(text, found.text + found.used, len(text) + 1, 1)
    found.used += len(text)
    return 0


cdef int add_candidate(Candidates *found, int number, Py_ssize_t length, bint is_lower) except -1:
    """The last characters of the text are a candidate."""
    cdef Py_ssize_t capacity = max(2 * found.capacity, 32)
    cdef Candidate *larger
    cdef str lower
    if found.count == found.capacity:
        larger = <Candidate *> realloc(found.items, capacity * sizeof(Candidate))
        if larger == NULL:
            raise MemoryError()
        found.items, found.capacity = larger, capacity
    found.items[found.count] = Candidate(number, found.used - length, found.used, 0, 0)
    if not is_lower:
        lower = lemma_text(found, found.count).lower()
        found.items[found.count].lower_hash = hash_text(lower, 0, len(lower))
    found.count += 1
    return 0


cdef int by_number(const void *a, const void *b) noexcept nogil:
    return (<const Candidate *> a).number - (<const Candidate *> b).number


cdef void sort_by_number(Candidate *items, Py_ssize_t count) noexcept nogil:
    """Few candidates are inserted one after the other, which takes a fraction of the time."""
    cdef Py_ssize_t i, k
    cdef Candidate one
    if count > INSERTED:
        qsort(items, count, sizeof(Candidate), by_number)
        return
    for i in range(1, count):
        one = items[i]
        k = i
        while k > 0 and items[k - 1].number > one.number:
            items[k] = items[k - 1]
            k -= 1
        items[k] = one


cdef uint64_t ENDINGS = hash_text("endings", 0, 7)


cdef uint64_t ending_hash(Py_ssize_t casing, str ending):
    """The hash of an ending of forms in some casing, from its end on: longer endings continue shorter ones."""
    cdef uint64_t h = mix(ENDINGS, <uint64_t> casing)
    for character in reversed(ending):
        h = mix(h, <uint64_t> ord(character))
    return finish(h)


cdef class ScriptIndex:
    """Scripts by casing and ending."""

    def __init__(self, scripts, last_characters):
        by_ending = {}
        for number, (script, characters) in enumerate(zip(scripts, last_characters, strict=True)):
            for ending in (script.ending,) if script.ending else set(characters) or ("",):
                by_ending.setdefault((script.casing, ending), []).append(number)
        self.count = len(scripts)
        cdef size_t numbers = sum(map(len, by_ending.values()))
        cdef size_t steps = sum(len(s.before) + len(s.after) for s in scripts)
        self.numbers = <int *> new_array(&self.arrays, numbers * sizeof(int))
        self.scripts = <Script *> new_array(&self.arrays, len(scripts) * sizeof(Script))
        self.steps = <Step *> new_array(&self.arrays, steps * sizeof(Step))
        self._store_steps(scripts)
        self._store_endings(by_ending)

    def _store_steps(self, scripts):
        cdef Py_ssize_t k = 0, at = 0, number
        texts = []
        for number, script in enumerate(scripts):
            own = [step for step in script.before + script.after if isinstance(step, tuple)]
            longer = sum(len(inserted) - len(deleted) for deleted, inserted in own)
            lower = all(inserted == inserted.lower() for _, inserted in own)
            steps = len(script.before) + len(script.after)
            casing = CASINGS.index(script.casing)
            self.scripts[number] = Script(casing, k, k + len(script.before), k + steps, longer, lower)
            for step in script.before + script.after:
                deleted, inserted = step if isinstance(step, tuple) else ("", "")
                texts += (deleted, inserted)
                self.steps[k] = Step(
                    step if isinstance(step, int) else 0,
                    at, at + len(deleted), at + len(deleted) + len(inserted),
                )
                at += len(deleted) + len(inserted)
                k += 1
        self.texts = <Py_UCS4 *> new_array(&self.arrays, (at + 1) * sizeof(Py_UCS4))
        PyUnicode_AsUCS4("".join(texts), self.texts, at + 1, 1)

    def _store_endings(self, by_ending):
        cdef Py_ssize_t k = 0
        cdef Slot *slot
        cdef int casing
        for casing in range(CASING_COUNT):
            of_casing = [len(ending) for name, ending in by_ending if name == CASINGS[casing]]
            self.longest[casing] = max(of_casing, default=-1)
            if self.longest[casing] >= 0:
                self.casings = casing + 1
        for (name, ending), numbers in by_ending.items():
            if len(numbers) > MAX_SCRIPTS:
                raise ValueError(f"{len(numbers)} edit scripts for one ending")
            slot = insert(&self.by_ending, ending_hash(CASINGS.index(name), ending))
            slot.value.row.start, slot.value.row.count = <uint32_t> k, <uint16_t> len(numbers)
            for number in numbers:
                self.numbers[k] = number
                k += 1

    def __dealloc__(self):
        free_arrays(&self.arrays)
        free_map(&self.by_ending)

    cdef int find(self, str form, Candidates *found) except -1:
        cdef int k
        cdef str text
        cdef list known = []
        cdef bint no_case = form.lower() == form.upper()
        found.count = found.used = 0
        add_text(found, form)
        for k in range(self.casings):
            text = recased(k, form)
            if text in known:
                continue
            known.append(text)
            if self.longest[k] >= 0:
                self.find_cased(text, k, form == "_", found)
            if no_case:
                break       # every casing is the same
        sort_by_number(found.items, found.count)
        return 0

    cdef int find_cased(self, str text, Py_ssize_t casing, bint of_underscore, Candidates *found) except -1:
        """The scripts of one casing; ``text`` is the form in it.

        A lemma ``_`` counts only for the form ``_``: files read it as no lemma.
        """
        cdef Py_ssize_t n = len(text), longest = min(self.longest[casing], n)
        cdef Py_ssize_t ending, k, first, length, base = found.used
        cdef bint is_lower = text.lower() == text
        cdef uint64_t h = mix(ENDINGS, <uint64_t> casing)
        cdef const Script *script
        cdef Slot *slot
        add_text(found, text)
        for ending in range(longest + 1):
            if ending > 0:
                h = mix(h, found.text[base + n - ending])
            slot = find_slot(&self.by_ending, finish(h))
            if slot.key == 0:
                continue
            first = slot.value.row.start
            for k in range(first, first + slot.value.row.count):
                script = self.scripts + self.numbers[k]
                length = self.edit(script, base, n, found)
                if length == 0 or (length == 1 and found.text[found.used - 1] == UNDERSCORE and not of_underscore):
                    continue
                add_candidate(found, self.numbers[k], length, is_lower and script.lower)
        return 0

    cdef Py_ssize_t edit(self, const Script *script, Py_ssize_t base, Py_ssize_t n, Candidates *found) except -1:
        """``EditScript.edit`` of the ``n`` characters from ``base`` on: adds the lemma to the text, and returns its
        length, 0 if the script does not apply.
        """
        cdef Py_ssize_t start = 0, end = n, k, deleted
        cdef const Step *step
        cdef const Py_UCS4 *form = found.text + base
        cdef Py_UCS4 *target
        for k in range(script.first, script.middle):
            step = self.steps + k
            deleted = step.inserted - step.deleted
            if start + deleted > n or memcmp(form + start, self.texts + step.deleted, deleted * sizeof(Py_UCS4)) != 0:
                return 0
            start = min(start + step.kept + deleted, n)
        for k in range(script.end - 1, script.middle - 1, -1):
            step = self.steps + k
            deleted = step.inserted - step.deleted
            end -= step.kept + deleted
            if end < 0 or memcmp(form + end, self.texts + step.deleted, deleted * sizeof(Py_UCS4)) != 0:
                return 0
        if start >= end:
            return 0        # something must be left
        reserve_text(found, n + script.longer)
        form, target = found.text + base, found.text + found.used
        target = self.copy_steps(script.first, script.middle, form, target)
        memcpy(target, form + start, (end - start) * sizeof(Py_UCS4))
        self.copy_steps(script.middle, script.end, form + end, target + (end - start))
        found.used += n + script.longer
        return n + script.longer

    cdef Py_UCS4 *copy_steps(self, Py_ssize_t first, Py_ssize_t end, const Py_UCS4 *form,
                             Py_UCS4 *target) noexcept nogil:
        """What some steps make of the characters from ``form`` on; returns the place behind it."""
        cdef const Step *step
        cdef Py_ssize_t k, inserted
        for k in range(first, end):
            step = self.steps + k
            inserted = step.end - step.inserted
            memcpy(target, form, step.kept * sizeof(Py_UCS4))
            memcpy(target + step.kept, self.texts + step.inserted, inserted * sizeof(Py_UCS4))
            target += step.kept + inserted
            form += step.kept + step.inserted - step.deleted
        return target

    cdef str made_by(self, Py_ssize_t number, str form, Candidates *found):
        cdef Py_ssize_t length
        cdef str text = recased(self.scripts[number].casing, form)
        found.count = found.used = 0
        add_text(found, text)
        length = self.edit(self.scripts + number, 0, len(text), found)
        if length == 0:
            return None
        add_candidate(found, number, length, True)
        return lemma_text(found, 0)

    def candidates(self, str form not None):
        """(number, lemma) of each script that applies, in order of the numbers."""
        cdef Candidates found
        cdef Py_ssize_t c
        memset(&found, 0, sizeof(Candidates))
        try:
            self.find(form, &found)
            return [(found.items[c].number, lemma_text(&found, c)) for c in range(found.count)]
        finally:
            free_candidates(&found)

    def apply(self, Py_ssize_t number, str form not None):
        """The lemma that one script makes of a form; None if it does not apply."""
        cdef Candidates found
        if not 0 <= number < self.count:
            raise IndexError(f"script {number} of {self.count}")
        memset(&found, 0, sizeof(Candidates))
        try:
            return self.made_by(number, form, &found)
        finally:
            free_candidates(&found)
