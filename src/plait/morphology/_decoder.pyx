"""Words to tags on a pruned lattice.

    form(w, t)      the score of tag t from templates that look at the word alone: computed once for each form
    order 0         form + the scores of all other templates; tags less probable than the threshold are pruned
    order 1, 2      exact search and exact sums over the remaining tags, with the weights of transitions

For a word with only one candidate no features are looked up.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t
from libc.string cimport memcpy, memset

import numpy as np

from plait.core._hashing import key_of, text_hash

from plait.core._lattice cimport exp_below, sum_of
from plait.core._memory cimport Arena, release, rewind, take
from plait.core._templates cimport Templates
from plait.core._types cimport atom_t, key_t, label_t, score_t
from plait.core._weights cimport Scorer
from plait.features._lexicon cimport TagDictionary
from plait.morphology._forms cimport FormAtoms
from plait.morphology._lattice cimport Lattice, best_path, connect_all, edge_probabilities, pair_states, sum_paths
from plait.morphology._nearest cimport NearestColumns, fill_nearest
from plait.morphology._parts cimport TagParts

cdef extern from "max_plus.h" nogil:
    float largest "plait_largest" (const float *a, Py_ssize_t n)

cdef enum:
    MAX_CACHED_FORMS = 1 << 14      # a full cache is cleared, and frequent forms soon return
    WORD_BATCH = 16                 # words whose rows are looked up in one call, so that their cache misses overlap
    FORM_BATCH = 8                  # likewise for new forms
    MAX_TAGS_WITH_PAIRS = 2048      # larger tag sets have no weights for pairs of whole tags

MAX_PAIR_SCORES = 1 << 26
PART_SEED, TAG_SEED, CLASS_SEED, SKIP_SEED = (
    text_hash(f"morphology {name} before") for name in ("part", "tag", "classes", "skip"))


def part_key(part):
    """The key of the weights of all parts after this part."""
    return key_of(PART_SEED, [part + 1])


def tag_key(tag):
    """The key of the weights of all whole tags after this tag."""
    return key_of(TAG_SEED, [tag + 1])


def skip_key(part):
    """The key of the weights of all parts of the tag two words later."""
    return key_of(SKIP_SEED, [part + 1])


def class_key(a, b):
    """The key of the weights of all coarse tags after these two."""
    return key_of(CLASS_SEED, [a + 1, b + 1])


def too_many(Py_ssize_t tags, Py_ssize_t parts):
    """Whether the scores of transitions between so many tags do not fit in memory."""
    return tags * (tags if uses_tag_pairs(tags) else parts) > MAX_PAIR_SCORES


def uses_tag_pairs(Py_ssize_t tags):
    """Whether pairs of whole tags have weights, beside those of their parts."""
    return tags <= MAX_TAGS_WITH_PAIRS


cdef class Workspace:
    """Memory for one sentence at a time, kept from call to call."""

    cdef Arena arena
    cdef Lattice lattice
    cdef double threshold               # candidates and pairs below this probability are dropped
    cdef double log_z                   # of the lattice, if connect was called with sums
    cdef atom_t *rows                   # [FORM_BATCH][width]: of new forms
    cdef key_t *keys                    # of new forms, or of the context of some words ...
    cdef score_t **targets              # ... and the sums to which their rows are added
    cdef score_t *form_sums             # [FORM_BATCH][P + T]: of parts, then of whole tags
    cdef score_t *part_sums             # [WORD_BATCH][P]
    cdef score_t *half_sums             # [nodes]: the sums of the halves of tags
    cdef label_t *tags                  # [T]: candidates
    cdef score_t *scores                # [T]: their scores
    cdef score_t *unnormalized          # [T]: their probabilities, up to a factor

    def __dealloc__(self):
        release(&self.arena)


cdef struct FormEntry:                  # the cached analysis of a form; atoms, tags and scores follow in the same block
    int32_t count                       # of candidates
    int32_t capacity                    # count rounded up, so that the scores are aligned


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
    """Decodes sentences under frozen tables; holds no options and opens no files.

    Nothing in it changes but its caches, so that any number of threads may share it.
    """

    cdef readonly TagParts tag_parts
    cdef readonly object features
    cdef FormAtoms form_rows
    cdef bint has_resources             # rows have columns of word resources
    cdef Templates form_templates, context_templates
    cdef Scorer form_weights            # of parts, then of whole tags
    cdef Scorer whole_weights           # of whole tags, in older models; else None
    cdef Scorer context_weights
    cdef TagDictionary dictionary
    cdef readonly object open_tags      # uint16: the candidates of words that are not in the dictionary
    cdef const label_t *_open_tags
    cdef Py_ssize_t open_count
    cdef readonly object pair_scores    # float32 [T][T]: the score of tag b after tag a; or [T][P], of its parts
    cdef const score_t *pair
    cdef bint uses_tag_pairs            # pairs of whole tags have weights
    cdef readonly object triple_scores  # float32 [C][C][C] for order 2, else None
    cdef const score_t *triple
    cdef readonly object skip_scores    # likewise, of tags with one word between them
    cdef const score_t *skip
    cdef readonly int order
    cdef readonly double threshold      # less probable candidates are pruned for probabilities ...
    cdef readonly double search_threshold   # ... and for the best tags and n-best lists
    cdef readonly double margin         # candidates further than this behind the best by their form alone are dropped
    cdef readonly object context_columns    # int32 [context_width]: columns that context templates use, the form first
    cdef const int32_t *_context_columns
    cdef NearestColumns nearest_columns
    cdef Py_ssize_t P, T, C, context_width, pad, width
    cdef dict entries                   # form -> bytes of a FormEntry
    cdef dict constrained               # form and id of a tuple of tags -> the tuple, bytes of a FormEntry
    cdef list free_workspaces           # workspaces that no call is using
    cdef readonly bytes left_padding, right_padding     # the atoms before and after a sentence
    cdef const char *_left_padding
    cdef const char *_right_padding

    def __cinit__(self, TagParts tag_parts not None, features, tables, TagDictionary dictionary not None, open_tags,
                  int order, double threshold, double search_threshold, double margin):
        self.tag_parts = tag_parts
        self.P, self.T, self.C = tag_parts.parts, tag_parts.tags, tag_parts.classes
        self.features = features
        self.form_rows, self.has_resources = features.form_rows, bool(features.resources)
        self.form_templates, self.context_templates = features.form, features.context
        self.context_width, self.width, self.pad = features.context_width, len(features.columns), features.pad
        self.form_weights, self.context_weights = tables["form"], tables["context"]
        self.whole_weights = tables.get("whole")
        labels = self.P + self.T if self.whole_weights is None else self.P
        expected = {"form": labels, "whole": self.T, "context": self.P, "pairs": self.P, "tag_pairs": self.T,
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
        self._open_tags = &view[0]
        self.open_count = len(open_tags)
        self.order = order
        self.threshold = threshold
        self.search_threshold = search_threshold
        self.margin = margin
        self.entries = {}
        self.constrained = {}
        self.free_workspaces = []
        before, after = features.boundary()
        self.context_columns = features.context_columns
        cdef const int32_t[::1] near = self.context_columns
        self._context_columns = &near[0]
        places = features.nearest_columns.tolist()
        self.nearest_columns = NearestColumns(places[0], places[1], places[2], places[3], places[4], places[5])
        self.left_padding = before[self.context_columns].tobytes() * self.pad
        self.right_padding = after[self.context_columns].tobytes() * self.pad
        self._left_padding = PyBytes_AS_STRING(self.left_padding)
        self._right_padding = PyBytes_AS_STRING(self.right_padding)
        self.add_transitions(tables)

    def add_transitions(self, tables):
        """Add up the scores of transitions, once for all sentences."""
        self.uses_tag_pairs = uses_tag_pairs(self.T)
        if too_many(self.T, self.P):
            raise ValueError(f"{self.T} tags of {self.P} parts are too many")
        self.pair_scores = self.part_pairs(tables["pairs"], part_key)
        cdef Py_ssize_t t, a, b
        if self.uses_tag_pairs:
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
        found = np.zeros((self.T, self.T if self.uses_tag_pairs else self.P), dtype=np.float32)
        cdef score_t[:, ::1] out = found
        cdef score_t[:, ::1] sums = np.zeros((self.T, self.P), dtype=np.float32) if self.uses_tag_pairs else found
        cdef Py_ssize_t t, a, b, j
        with nogil:
            for t in range(self.T):
                for j in range(self.tag_parts.start[t], self.tag_parts.start[t + 1]):
                    for b in range(self.P):
                        sums[t, b] += parts[self.tag_parts.part[j], b]
                if self.uses_tag_pairs:
                    for a in range(self.T):
                        out[t, a] = self.tag_parts.total(<label_t> a, &sums[t, 0])
        return found

    cdef Workspace take_workspace(self):
        """A free workspace, with the arrays that every sentence needs."""
        cdef Workspace space
        cdef Py_ssize_t of_forms = FORM_BATCH * self.form_templates.count
        cdef Py_ssize_t of_words = WORD_BATCH * self.context_templates.count
        cdef Py_ssize_t keys = max(of_forms, of_words) + 1
        try:
            space = self.free_workspaces.pop()
        except IndexError:
            space = Workspace()
        rewind(&space.arena)
        space.rows = <atom_t *> take(&space.arena, FORM_BATCH * self.width * sizeof(atom_t))
        space.keys = <key_t *> take(&space.arena, keys * sizeof(key_t))
        space.targets = <score_t **> take(&space.arena, keys * sizeof(score_t *))
        space.form_sums = <score_t *> take(&space.arena, FORM_BATCH * (self.P + self.T) * sizeof(score_t))
        space.part_sums = <score_t *> take(&space.arena, WORD_BATCH * self.P * sizeof(score_t))
        space.half_sums = <score_t *> take(&space.arena, self.tag_parts.nodes * sizeof(score_t))
        space.tags = <label_t *> take(&space.arena, self.T * sizeof(label_t))
        space.scores = <score_t *> take(&space.arena, self.T * sizeof(score_t))
        space.unnormalized = <score_t *> take(&space.arena, self.T * sizeof(score_t))
        return space

    cdef void score_forms(self, Workspace space, const atom_t *rows, Py_ssize_t count) noexcept nogil:
        """Score parts and whole tags from the forms of some rows alone, into ``form_sums``."""
        cdef Py_ssize_t i, k, templates = self.form_templates.count, labels = self.P + self.T
        for i in range(count):
            self.form_templates.fill(rows + i * self.width, space.keys + i * templates)
            for k in range(i * templates, (i + 1) * templates):
                space.targets[k] = space.form_sums + i * labels
        memset(space.form_sums, 0, count * labels * sizeof(score_t))
        self.form_weights.add_each(space.keys, count * templates, space.targets)
        if self.whole_weights is not None:
            for k in range(count * templates):
                space.targets[k] += self.P
            self.whole_weights.add_each(space.keys, count * templates, space.targets)

    cdef bytes make_entry(self, Workspace space, const atom_t *row, Py_ssize_t at, const label_t *allowed,
                          Py_ssize_t count):
        """The cache entry of the form that ``score_forms`` scored at this index.

        Its candidates are the ``allowed`` tags, or, if NULL, those that the dictionary allows.
        """
        cdef const score_t *of_parts = space.form_sums + at * (self.P + self.T)
        cdef score_t *scores = space.scores
        cdef score_t least
        cdef Py_ssize_t c, kept = 0, capacity
        cdef FormEntry *entry
        cdef label_t *tags
        cdef bytes made
        if allowed == NULL:
            count = self.dictionary.candidates(row[0], &allowed)
            if allowed == self.dictionary.everything:
                allowed, count = self._open_tags, self.open_count
        self.tag_parts.add_totals(allowed, count, of_parts, of_parts + self.P, True, space.half_sums, scores)
        least = largest(scores, count) - <score_t> self.margin if self.threshold > 0 else -INFINITY
        for c in range(count):          # branch-free: about half of the tags stay, in no predictable pattern
            space.tags[kept] = allowed[c]
            scores[kept] = scores[c]
            kept += scores[c] >= least
        capacity = (kept + 1) // 2 * 2
        made = PyBytes_FromStringAndSize(
            NULL,
            sizeof(FormEntry) + self.context_width * sizeof(atom_t) + capacity * (sizeof(label_t) + sizeof(score_t)))
        entry = <FormEntry *> PyBytes_AS_STRING(made)
        entry.count = <int32_t> kept
        entry.capacity = <int32_t> capacity
        for c in range(self.context_width):
            (<atom_t *> (entry + 1))[c] = row[self._context_columns[c]]
        tags = <label_t *> (<atom_t *> (entry + 1) + self.context_width)
        memcpy(tags, space.tags, kept * sizeof(label_t))
        memcpy(tags + capacity, scores, kept * sizeof(score_t))
        return made

    cdef list entries_of(self, Workspace space, forms):
        """The entries of some forms, from the cache or newly made."""
        cdef dict entries = self.entries
        cdef list found = [], new = []
        for form in forms:
            entry = entries.get(form)
            found.append(entry)
            if entry is None:
                new.append(form)
        if not new:
            return found
        cdef dict made = self.new_entries(space, list(dict.fromkeys(new)))
        if len(entries) > MAX_CACHED_FORMS:
            entries = self.entries = {}
        entries.update(made)
        return [made[form] if entry is None else entry for form, entry in zip(forms, found)]

    cdef dict new_entries(self, Workspace space, list forms):
        """The entries of some forms, each of them once."""
        cdef const atom_t[:, ::1] matrix
        cdef const atom_t *rows = space.rows
        cdef Py_ssize_t first, i, count
        cdef dict made = {}
        if self.has_resources:
            matrix = self.features.form_atoms(forms)
        for first in range(0, len(forms), FORM_BATCH):
            count = min(<Py_ssize_t> FORM_BATCH, len(forms) - first)
            if self.has_resources:
                rows = &matrix[first, 0]
            else:
                for i in range(count):
                    self.form_rows.fill(forms[first + i], space.rows + i * self.width)
            with nogil:
                self.score_forms(space, rows, count)
            for i in range(count):
                made[forms[first + i]] = self.make_entry(space, rows + i * self.width, i, NULL, 0)
        return made

    cdef bytes constrained_entry(self, Workspace space, str form, allowed):
        """The entry of a form under these tags: its own candidates among them, or all of them if there are none.

        Tags that were never candidates of a word in training have no weights against them.
        """
        cdef const atom_t[:, ::1] rows
        cdef const label_t[::1] tags
        cdef const label_t *usual = NULL
        cdef Py_ssize_t count, k
        cdef bytes made
        key = form, id(allowed)
        found = self.constrained.get(key)
        if found is not None and found[0] is allowed:
            return found[1]
        chosen = sorted(set(allowed))
        if min(chosen) < 0 or max(chosen) >= self.T:
            raise ValueError(f"tags {allowed} of {self.T}")
        rows = self.features.form_atoms([form])
        count = self.dictionary.candidates(rows[0, 0], &usual)
        if usual == self.dictionary.everything:
            usual, count = self._open_tags, self.open_count
        possible = {usual[k] for k in range(count)}
        tags = np.array([tag for tag in chosen if tag in possible] or chosen, dtype=np.uint16)
        self.score_forms(space, &rows[0, 0], 1)
        made = self.make_entry(space, &rows[0, 0], 0, &tags[0], len(tags))
        if isinstance(allowed, tuple):  # immutable; the reference kept here guarantees that its id stays unique
            if len(self.constrained) > MAX_CACHED_FORMS:
                self.constrained = {}
            self.constrained[key] = allowed, made
        return made

    cdef Workspace build_lattice(self, forms, allowed, double threshold):
        """The lattice of a sentence after order 0; ``allowed`` lists the permitted tags of each word, empty for any."""
        cdef Py_ssize_t n = len(forms), i
        cdef Workspace space = self.take_workspace()
        space.threshold = threshold
        cdef list entries = self.entries_of(space, forms)
        if allowed is not None:
            if len(allowed) != n:
                raise ValueError("tags of another sentence")
            for i in range(n):
                if len(allowed[i]):
                    entries[i] = self.constrained_entry(space, forms[i], allowed[i])
        cdef const FormEntry **pointers = <const FormEntry **> take(&space.arena, n * sizeof(FormEntry *))
        for i in range(n):
            pointers[i] = <const FormEntry *> PyBytes_AS_STRING(<bytes> entries[i])
        with nogil:
            self.fill_lattice(space, pointers, n)
        return space

    cdef int fill_lattice(self, Workspace space, const FormEntry *const *entries, Py_ssize_t n) except -1 nogil:
        """Score the candidates of every word and drop those below the threshold."""
        cdef Lattice *lattice = &space.lattice
        cdef Py_ssize_t i, first = 0, last, used = 0, total = 0, row = self.context_width * sizeof(atom_t)
        cdef char *atoms = <char *> take(&space.arena, (n + 2 * self.pad) * row + 8)
        memcpy(atoms, self._left_padding, self.pad * row)
        for i in range(n):
            memcpy(atoms + (self.pad + i) * row, entries[i] + 1, row)
            total += entries[i].count
        memcpy(atoms + (self.pad + n) * row, self._right_padding, self.pad * row)
        fill_nearest(<atom_t *> (atoms + self.pad * row), n, self.context_width, &self.nearest_columns)
        lattice.n = n
        lattice.first = <int32_t *> take(&space.arena, (n + 1) * sizeof(int32_t))
        lattice.tag = <label_t *> take(&space.arena, total * sizeof(label_t))
        lattice.score = <score_t *> take(&space.arena, total * sizeof(score_t))
        while first < n:
            last = min(first + WORD_BATCH, n)
            self.score_context(space, <const atom_t *> (atoms + self.pad * row), entries, first, last)
            for i in range(first, last):
                lattice.first[i] = <int32_t> used
                used += self.prune(space, entries[i], space.part_sums + (i - first) * self.P, used)
            first = last
        lattice.first[n] = <int32_t> used
        return 0

    cdef void score_context(self, Workspace space, const atom_t *atoms, const FormEntry *const *entries,
                            Py_ssize_t first, Py_ssize_t last) noexcept nogil:
        """Score the parts of words first .. last - 1 from their context, [last - first][P], if they have a choice."""
        cdef Py_ssize_t i, k, count = self.context_templates.count, waiting = 0
        memset(space.part_sums, 0, (last - first) * self.P * sizeof(score_t))
        for i in range(first, last):
            if entries[i].count > 1:
                self.context_templates.fill(atoms + i * self.context_width, space.keys + waiting)
                for k in range(waiting, waiting + count):
                    space.targets[k] = space.part_sums + (i - first) * self.P
                waiting += count
        self.context_weights.add_each(space.keys, waiting, space.targets)

    cdef Py_ssize_t prune(self, Workspace space, const FormEntry *entry, const score_t *sums,
                          Py_ssize_t at) noexcept nogil:
        """Add the candidates of a word whose probability reaches the threshold to the lattice; return their number."""
        cdef Py_ssize_t c, count = entry.count, used = at
        cdef const label_t *tags = <const label_t *> (<const atom_t *> (entry + 1) + self.context_width)
        cdef const score_t *of_form = <const score_t *> (tags + entry.capacity)
        cdef label_t *tag = space.lattice.tag
        cdef score_t *score = space.lattice.score
        cdef score_t *scores = space.scores
        cdef score_t top, least = -INFINITY
        if count == 1:
            tag[at] = tags[0]
            score[at] = of_form[0]
            return 1
        self.tag_parts.add_totals(tags, count, sums, of_form, False, space.half_sums, scores)
        if space.threshold > 0:
            top = largest(scores, count)
            exp_below(space.unnormalized, scores, top, count)
            least = min(top, <score_t> (top + log(space.threshold * sum_of(space.unnormalized, count))))
        for c in range(count):
            if scores[c] >= least:
                tag[used] = tags[c]
                score[used] = scores[c]
                used += 1
        return used - at

    cdef int connect(self, Workspace space, bint sums) except -1 nogil:
        """Add edges with scores; with ``sums`` also the probabilities. Order 2 replaces the lattice by one of pairs."""
        cdef Lattice *lattice = &space.lattice
        cdef Lattice pairs
        cdef Py_ssize_t n = lattice.n, states = lattice.first[n]
        cdef int32_t *path
        cdef int32_t *back
        connect_all(lattice, &space.arena)
        self.score_pairs(lattice)
        if self.order == 2 and n > 1:
            path = <int32_t *> take(&space.arena, n * sizeof(int32_t))
            back = <int32_t *> take(&space.arena, states * sizeof(int32_t))
            best_path(lattice, path, back, <double *> take(&space.arena, states * sizeof(double)))
            pair_states(lattice, edge_probabilities(lattice, &space.arena), space.threshold, path, &space.arena, &pairs)
            self.score_triples(&pairs)
            lattice[0] = pairs
        if sums:
            space.log_z = sum_paths(lattice)
        return 0

    cdef void score_pairs(self, Lattice *lattice) noexcept nogil:
        """Score the edges by the pairs of tags that they connect."""
        cdef Py_ssize_t s, e
        cdef const label_t *tag = lattice.tag
        if self.order == 0:
            memset(lattice.edge, 0, lattice.into[lattice.first[lattice.n]] * sizeof(score_t))
        elif self.uses_tag_pairs:
            for s in range(lattice.first[1], lattice.first[lattice.n]):
                for e in range(lattice.into[s], lattice.into[s + 1]):
                    lattice.edge[e] = self.pair[tag[lattice.source[e]] * self.T + tag[s]]
        else:
            for s in range(lattice.first[1], lattice.first[lattice.n]):
                for e in range(lattice.into[s], lattice.into[s + 1]):
                    lattice.edge[e] = self.tag_parts.total(tag[s], self.pair + tag[lattice.source[e]] * self.P)

    cdef void score_triples(self, Lattice *lattice) noexcept nogil:
        """Score the edges of a lattice whose states are pairs of tags, beyond the scores of these pairs."""
        cdef const label_t *coarse = self.tag_parts.coarse_of
        cdef Py_ssize_t s, e
        cdef label_t a, b, c
        if lattice.n < 3:
            return
        for s in range(lattice.first[2], lattice.first[lattice.n]):
            b, c = lattice.previous_tag[s], lattice.tag[s]
            for e in range(lattice.into[s], lattice.into[s + 1]):
                a = lattice.previous_tag[lattice.source[e]]
                lattice.edge[e] = self.triple[(coarse[a] * self.C + coarse[b]) * self.C + coarse[c]]
                if self.uses_tag_pairs:
                    lattice.edge[e] += self.skip[a * self.T + c]
                else:
                    lattice.edge[e] += self.tag_parts.total(c, self.skip + a * self.P)

    cdef int search(self, Workspace space, label_t *tags, double *score) except -1 nogil:
        """Find the best path of a built lattice, and its score."""
        cdef Lattice *lattice = &space.lattice
        cdef Py_ssize_t n = lattice.n, i, states
        cdef int32_t *path
        cdef int32_t *back
        self.connect(space, False)
        states = lattice.first[n]
        path = <int32_t *> take(&space.arena, n * sizeof(int32_t))
        back = <int32_t *> take(&space.arena, states * sizeof(int32_t))
        score[0] = best_path(lattice, path, back, <double *> take(&space.arena, states * sizeof(double)))
        for i in range(n):
            tags[i] = lattice.tag[path[i]]
        return 0

    def decode(self, forms, allowed=None):
        """(the best tags as numbers, their score)."""
        cdef Py_ssize_t n = len(forms)
        cdef double score = 0
        best = np.zeros(n, dtype=np.uint16)
        if n == 0:
            return best, 0.0
        cdef label_t[::1] tags = best
        cdef Workspace space = self.build_lattice(forms, allowed, self.search_threshold)
        with nogil:
            self.search(space, &tags[0], &score)
        self.free_workspaces.append(space)
        return best, score

    def best_values(self, forms, values not None, allowed=None):
        """The values of the best tags, one list for each tuple in ``values``, and their score."""
        cdef Py_ssize_t n = len(forms), i
        cdef double score = 0
        cdef Workspace space
        cdef label_t *tags
        cdef tuple of_tags
        cdef list found = [], own
        for of_tags in values:
            if len(of_tags) != self.T:
                raise ValueError(f"{len(of_tags)} values for {self.T} tags")
        if n == 0:
            return [[] for _ in values], 0.0
        space = self.build_lattice(forms, allowed, self.search_threshold)
        tags = <label_t *> take(&space.arena, n * sizeof(label_t))
        with nogil:
            self.search(space, tags, &score)
        for of_tags in values:
            own = []
            for i in range(n):
                own.append(of_tags[tags[i]])
            found.append(own)
        self.free_workspaces.append(space)
        return found, score

    def marginals(self, forms, allowed=None):
        """(log Z, starts [n + 1], tags, probabilities): the candidates of each word that pruning left."""
        cdef Py_ssize_t n = len(forms), i, s, made = 0, k
        if n == 0:
            return 0.0, np.zeros(1, np.int32), np.zeros(0, np.uint16), np.zeros(0)
        cdef Workspace space = self.build_lattice(forms, allowed, self.threshold)
        cdef Lattice *lattice = &space.lattice
        with nogil:
            self.connect(space, True)
        starts = np.zeros(n + 1, dtype=np.int32)
        tags = np.zeros(lattice.first[n], dtype=np.uint16)
        probabilities = np.zeros(lattice.first[n])
        cdef int32_t[::1] at = starts
        cdef label_t[::1] tag = tags
        cdef double[::1] probability = probabilities
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
                    probability[k] += p
                at[i + 1] = <int32_t> made
        log_z = space.log_z
        self.free_workspaces.append(space)
        return log_z, starts, tags[:made], probabilities[:made]

    def lattice(self, forms, allowed=None):
        """The lattice in plain arrays: first, tag, score, into, source, edge; for n-best lists."""
        cdef Py_ssize_t n = len(forms), states, edges
        if n == 0:
            raise ValueError("a sentence without words has no lattice")
        cdef Workspace space = self.build_lattice(forms, allowed, self.search_threshold)
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
        self.free_workspaces.append(space)
        return found
