"""Words to tags on a pruned lattice.

    form(w, t)      what the templates that look at the word alone say of tag t: computed once for each form
    order 0         form + what the other templates say: tags below the threshold of probability are dropped
    order 1, 2      exact search and exact sums over what is left, with the weights of transitions

A word with one candidate has nothing to decide, and no feature of it is looked up.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.math cimport exp
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import numpy as np

from plait.core._hashing import key_of, text_hash

from plait.core._memory cimport release, rewind, take
from plait.morphology._lattice cimport best_path, connect_all, pair_states, sum_paths
from plait.morphology._reach cimport Reach, reach

cdef enum:
    KEPT = 1 << 14          # forms; when there are more all are forgotten, and the frequent ones are soon back
    WIDEST = 2048           # tags whose pairs have a table of their own

MOST_PAIR_SCORES = 1 << 26
PART_SEED, TAG_SEED, CLASS_SEED, SKIP_SEED = (
    text_hash(f"morphology {name} before") for name in ("part", "tag", "classes", "skip"))


def part_key(part):
    """The key of the weights of all parts after this part."""
    return key_of(PART_SEED, [part + 1])


def tag_key(tag):
    """The key of the weights of all whole tags after this tag."""
    return key_of(TAG_SEED, [tag + 1])


def skip_key(part):
    """The key of the weights of all parts of the tag after the next."""
    return key_of(SKIP_SEED, [part + 1])


def class_key(a, b):
    """The key of the weights of all coarse tags after these two."""
    return key_of(CLASS_SEED, [a + 1, b + 1])


def has_whole_pairs(Py_ssize_t tags):
    """Whether pairs of whole tags have weights, beside those of their parts."""
    return tags <= WIDEST


cdef class Workspace:
    """Memory for one sentence."""

    def __dealloc__(self):
        release(&self.arena)


cdef rows_of(Scorer table, keys):
    """[keys][labels]: the rows of single keys."""
    cdef const key_t[::1] numbers = np.array(keys, dtype=np.uint64)
    found = np.zeros((len(keys), table.labels), dtype=np.float32)
    cdef score_t[:, ::1] out = found
    cdef Py_ssize_t k
    with nogil:
        for k in range(numbers.shape[0]):
            table.add(&numbers[k], 1, &out[k, 0])
    return found


cdef class LatticeDecoder:
    """Decodes sentences under frozen tables; holds no options and opens no files."""

    def __cinit__(self, TagParts tag_parts not None, features, tables, TagDictionary dictionary not None, open_tags,
                  int order, double threshold, double margin):
        self.tag_parts = tag_parts
        self.P, self.T, self.C = tag_parts.parts, tag_parts.tags, tag_parts.classes
        self.features = features
        self.form, self.context = features.form, features.context
        self.near, self.width, self.pad = features.near, len(features.columns), features.pad
        self.form_parts, self.form_tags, self.context_parts = (tables[name] for name in ("form", "whole", "context"))
        expected = {"form": self.P, "whole": self.T, "context": self.P, "pairs": self.P, "tag_pairs": self.T,
                    "triples": self.C, "skips": self.P}
        for name, labels in expected.items():
            if name in tables and tables[name].labels != labels:
                raise ValueError(f"{tables[name].labels} weights a row for {labels} labels of {name}")
        if dictionary.tags != self.T:
            raise ValueError(f"a dictionary of {dictionary.tags} tags for {self.T}")
        self.dictionary = dictionary
        if open_tags.dtype != np.uint16 or open_tags.ndim != 1 or not 1 <= len(open_tags) <= self.T:
            raise ValueError("the tags of rare words are damaged")
        if open_tags.max() >= self.T or not (open_tags[:len(open_tags) - 1] < open_tags[1:]).all():
            raise ValueError("the tags of rare words are damaged")
        self.open_tags = np.ascontiguousarray(open_tags)
        cdef const label_t[::1] view = self.open_tags
        self.open_of = &view[0]
        self.open_count = len(open_tags)
        self.order = order
        self.threshold = threshold
        self.margin = margin
        self.entries = {}
        self.bound = {}
        self.spare = []
        before, after = features.boundary()
        self.near_columns = features.near_columns
        cdef const int32_t[::1] near = self.near_columns
        self.near_of = &near[0]
        places = features.reach.tolist()
        self.reach = Reach(places[0], places[1], places[2], places[3], places[4], places[5])
        self.before = before[self.near_columns].tobytes() * self.pad
        self.after = after[self.near_columns].tobytes() * self.pad
        self._before, self._after = PyBytes_AS_STRING(self.before), PyBytes_AS_STRING(self.after)
        self.prepare(tables)

    def prepare(self, tables):
        """The scores of transitions, added up once."""
        self.whole_pairs = has_whole_pairs(self.T)
        width = self.T if self.whole_pairs else self.P
        if self.T * width > MOST_PAIR_SCORES:
            raise ValueError(f"{self.T} tags of {self.P} parts are too many")
        self.pair_scores = self.part_pairs(tables["pairs"], part_key)
        cdef Py_ssize_t t, a, b
        if self.whole_pairs:
            self.pair_scores += rows_of(tables["tag_pairs"], [tag_key(t) for t in range(self.T)])
        cdef const score_t[:, ::1] pair = self.pair_scores
        self.pair = &pair[0, 0]
        cdef const score_t[:, ::1] skip
        cdef const score_t[:, :, ::1] triple
        if self.order == 2:
            keys = [class_key(a, b) for a in range(self.C) for b in range(self.C)]
            self.triple_scores = rows_of(tables["triples"], keys).reshape(self.C, self.C, -1)
            triple = self.triple_scores
            self.triple = &triple[0, 0, 0]
            self.skip_scores = self.part_pairs(tables["skips"], skip_key)
            skip = self.skip_scores
            self.skip = &skip[0, 0]

    def part_pairs(self, table, key):
        """[T][T]: weights of parts after parts, summed over those of two tags; [T][P] where there are too many tags."""
        cdef score_t[:, ::1] parts = rows_of(table, [key(b) for b in range(self.P)])
        found = np.zeros((self.T, self.T if self.whole_pairs else self.P), dtype=np.float32)
        cdef score_t[:, ::1] out = found
        cdef score_t[:, ::1] sums = np.zeros((self.T, self.P), dtype=np.float32) if self.whole_pairs else found
        cdef Py_ssize_t t, a, b, j
        with nogil:
            for t in range(self.T):
                for j in range(self.tag_parts.at[t], self.tag_parts.at[t + 1]):
                    for b in range(self.P):
                        sums[t, b] += parts[self.tag_parts.part[j], b]
                if self.whole_pairs:
                    for a in range(self.T):
                        out[t, a] = self.tag_parts.total(<label_t> a, &sums[t, 0])
        return found

    cdef score_t pair_score(self, label_t a, label_t b) noexcept nogil:
        if self.whole_pairs:
            return self.pair[a * self.T + b]
        return self.tag_parts.total(b, self.pair + a * self.P)

    cdef void form_sums(self, const atom_t *row, key_t *keys, score_t *sums) noexcept nogil:
        """The scores of parts, then of whole tags [P + T], that the form gives; ``keys`` has room for them."""
        memset(sums, 0, (self.P + self.T) * sizeof(score_t))
        self.form.fill(row, keys)
        self.form_parts.add(keys, self.form.count, sums)
        self.form_tags.add(keys, self.form.count, sums + self.P)

    cdef bytes entry_of(self, const atom_t *row, const label_t *allowed, Py_ssize_t count):
        """What is kept of a form: with ``allowed`` of these tags, else of those that the dictionary allows."""
        cdef key_t *keys = <key_t *> malloc((self.form.count + 1) * sizeof(key_t))
        cdef score_t *sums = <score_t *> malloc((self.P + 2 * self.T) * sizeof(score_t))
        cdef score_t *scores = sums + self.P + self.T
        cdef score_t top
        cdef Py_ssize_t c, kept = 0, room
        cdef Entry *entry
        cdef label_t *tags
        cdef score_t *kept_scores
        cdef bytes made
        if keys == NULL or sums == NULL:
            free(keys)
            free(sums)
            raise MemoryError()
        try:
            if allowed == NULL:
                count = self.dictionary.candidates(row[0], &allowed)
                if allowed == self.dictionary.everything:
                    allowed, count = self.open_of, self.open_count
            with nogil:
                self.form_sums(row, keys, sums)
                for c in range(count):
                    scores[c] = sums[self.P + allowed[c]] + self.tag_parts.total(allowed[c], sums)
                top = scores[0]
                for c in range(count):
                    top = max(top, scores[c])
                if self.threshold > 0:
                    top -= <score_t> self.margin
                    for c in range(count):
                        kept += scores[c] >= top
                else:
                    kept = count
            room = (kept + 1) // 2 * 2
            made = PyBytes_FromStringAndSize(
                NULL, sizeof(Entry) + self.near * sizeof(atom_t) + room * (sizeof(label_t) + sizeof(score_t)))
            entry = <Entry *> PyBytes_AS_STRING(made)
            entry.count = <int32_t> kept
            entry.room = <int32_t> room
            for c in range(self.near):
                (<atom_t *> (entry + 1))[c] = row[self.near_of[c]]
            tags = <label_t *> (<atom_t *> (entry + 1) + self.near)
            kept_scores = <score_t *> (tags + room)
            kept = 0
            for c in range(count):
                if self.threshold <= 0 or scores[c] >= top:
                    tags[kept] = allowed[c]
                    kept_scores[kept] = scores[c]
                    kept += 1
            return made
        finally:
            free(keys)
            free(sums)

    cdef list known(self, forms):
        """The entries of some forms; those not met before are made, all at once."""
        cdef dict entries = self.entries
        cdef list found = [entries.get(form) for form in forms]
        cdef const atom_t[:, ::1] rows
        cdef dict made
        cdef Py_ssize_t k
        if None not in found:
            return found
        new = list(dict.fromkeys(form for form, entry in zip(forms, found) if entry is None))
        rows = self.features.form_atoms(new)
        made = {form: self.entry_of(&rows[k, 0], NULL, 0) for k, form in enumerate(new)}
        if len(entries) > KEPT:
            entries = self.entries = {}
        entries.update(made)
        return [made[form] if entry is None else entry for form, entry in zip(forms, found)]

    cdef bytes bound_entry(self, str form, allowed):
        """The entry of a form under these tags: those of them that it can have anyway, or all where it can have none.

        Tags that training never saw compete for a word have no weights to lose by.
        """
        cdef const atom_t[:, ::1] rows
        cdef const label_t[::1] tags
        cdef const label_t *usual = NULL
        cdef Py_ssize_t count, k
        cdef bytes made
        key = form, id(allowed)
        found = self.bound.get(key)
        if found is not None and found[0] is allowed:
            return found[1]
        chosen = sorted(set(allowed))
        if min(chosen) < 0 or max(chosen) >= self.T:
            raise ValueError(f"tags {allowed} of {self.T}")
        rows = self.features.form_atoms([form])
        count = self.dictionary.candidates(rows[0, 0], &usual)
        if usual == self.dictionary.everything:
            usual, count = self.open_of, self.open_count
        possible = {usual[k] for k in range(count)}
        tags = np.array([tag for tag in chosen if tag in possible] or chosen, dtype=np.uint16)
        made = self.entry_of(&rows[0, 0], &tags[0], len(tags))
        if isinstance(allowed, tuple):  # cannot change; that it is held here keeps its id its own
            if len(self.bound) > KEPT:
                self.bound = {}
            self.bound[key] = allowed, made
        return made

    cdef Workspace build(self, forms, allowed):
        """The lattice of a sentence after order 0; ``allowed`` lists for each word the tags it may have, or nothing."""
        cdef Py_ssize_t n = len(forms), i
        cdef list entries = self.known(forms)
        cdef Workspace space
        if allowed is not None:
            if len(allowed) != n:
                raise ValueError("tags of another sentence")
            for i in range(n):
                if len(allowed[i]):
                    entries[i] = self.bound_entry(forms[i], allowed[i])
        try:
            space = self.spare.pop()
        except IndexError:
            space = Workspace()
        rewind(&space.arena)
        cdef const Entry **pointers = <const Entry **> take(&space.arena, n * sizeof(Entry *))
        for i in range(n):
            pointers[i] = <const Entry *> PyBytes_AS_STRING(<bytes> entries[i])
        with nogil:
            self.fill(space, pointers, n)
        return space

    cdef int fill(self, Workspace space, const Entry *const *entries, Py_ssize_t n) except -1 nogil:
        """Score the candidates of every word and drop those below the threshold."""
        cdef Lattice *lattice = &space.lattice
        cdef Py_ssize_t i, c, count, used = 0, total = 0, row = self.near * sizeof(atom_t)
        cdef char *atoms = <char *> take(&space.arena, (n + 2 * self.pad) * row + 8)
        cdef key_t *keys = <key_t *> take(&space.arena, (self.context.count + 1) * sizeof(key_t))
        cdef score_t *sums = <score_t *> take(&space.arena, self.P * sizeof(score_t))
        cdef const label_t *tags
        cdef const score_t *scores
        cdef score_t *score
        cdef score_t top
        cdef double sum, least
        memcpy(atoms, self._before, self.pad * row)
        for i in range(n):
            memcpy(atoms + (self.pad + i) * row, entries[i] + 1, row)
            total += entries[i].count
        memcpy(atoms + (self.pad + n) * row, self._after, self.pad * row)
        reach(<atom_t *> (atoms + self.pad * row), n, self.near, &self.reach)
        lattice.n = n
        lattice.first = <int32_t *> take(&space.arena, (n + 1) * sizeof(int32_t))
        lattice.tag = <label_t *> take(&space.arena, total * sizeof(label_t))
        lattice.score = <score_t *> take(&space.arena, total * sizeof(score_t))
        for i in range(n):
            lattice.first[i] = <int32_t> used
            count = entries[i].count
            tags = <const label_t *> (<const char *> (entries[i] + 1) + row)
            scores = <const score_t *> (tags + entries[i].room)
            score = lattice.score + used
            if count > 1:
                memset(sums, 0, self.P * sizeof(score_t))
                self.context.fill(<const atom_t *> (atoms + (self.pad + i) * row), keys)
                self.context_parts.add(keys, self.context.count, sums)
                top = 0
                for c in range(count):
                    score[c] = scores[c] + self.tag_parts.total(tags[c], sums)
                    if c == 0 or score[c] > top:
                        top = score[c]
                sum = 0
                for c in range(count):
                    sum += exp(score[c] - top)
                least = self.threshold * sum
                for c in range(count):      # the best one always stays: no threshold is above 1
                    if score[c] == top or exp(score[c] - top) >= least:
                        lattice.tag[used] = tags[c]
                        lattice.score[used] = score[c]
                        used += 1
            else:
                lattice.tag[used] = tags[0]
                lattice.score[used] = scores[0]
                used += 1
        lattice.first[n] = <int32_t> used
        return 0

    cdef int connect(self, Workspace space, bint sums) except -1 nogil:
        """Edges and their scores; with ``sums`` also the probabilities. Order 2 makes another lattice of the first."""
        cdef Lattice *lattice = &space.lattice
        cdef Lattice pairs
        cdef Py_ssize_t n = lattice.n, states = lattice.first[n], i, s, r, e
        cdef int32_t *path
        cdef int32_t *back
        connect_all(lattice, &space.arena)
        for s in range(lattice.first[1], states):
            for e in range(lattice.into[s], lattice.into[s + 1]):
                r = lattice.source[e]
                lattice.edge[e] = self.pair_score(lattice.tag[r], lattice.tag[s]) if self.order > 0 else 0
        if sums or self.order == 2:
            space.log_z = sum_paths(lattice)
        if self.order == 2 and n > 1:
            path = <int32_t *> take(&space.arena, n * sizeof(int32_t))
            back = <int32_t *> take(&space.arena, states * sizeof(int32_t))
            best_path(lattice, path, back, <double *> take(&space.arena, states * sizeof(double)))
            pair_states(lattice, space.log_z, self.threshold, path, &space.arena, &pairs)
            for i in range(2, n):
                for s in range(pairs.first[i], pairs.first[i + 1]):
                    for e in range(pairs.into[s], pairs.into[s + 1]):
                        r = pairs.source[e]
                        pairs.edge[e] = self.triple_score(pairs.before[r], pairs.tag[r], pairs.tag[s])
            lattice[0] = pairs
            if sums:
                space.log_z = sum_paths(lattice)
        return 0

    cdef score_t triple_score(self, label_t a, label_t b, label_t c) noexcept nogil:
        cdef const label_t *coarse = self.tag_parts.coarse_of
        cdef score_t sum = self.triple[(coarse[a] * self.C + coarse[b]) * self.C + coarse[c]]
        if self.whole_pairs:
            return sum + self.skip[a * self.T + c]
        return sum + self.tag_parts.total(c, self.skip + a * self.P)

    def decode(self, forms, allowed=None):
        """(the best tags as numbers, their score)."""
        cdef Py_ssize_t n = len(forms), i, states
        cdef double score
        best = np.zeros(n, dtype=np.uint16)
        if n == 0:
            return best, 0.0
        cdef label_t[::1] tags = best
        cdef Workspace space = self.build(forms, allowed)
        cdef int32_t *path
        cdef int32_t *back
        cdef double *reached
        with nogil:
            self.connect(space, False)
            states = space.lattice.first[n]
            path = <int32_t *> take(&space.arena, n * sizeof(int32_t))
            back = <int32_t *> take(&space.arena, states * sizeof(int32_t))
            reached = <double *> take(&space.arena, states * sizeof(double))
            score = best_path(&space.lattice, path, back, reached)
            for i in range(n):
                tags[i] = space.lattice.tag[path[i]]
        self.spare.append(space)
        return best, score

    def marginals(self, forms, allowed=None):
        """(log Z, starts [n + 1], tags, probabilities): the candidates of each word that pruning left."""
        cdef Py_ssize_t n = len(forms), i, s, made = 0, k
        if n == 0:
            return 0.0, np.zeros(1, np.int32), np.zeros(0, np.uint16), np.zeros(0)
        cdef Workspace space = self.build(forms, allowed)
        cdef Lattice *lattice = &space.lattice
        with nogil:
            self.connect(space, True)
        starts = np.zeros(n + 1, dtype=np.int32)
        tags = np.zeros(lattice.first[n], dtype=np.uint16)
        chances = np.zeros(lattice.first[n])
        cdef int32_t[::1] at = starts
        cdef label_t[::1] tag = tags
        cdef double[::1] chance = chances
        cdef double p
        with nogil:
            for i in range(n):
                for s in range(lattice.first[i], lattice.first[i + 1]):
                    p = exp(lattice.forward[s] + lattice.backward[s] - space.log_z)
                    k = at[i]       # states of order 2 that end in one tag are one candidate
                    while k < made and tag[k] != lattice.tag[s]:
                        k += 1
                    if k == made:
                        tag[made] = lattice.tag[s]
                        made += 1
                    chance[k] += p
                at[i + 1] = <int32_t> made
        log_z = space.log_z
        self.spare.append(space)
        return log_z, starts, tags[:made], chances[:made]

    def lattice(self, forms, allowed=None):
        """The lattice in plain arrays: first, tag, score, into, source, edge; for n-best lists."""
        cdef Py_ssize_t n = len(forms), states, edges
        if n == 0:
            raise ValueError("a sentence without words has no lattice")
        cdef Workspace space = self.build(forms, allowed)
        cdef Lattice *lattice = &space.lattice
        with nogil:
            self.connect(space, False)
        states, edges = lattice.first[n], lattice.into[lattice.first[n]]
        found = {
            "first": np.asarray(<int32_t[:n + 1]> lattice.first).copy(),
            "tag": np.asarray(<label_t[:states]> lattice.tag).copy(),
            "score": np.asarray(<score_t[:states]> lattice.score).copy(),
            "into": np.asarray(<int32_t[:states + 1]> lattice.into).copy(),
            "source": np.asarray(<int32_t[:edges + 1]> lattice.source)[:edges].copy(),
            "edge": np.asarray(<score_t[:edges + 1]> lattice.edge)[:edges].copy(),
        }
        self.spare.append(space)
        return found
