"""The scores of the transitions of a configuration; sums of template groups are cached."""

from libc.stdlib cimport free
from libc.string cimport memcpy, memset

import numpy as np

from plait.core._hashing cimport finish, mix
from plait.core._memory cimport Arena, Slot, free_map, insert, prefetch_slot, release, reserve, take, trim
from plait.core._rows cimport add_32, sum_rows
from plait.core._templates cimport (
    Templates, add_up, clear_sums, close_sums, look_up, new_sum, open_sums, signature,
)
from plait.features._agreement cimport agreement
from plait.transition._graph cimport ROLES
from plait.transition._lattice cimport place_of, linear_lattice
from plait.transition._state cimport (
    LAST, NODE_COLUMNS, SLOTS, M, Start, choice_of, initial_step, next_reach, window_nodes,
)

NODE_COLUMN_NAMES = ("w", "t", "m", "lc.w", "lc.t", "lc.l", "rc.w", "rc.t", "rc.l", "lc2.w", "lc2.t", "lc2.l",
                     "rc2.w", "rc2.t", "rc2.l", "vl", "vr", "ll", "lr")
SLOT_NAMES = ("s0", "s1", "s2", "b0", "b1", "b2", "p0")
GLOBAL_NAMES = ("dist(s0,b0)", "dist(s1,s0)", "between(s0,b0)", "between(s1,s0)", "guide(s0,b0)", "guide(s1,s0)",
                "guide.l(s0,b0)", "guide.l(s1,s0)", "done(s0)", "done(s1)", "delta", "rank", "agree(s0,b0)",
                "agree(s1,s0)")
SEARCH_COLUMNS = GUIDES     # columns of the word matrix that templates cannot use

cdef enum:
    MAX_NUMBER = 65535  # candidate tags are 16-bit numbers
    MEMO = 1 << 14      # cached sums: enough for usual sentences, and a limit for very long ones
    KEPT = 1 << 22      # bytes of configurations, and of sums, that stay allocated for the next sentence


cdef inline atom_t distance(const Sentence *sentence, int32_t a, int32_t b) noexcept nogil:
    """Bins 1, 2, 3, 4, 5 to 10, more, and the order of the two words; absent if a word is."""
    cdef int32_t d
    if a < 0 or b < 0:
        return 0
    d = place_of(&sentence.lattice, max(a, b)) - place_of(&sentence.lattice, min(a, b))
    d = max(d, 1) if d <= 4 else 5 if d <= 10 else 6    # two words may begin in one word of the path
    return <atom_t> (d if b > a else d + 8)


cdef inline const atom_t *guide_of(const Sentence *sentence, int32_t word) noexcept nogil:
    """The guide's columns of a word, at the end of its row."""
    return sentence.atoms + word * sentence.width - <int> GUIDES


cdef int forget_sentence(Workspace *work) except -1:
    """Make the memory of the last sentence available for the next one."""
    cdef Arena arena = work.sentence.arena
    trim(&arena, KEPT)
    trim(&work.sums.arena, KEPT)
    memset(&work.sentence, 0, sizeof(Sentence))
    work.sentence.arena = arena
    work.constraints = NULL
    work.spans = NULL
    work.size = work.count = work.waiting = 0
    work.time = 0
    return clear_sums(&work.sums)


cdef class Memory:
    """What a search works in, used for one sentence after the other: a fresh page costs more than reading an old one.

    It belongs to one search, and to one thread at a time.
    """

    def __cinit__(self):
        memset(&self.work, 0, sizeof(Workspace))

    def __dealloc__(self):
        release(&self.work.sentence.arena)
        close_sums(&self.work.sums)
        free_map(&self.work.trees)
        free_map(&self.work.tagged)
        free(self.work.expansions)
        free(self.work.heap)


cdef class Scoring:
    """Templates and their weights."""

    def __cinit__(self, Scorer arcs not None, Scorer tags, TemplateGroups arc_templates not None,
                  TemplateGroups tag_templates not None, TemplateGroups choice_templates not None, GraphTemplates graph,
                  LabelFilter filter not None, classes, bint compound, extras, Py_ssize_t width, tag_rows,
                  Py_ssize_t agreement_slots, bint guided=False, Scorer words=None,
                  TemplateGroups word_templates=None, bint tags_first=False):
        """``guided``: the last columns of the word matrix are those of a guide."""
        cdef Py_ssize_t i
        cdef const uint64_t[:, ::1] rows
        self.arcs, self.tags = arcs, tags
        self.arc_templates, self.tag_templates, self.choice_templates = arc_templates, tag_templates, choice_templates
        self.words = words
        self.word_templates = TemplateGroups(Templates([], []), []) if word_templates is None else word_templates
        self.graph = graph
        self.filter = filter
        self._classes = np.ascontiguousarray(classes, dtype=np.uint16)
        self.classes = self._classes
        self.compound = compound
        self.actions = 2 + 2 * filter.labels
        self.trees = filter.labels > 0
        self.tag_count = self.classes.shape[0]
        self.extras = len(extras)
        self._tag_rows = rows = np.ascontiguousarray(tag_rows, dtype=np.uint64)
        self.tag_columns = rows.shape[1]
        self.tag_rows = &rows[0, 0] if rows.shape[0] > 0 and self.tag_columns > 0 else NULL
        self.columns = NODE_COLUMNS + self.extras + self.tag_columns
        self.agreement_slots = agreement_slots
        self.agreement_column = self.columns - agreement_slots
        self.width = width
        self.tags_first = tags_first
        self.extra = np.array(extras, dtype=np.int32)
        for i in self.extra:
            if not 0 <= i < width:
                raise ValueError(f"column {i} of {width}")
        if arcs.labels != self.actions:
            raise ValueError(f"{arcs.labels} weights a row for {self.actions} actions")
        if self.tag_count == 0 or int(self._classes.max()) >= filter.classes:
            raise ValueError("tags of other classes than those of the label filter")
        self.class_count = int(self._classes.max()) + 1
        if tags is not None and tags.labels != self.class_count:
            raise ValueError(f"{tags.labels} weights a row for {self.class_count} classes of tags")
        if self.tag_columns > 0 and not compound:
            raise ValueError("features of tags that have no parts")
        if rows.shape[0] != self.tag_count or not 0 <= agreement_slots <= self.tag_columns:
            raise ValueError(f"{rows.shape[0]} rows of {self.tag_columns} features for {self.tag_count} tags")
        if graph is not None and not graph.sees_only(width, self.tag_columns):
            raise ValueError("graph templates look outside the word matrix")
        if words is not None and words.labels != (2 if tags_first else 1):
            raise ValueError(f"{words.labels} weights a row for words")
        self.slots = LAST
        for groups in (arc_templates, tag_templates, choice_templates, self.word_templates):
            templates = groups.templates
            if any(templates.sees(i) for i in range(LAST * self.columns, SLOTS * self.columns)):
                self.slots = SLOTS
            if templates.lowest < 0 or templates.highest >= SLOTS * self.columns + GLOBALS:
                raise ValueError("templates look outside the window")
            for i in (<int> BETWEEN_S0_B0, <int> BETWEEN_S1_S0):
                self.sees_between = self.sees_between or templates.sees(SLOTS * self.columns + i)
            for i in range(<int> GUIDE_S0_B0, <int> DONE_S1 + 1):
                self.sees_guide = self.sees_guide or templates.sees(SLOTS * self.columns + i)
        if self.sees_guide and (not guided or width <= <int> GUIDES):
            raise ValueError("templates look at a guide, but there is none")

    cdef int open(self, Workspace *work, const uint64_t[:, ::1] atoms, candidates, Lattice lattice,
                  Py_ssize_t hypotheses) except -1:
        """Check the sentence and prepare for so many hypotheses, as many as whenever this memory was used before."""
        cdef Sentence *sentence = &work.sentence
        cdef const uint16_t[:, ::1] tags, bins
        cdef const uint16_t[::1] counts
        cdef Py_ssize_t n = atoms.shape[0], k, w, c
        cdef Py_ssize_t max_templates = 0, groups = 0
        forget_sentence(work)
        tags, counts, bins = candidates
        k = tags.shape[1]
        for templates in (self.arc_templates, self.tag_templates, self.choice_templates, self.word_templates):
            max_templates = max(max_templates, len(templates.templates))
            groups = max(groups, <Py_ssize_t> templates.count)
        if self.graph is not None:
            max_templates = max(max_templates, max(self.graph.siblings.count, self.graph.grandchildren.count))
        if n < 1 or atoms.shape[1] != self.width or tags.shape[0] != n or counts.shape[0] != n:
            raise ValueError("atoms, tags and counts of different shapes")
        if bins.shape[0] != n or bins.shape[1] != k or not 1 <= k < MAX_NUMBER or n > 1 << 24:
            raise ValueError("tags and bins of different shapes")
        for w in range(n):
            if not 1 <= counts[w] <= k or (self.tags is None and counts[w] > 1):
                raise ValueError(f"word {w + 1} has {counts[w]} candidate tags")
            for c in range(counts[w]):
                if tags[w, c] >= self.tag_count:
                    raise ValueError(f"word {w + 1} has tag {tags[w, c]} of {self.tag_count}")
        if lattice is None:
            linear_lattice(&sentence.lattice, n, &sentence.arena)
        elif lattice.words != n or self.words is None:
            raise ValueError(f"a lattice of {lattice.words} words for {n}, or weights of given words alone")
        else:
            sentence.lattice = lattice.arrays
        sentence.lattice.append = 2 if self.trees else 1
        sentence.n, sentence.k, sentence.width = n, k, self.width
        sentence.atoms = &atoms[0, 0]
        sentence.tags = &tags[0, 0]
        sentence.counts = &counts[0]
        sentence.bins = &bins[0, 0]
        sentence.classes = &self.classes[0]
        sentence.compound = self.compound
        sentence.trees = self.trees
        sentence.tag_rows, sentence.tag_columns = self.tag_rows, self.tag_columns
        if self.tags_first:
            self.list_starts(work)
        # No limit up to 40 words, since a pair of words is swapped once; beyond that it keeps the search linear.
        sentence.max_swaps = <int32_t> (10 * <Py_ssize_t> sentence.lattice.length + 400)
        work.beam = <const Step **> take(&sentence.arena, hypotheses * sizeof(Step *))
        work.scores = <score_t *> take(&sentence.arena, 2 * self.actions * sizeof(score_t))
        work.tag_scores = <score_t *> take(&sentence.arena, 2 * self.class_count * sizeof(score_t))
        c = SLOTS * self.columns + GLOBALS
        w = c + (<int> ROLES * self.graph.columns if self.graph is not None else 0)
        work.window = <atom_t *> take(&sentence.arena, w * sizeof(atom_t))
        memset(work.window, 0, w * sizeof(atom_t))
        if work.sums.arrays == NULL:
            open_sums(&work.sums, hypotheses * max_templates, (hypotheses + 1) * groups)
        work.arc_sums = work.sums.parts + groups
        reserve(&work.trees, 2 * hypotheses)
        reserve(&work.tagged, 2 * hypotheses)
        work.factor_scores = work.scores + self.actions
        work.factor = work.window + c
        if self.sees_between:
            self.span_tags(work)
        work.beam[0] = initial_step(sentence)
        work.size = 1
        return 0

    cdef int list_starts(self, Workspace *work) except -1:
        """List the tags that a word can start with at each position, those of the best word first, each tag once."""
        cdef Sentence *sentence = &work.sentence
        cdef int32_t position, word, guide, s, count = 1, total = 1
        cdef Py_ssize_t w
        cdef label_t c, tag
        for w in range(sentence.n):
            total += sentence.counts[w]
        cdef Start *starts = <Start *> take(&sentence.arena, total * sizeof(Start))     # from 1 on
        cdef int32_t *first = <int32_t *> take(&sentence.arena, (sentence.lattice.length + 2) * sizeof(int32_t))
        first[0] = 0
        for position in range(1, sentence.lattice.length + 1):
            first[position] = count
            guide = word = sentence.lattice.best[position]
            while word < sentence.lattice.first[position + 1]:
                for c in range(sentence.counts[word - 1]):
                    tag = sentence.tags[(word - 1) * sentence.k + c]
                    s = first[position]
                    while s < count and starts[s].tag != tag:
                        s += 1
                    if s == count:
                        starts[s] = Start(word, c, tag)
                        count += 1
                # the best word, then all others in order
                word = sentence.lattice.first[position] if word == guide else word + 1
                if word == guide:
                    word += 1
        first[sentence.lattice.length + 1] = count
        sentence.starts, sentence.first_start = starts, first
        return 0

    cdef int span_tags(self, Workspace *work) except -1:
        """Compute the tag sets of 1, 2, 4, ... words starting at each word: any span is the union of two of them."""
        cdef Sentence *sentence = &work.sentence
        cdef Py_ssize_t n = sentence.lattice.path_length, levels = 1, level, half, w
        while (<Py_ssize_t> 1 << levels) <= n:
            levels += 1
        work.spans = <uint64_t *> take(&sentence.arena, levels * n * sizeof(uint64_t))
        for w in range(n):
            half = sentence.lattice.path[w] - 1
            work.spans[w] = <uint64_t> 1 << (sentence.classes[sentence.tags[half * sentence.k]] % 64)
        for level in range(1, levels):
            half = <Py_ssize_t> 1 << (level - 1)
            for w in range(n - 2 * half + 1):
                work.spans[level * n + w] = work.spans[(level - 1) * n + w] | work.spans[(level - 1) * n + w + half]
        return 0

    cdef atom_t tags_between(self, Workspace *work, int32_t a, int32_t b) noexcept nogil:
        """The set of the tagger's best tags of the words between two words; absent if one of them is."""
        cdef Py_ssize_t n = work.sentence.lattice.path_length, first, length, level = 0
        if a < 0 or b < 0:
            return 0
        first = work.sentence.lattice.begun[work.sentence.lattice.end[min(a, b)]]
        length = work.sentence.lattice.ended[work.sentence.lattice.begin[max(a, b)]] - first
        if length <= 0:
            return 1
        while (<Py_ssize_t> 2 << level) <= length:
            level += 1
        return finish(mix(0x62657477, work.spans[level * n + first]
                          | work.spans[level * n + first + length - (<Py_ssize_t> 1 << level)]))

    cdef void fill_guide(self, Workspace *work, const Node **slots, atom_t *to) noexcept nogil:
        """Write the guide's atoms of the words in the slots."""
        self.fill_guide_arc(work, slots[0].word, slots[3].word, to + <int> GUIDE_S0_B0, to + <int> GUIDE_LABEL_S0_B0)
        self.fill_guide_arc(work, slots[1].word, slots[0].word, to + <int> GUIDE_S1_S0, to + <int> GUIDE_LABEL_S1_S0)
        to[<int> DONE_S0] = self.has_guide_dependents(work, slots[0])
        to[<int> DONE_S1] = self.has_guide_dependents(work, slots[1])

    cdef void fill_guide_arc(self, Workspace *work, int32_t a, int32_t b, atom_t *arc,
                             atom_t *label) noexcept nogil:
        """The guide's arc between two words, 1: none, 2: from b to a, 3: from a to b; absent if a word is."""
        arc[0] = 0 if a < 0 or b < 0 else 1
        label[0] = 0
        if a > 0 and b >= 0 and guide_of(&work.sentence, a)[<int> GUIDE_HEAD] == <atom_t> b:
            arc[0] = 2
            label[0] = finish(mix(2, guide_of(&work.sentence, a)[<int> GUIDE_LABEL]))
        elif b > 0 and a >= 0 and guide_of(&work.sentence, b)[<int> GUIDE_HEAD] == <atom_t> a:
            arc[0] = 3
            label[0] = finish(mix(3, guide_of(&work.sentence, b)[<int> GUIDE_LABEL]))

    cdef atom_t has_guide_dependents(self, Workspace *work, const Node *node) noexcept nogil:
        """2 if a word has all its dependents in the guide's tree, 1 if some are missing; absent for the root."""
        cdef const Arc *arc = node.arcs
        cdef atom_t found = 0
        if node.word <= 0:
            return 0
        while arc != NULL:
            found += guide_of(&work.sentence, arc.child.word)[<int> GUIDE_HEAD] == <atom_t> node.word
            arc = arc.next
        return 2 if found == guide_of(&work.sentence, node.word)[<int> GUIDE_DEPENDENTS] else 1

    cdef void set_window(self, Workspace *work, const Step *step, int32_t word, label_t choice) noexcept nogil:
        """Make this the current configuration, with this word and tag as the next of the buffer."""
        cdef const Node *slots[SLOTS]
        cdef int s
        window_nodes(&work.sentence, step, word, choice, slots)
        work.window_word, work.window_choice = word, choice
        for s in range(self.slots):
            work.contents[s] = finish(mix(mix(0x736c6f74, <uint64_t> slots[s].word), slots[s].tag))
            work.contents[SLOTS + s] = slots[s].tagged
        work.window_filled = False

    cdef void fill_window(self, Workspace *work, const Step *step) noexcept nogil:
        """Fill the window with the atoms of a configuration."""
        cdef const Node *slots[SLOTS]
        cdef const atom_t *row
        cdef atom_t *to = work.window
        cdef Py_ssize_t i, e
        work.window_filled = True
        window_nodes(&work.sentence, step, work.window_word, work.window_choice, slots)
        for i in range(self.slots):
            memcpy(to, slots[i].atom, NODE_COLUMNS * sizeof(atom_t))
            if slots[i].word > 0:
                row = work.sentence.atoms + (slots[i].word - 1) * self.width
                for e in range(self.extras):
                    to[NODE_COLUMNS + e] = row[self.extra[e]]
                if self.tag_columns > 0:
                    memcpy(to + NODE_COLUMNS + self.extras, self.tag_rows + slots[i].tag * self.tag_columns,
                           self.tag_columns * sizeof(atom_t))
            else:
                memset(to + NODE_COLUMNS, 0, (self.extras + self.tag_columns) * sizeof(atom_t))
            to += self.columns
        to = work.window + SLOTS * self.columns
        to[<int> DIST_S0_B0] = distance(&work.sentence, slots[0].word, slots[3].word)
        to[<int> DIST_S1_S0] = distance(&work.sentence, slots[1].word, slots[0].word)
        if self.sees_between:
            to[<int> BETWEEN_S0_B0] = self.tags_between(work, slots[0].word, slots[3].word)
            to[<int> BETWEEN_S1_S0] = self.tags_between(work, slots[1].word, slots[0].word)
        if self.sees_guide:
            self.fill_guide(work, slots, to)
        if self.agreement_slots > 0:
            row = work.window + self.agreement_column
            to[<int> AGREE_S0_B0] = agreement(row, row + 3 * self.columns, self.agreement_slots)
            to[<int> AGREE_S1_S0] = agreement(row + self.columns, row, self.agreement_slots)

    cdef void fill_candidate(self, Workspace *work, Py_ssize_t at, label_t choice) noexcept nogil:
        """Write the atoms of one candidate tag of the next word into a filled window, for the choice templates."""
        cdef atom_t *to = work.window + SLOTS * self.columns
        cdef const atom_t *row = work.window + self.agreement_column
        to[<int> DELTA] = <atom_t> work.sentence.bins[at] + 1
        to[<int> RANK] = <atom_t> choice + 1
        if self.compound:
            work.window[3 * self.columns + <int> M] = <atom_t> work.sentence.tags[at] + 1
        if self.tag_columns > 0:
            memcpy(work.window + 4 * self.columns - self.tag_columns,
                   self.tag_rows + work.sentence.tags[at] * self.tag_columns, self.tag_columns * sizeof(atom_t))
            if self.agreement_slots > 0:
                to[<int> AGREE_S0_B0] = agreement(row, row + 3 * self.columns, self.agreement_slots)

    cdef int find_sums(self, Workspace *work, const Step *step, TemplateGroups groups, Scorer weights, uint64_t more,
                       score_t **parts) except -1 nogil:
        """The sums of all groups in the current configuration; keys of slots that are new together are queued."""
        cdef Py_ssize_t g
        cdef Slot *slot
        for g in range(groups.count):
            work.sums.signatures[g] = signature(groups, g, work.contents, more)
            prefetch_slot(&work.sums.memo, work.sums.signatures[g])
        for g in range(groups.count):
            slot = insert(&work.sums.memo, work.sums.signatures[g])
            if slot.value.pointer == NULL:
                if not work.window_filled:
                    self.fill_window(work, step)
                slot.value.pointer = new_sum(&work.sums, groups, g, work.window, weights.labels)
            parts[g] = <score_t *> slot.value.pointer
        return 0

    cdef int sum_groups(self, Workspace *work, const Step *step, TemplateGroups groups, Scorer weights, uint64_t more,
                        score_t *scores) except -1 nogil:
        """The scores of all templates in the current configuration."""
        self.find_sums(work, step, groups, weights, more, work.sums.parts)
        work.sums.count = groups.count
        add_up(&work.sums, weights, scores)
        return 0

    cdef int forget(self, Workspace *work) except -1 nogil:
        """Clear the cache if it is large."""
        return clear_sums(&work.sums) if work.sums.memo.count > MEMO else 0

    cdef int find_arc_sums(self, Workspace *work, const Step *step, score_t **parts) except -1 nogil:
        """Make this the current configuration and find the sums of its arc templates; keys of new ones are queued."""
        self.set_window(work, step, work.sentence.lattice.best[step.front], 0)
        return self.find_sums(work, step, self.arc_templates, self.arcs, 1, parts) if self.trees else 0

    cdef int score(self, Workspace *work, const Step *step) except -1 nogil:
        """The scores of all actions in a configuration."""
        self.forget(work)
        self.find_arc_sums(work, step, work.arc_sums)
        look_up(&work.sums, self.arcs)
        return self.add_arc_sums(work, step, work.arc_sums)

    cdef int add_arc_sums(self, Workspace *work, const Step *step, score_t **parts) except -1 nogil:
        """The scores of all actions from the sums of the arc templates, whose keys have been looked up."""
        if not self.trees:
            memset(work.scores, 0, self.actions * sizeof(score_t))
            return 0
        sum_rows(work.scores, <const score_t *const *> parts, self.arc_templates.count, self.actions)
        if self.graph is not None and step.stack.depth >= 2:
            self.add_factors(work, step.stack.below.node, step.stack.node, RIGHT)
            if step.stack.depth >= 3:
                self.add_factors(work, step.stack.node, step.stack.below.node, LEFT)
        return 0

    cdef double siblings(self, Workspace *work, const Node *node) noexcept nogil:
        """The score of the sibling factors of a node's children, computed once."""
        cdef Node *own = <Node *> node
        cdef const Arc *arc = node.arcs
        if not own.siblings_known:
            own.siblings = 0
            while arc != NULL:
                self.graph.fill_siblings(&work.sentence, node, arc, work.factor)
                self.graph.siblings.fill(work.factor, work.sums.keys)
                memset(work.factor_scores, 0, self.actions * sizeof(score_t))
                self.arcs.add(work.sums.keys, self.graph.siblings.count, work.factor_scores)
                own.siblings += work.factor_scores[action_of(node, arc)]
                arc = arc.next
            own.siblings_known = True
        return own.siblings

    cdef int add_factors(self, Workspace *work, const Node *h, const Node *d, label_t first) except -1 nogil:
        """Add the factors completed by the arc h → d to its actions; ``first`` is LEFT or RIGHT."""
        cdef Py_ssize_t action
        cdef score_t siblings
        cdef score_t *row
        cdef Slot *slot = insert(&work.sums.memo, finish(mix(mix(mix(0x66616374, h.tagged), d.tagged), first)))
        if slot.value.pointer == NULL:
            row = <score_t *> take(&work.sums.arena, self.actions * sizeof(score_t))
            slot.value.pointer = row
            siblings = <score_t> self.siblings(work, d)
            self.graph.fill_grandchildren(&work.sentence, h, d, work.factor)
            self.graph.grandchildren.fill(work.factor, work.sums.keys)
            memset(row, 0, self.actions * sizeof(score_t))
            self.arcs.add(work.sums.keys, self.graph.grandchildren.count, row)
            for action in range(self.actions):      # only actions in the direction of the arc
                row[action] = row[action] + siblings if action >= LEFT and (action - first) % 2 == 0 else 0
        add_32(work.scores, <score_t *> slot.value.pointer, self.actions)
        return 0

    cdef bint has_competitors(self, const Sentence *sentence, const Step *step) noexcept nogil:
        """Whether several candidate words start at the front of the buffer."""
        return sentence.lattice.first[step.front + 1] - sentence.lattice.first[step.front] > 1

    cdef bint chooses_tag(self, const Sentence *sentence, const Step *step, int32_t word) noexcept nogil:
        """Whether the tag of a first SHIFT is scored: if it or the word has competitors."""
        return self.tags is not None and (sentence.counts[word - 1] > 1 or self.has_competitors(sentence, step))

    cdef int32_t start_of(self, const Sentence *sentence, const Step *step, int32_t word,
                          label_t choice) noexcept nogil:
        """The start with the tag of a first SHIFT, of a word that ends (positive) or may grow (negative)."""
        cdef int32_t s = sentence.first_start[step.front]
        if word < 0:
            return -word
        while sentence.starts[s].tag != sentence.tags[(word - 1) * sentence.k + choice]:
            s += 1
        return s

    cdef int32_t word_so_far(self, const Sentence *sentence, const Step *step, int32_t word,
                             label_t *choice) noexcept nogil:
        """The candidate word that ends where the open word ends so far, if it can have its tag; otherwise 0."""
        cdef int32_t shorter, c
        for shorter in range(sentence.lattice.first[step.front], sentence.lattice.first[step.front + 1]):
            if sentence.lattice.end[shorter] == next_reach(step):
                c = choice_of(sentence, shorter, sentence.starts[-word].tag)
                choice[0] = <label_t> c
                return shorter if c >= 0 else 0
        return 0

    cdef bint chooses_start(self, const Sentence *sentence, const Step *step) noexcept nogil:
        """Whether the tag of a starting word is scored."""
        if self.tags is None or step.reach > 0:
            return False
        return (sentence.first_start[step.front + 1] - sentence.first_start[step.front] > 1
                or self.has_competitors(sentence, step))

    cdef score_t score_start(self, Workspace *work, const Step *step, int32_t word, label_t choice) except? -1 nogil:
        """With ``tags_first``: the score of a starting word's tag, and of ending the word here or not.

        Tag templates see the best word as the next one; word templates see the word so far, with its tag.
        """
        cdef Sentence *sentence = &work.sentence
        cdef score_t score = 0
        cdef score_t ends_or_grows[2]
        cdef const Start *begun
        cdef bint ends = word > 0
        if self.chooses_start(sentence, step):
            begun = &sentence.starts[self.start_of(sentence, step, word, choice)]
            self.set_window(work, step, sentence.lattice.best[step.front], 0)
            self.score_tags(work, step, begun.word)
            score += self.choice_score(work, step, begun.word, begun.choice)
        if not ends:
            word = self.word_so_far(sentence, step, word, &choice)
        if word > 0 and self.has_competitors(sentence, step):
            self.set_window(work, step, word, choice)
            self.sum_groups(work, step, self.word_templates, self.words, 1, ends_or_grows)
            score += ends_or_grows[0 if ends else 1]
        return score

    cdef score_t score_word(self, Workspace *work, const Step *step, int32_t word) except? -1 nogil:
        """Make a word the next one of the window; its score if it has competitors. Requires ``score``."""
        cdef score_t score = 0
        if work.window_word != word:
            self.set_window(work, step, word, 0)
        if self.has_competitors(&work.sentence, step):
            self.sum_groups(work, step, self.word_templates, self.words, 1, &score)
        return score

    cdef int score_tags(self, Workspace *work, const Step *step, int32_t word) except -1 nogil:
        """The scores of all tags of the next word, except for choice templates. Requires ``score_word``."""
        return self.sum_groups(work, step, self.tag_templates, self.tags, 1, work.tag_scores)

    cdef score_t choice_score(self, Workspace *work, const Step *step, int32_t word, label_t choice) except? -1 nogil:
        """The score of one candidate tag. Requires ``score_tags``."""
        cdef Py_ssize_t at = (word - 1) * work.sentence.k + choice
        cdef score_t *scores = work.tag_scores + self.class_count
        cdef label_t tag = self.classes[work.sentence.tags[at]]
        if self.compound and not work.window_filled:
            self.fill_window(work, step)
        self.fill_candidate(work, at, choice)   # the window is not used afterwards
        self.sum_groups(work, step, self.choice_templates, self.tags, <uint64_t> at + 2, scores)
        return work.tag_scores[tag] + scores[tag]
