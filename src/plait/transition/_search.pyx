"""Figure 2 of Bohnet & Nivre (2012): beam search with b1 distinct trees and b2 tagging variants; and its updates."""

from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

import numpy as np

from plait.core._hashing cimport finish, mix
from plait.core._memory cimport drop, forget, recall, release, rewind, take
from plait.core._types cimport add_32
from plait.transition._graph cimport ROLE_COLUMNS, ROLES
from plait.transition._groups cimport see
from plait.transition._state cimport (
    NODE_COLUMNS,
    SLOTS,
    Arc,
    Item,
    Node,
    apply,
    is_final,
    look_ahead,
    start,
    window,
)
from plait.transition._types cimport LEFT, RIGHT, SHIFT, SWAP

NODE_COLUMN_NAMES = ("w", "t", "m", "lc.w", "lc.t", "lc.l", "rc.w", "rc.t", "rc.l", "lc2.w", "lc2.t", "lc2.l",
                     "rc2.w", "rc2.t", "rc2.l", "vl", "vr", "ll", "lr")
SLOT_NAMES = ("s0", "s1", "s2", "b0", "b1", "b2")
GLOBAL_NAMES = ("dist(s0,b0)", "dist(s1,s0)", "between(s0,b0)", "between(s1,s0)", "delta", "rank")
UPDATES = ("early", "max-violation")

cdef enum:
    WIDEST = 65535      # candidate tags, labels and tags are 16-bit numbers
    MEMO = 1 << 14      # rows kept at once: enough for usual sentences, and a limit for very long ones


cdef class LabelFilter:
    """The labels that an arc may take, by the tags at its ends; damage is a ValueError.

    A pair of tags never seen in training takes what its dependent was seen with, or else any label that a word can
    give; under the root likewise.
    """

    def __cinit__(self, Py_ssize_t classes, Py_ssize_t labels, starts, known):
        self.classes, self.labels = classes, labels
        self.starts, self.known = starts, known
        self._starts, self._known = starts, known
        self.check()

    def check(self):
        """Lists in order, every label a label, and at least one for the root and for words."""
        cdef Py_ssize_t k, cells = (self.classes + 2) * (self.classes + 1)
        cdef bint sound = self.classes > 0 and 0 < self.labels < WIDEST // 2 and self._starts.shape[0] == cells + 1
        sound = sound and self._starts[0] == 0 and self._starts[cells] == self._known.shape[0]
        if sound:
            for k in range(cells):
                sound = sound and self._starts[k] <= self._starts[k + 1]
            for k in range(self._known.shape[0]):
                sound = sound and self._known[k] < self.labels
            for k in (self.classes, self.classes + 1):
                k = k * (self.classes + 1) + self.classes
                sound = sound and self._starts[k] < self._starts[k + 1]
        if not sound:
            raise ValueError("the label filter is damaged")

    def arrays(self):
        """What a model file stores."""
        return {"starts": self.starts, "known": self.known}

    cdef Py_ssize_t choices(self, Py_ssize_t head, Py_ssize_t dependent, const uint16_t **labels) noexcept nogil:
        cdef Py_ssize_t cell, attempt, count = 0, across = self.classes + 1
        for attempt in range(3):
            if head < 0 or head == self.classes:        # the root, then the root with any dependent
                cell = self.classes * across + (dependent if attempt == 0 else self.classes)
            elif attempt == 0:
                cell = head * across + dependent
            else:                                       # any head, then any head with any dependent
                cell = (self.classes + 1) * across + (dependent if attempt == 1 else self.classes)
            count = self._starts[cell + 1] - self._starts[cell]
            if count > 0:
                labels[0] = &self._known[self._starts[cell]]
                break
        return count

    def labels_of(self, Py_ssize_t head, Py_ssize_t dependent):
        """The labels of an arc between two classes of tags; head −1 is the root."""
        cdef const uint16_t *labels = NULL
        if not (-1 <= head < self.classes and 0 <= dependent < self.classes):
            raise IndexError(f"classes {head} and {dependent} of {self.classes}")
        cdef Py_ssize_t count = self.choices(head, dependent, &labels), k
        return [labels[k] for k in range(count)]


cdef inline label_t action_of(const Node *head, const Arc *arc) noexcept nogil:
    """The place of an arc's weights in a row, by its direction and label."""
    return (<label_t> LEFT if arc.child.word < head.word else <label_t> RIGHT) + 2 * arc.label


cdef inline atom_t distance(int32_t a, int32_t b) noexcept nogil:
    """1, 2, 3, 4, 5 to 10, more; the order of the two words shows as well. Absent words: absent."""
    cdef int32_t d = b - a if b > a else a - b
    if a < 0 or b < 0:
        return 0
    d = d if d <= 4 else 5 if d <= 10 else 6
    return <atom_t> (d if b > a else d + 8)


cdef inline bint ahead(const Expansion *a, const Expansion *b) noexcept nogil:
    """The order of hypotheses; equal scores keep the order in which they were proposed."""
    return a.score > b.score or (a.score == b.score and a < b)


cdef void sift(const Expansion *items, int32_t *heap, Py_ssize_t n, Py_ssize_t at) noexcept nogil:
    cdef Py_ssize_t child
    cdef int32_t moved = heap[at]
    while True:
        child = 2 * at + 1
        if child >= n:
            break
        if child + 1 < n and ahead(&items[heap[child + 1]], &items[heap[child]]):
            child += 1
        if not ahead(&items[heap[child]], &items[moved]):
            break
        heap[at] = heap[child]
        at = child
    heap[at] = moved


cdef uint64_t *place(uint64_t *seen, uint64_t mask, uint64_t value) noexcept nogil:
    """Where a value stands in a set, or the free cell (0) where it would."""
    cdef uint64_t at = value & mask
    while seen[at] != 0 and seen[at] != value:
        at = (at + 1) & mask
    return &seen[at]


cdef bint has_all(const Given *given, const Node *node) noexcept nogil:
    """Whether a word has all words whose given head it is."""
    cdef const Arc *arc = node.arcs
    cdef int32_t missing = given.children[node.word]
    while arc != NULL:
        missing -= given.heads[arc.child.word - 1] == node.word
        arc = arc.next
    return missing == 0


cdef class TransitionSearch:
    """Decodes sentences that are given as atoms and candidate tags; holds no strings and may be shared by threads."""

    def __cinit__(self, Scorer arcs not None, Scorer tags, Grouped arc_templates not None,
                  Grouped tag_templates not None, Grouped choice_templates not None, GraphTemplates graph,
                  LabelFilter filter not None, classes, bint compound, extras, Py_ssize_t width, Py_ssize_t beam,
                  Py_ssize_t beam_tags):
        cdef Py_ssize_t i
        self.arcs, self.tags = arcs, tags
        self.arc_templates, self.tag_templates, self.choice_templates = arc_templates, tag_templates, choice_templates
        self.graph = graph
        self.filter = filter
        self._classes = np.ascontiguousarray(classes, dtype=np.uint16)
        self.classes = self._classes
        self.compound = compound
        self.actions = 2 + 2 * filter.labels
        self.tag_count = self.classes.shape[0]
        self.extras = len(extras)
        self.columns = NODE_COLUMNS + self.extras
        self.width = width
        self.beam, self.beam_tags = beam, beam_tags
        self.extra = <int32_t *> malloc((self.extras + 1) * sizeof(int32_t))
        if self.extra == NULL:
            raise MemoryError()
        for i in range(self.extras):
            self.extra[i] = extras[i]
            if not 0 <= self.extra[i] < width:
                raise ValueError(f"column {extras[i]} of {width}")
        if arcs.labels != self.actions:
            raise ValueError(f"{arcs.labels} weights a row for {self.actions} actions")
        if tags is not None and tags.labels != self.tag_count:
            raise ValueError(f"{tags.labels} weights a row for {self.tag_count} tags")
        if self.tag_count == 0 or int(self._classes.max()) >= filter.classes:
            raise ValueError("tags of other classes than those of the label filter")
        if beam < 1 or beam_tags < 0:
            raise ValueError(f"a beam of {beam} and {beam_tags}")
        for templates in (arc_templates.templates, tag_templates.templates, choice_templates.templates):
            if templates.lowest < 0 or templates.highest >= SLOTS * self.columns + GLOBALS:
                raise ValueError("templates look outside the window")
            for i in (<int> BETWEEN_S0_B0, <int> BETWEEN_S1_S0):
                self.sees_between = self.sees_between or templates.sees(SLOTS * self.columns + i)

    def __dealloc__(self):
        free(self.extra)

    cdef int open(self, Desk *desk, const uint64_t[:, ::1] atoms, const uint16_t[:, ::1] tags,
                  const uint16_t[::1] counts, const uint16_t[:, ::1] bins) except -1:
        """Check the sentence and make room for the search; ``close`` must follow, also after an error."""
        cdef Sentence *sentence = &desk.sentence
        cdef Py_ssize_t n = atoms.shape[0], k = tags.shape[1], w, c
        cdef Py_ssize_t most = max(self.arc_templates.templates.count,
                                   max(self.tag_templates.templates.count, self.choice_templates.templates.count))
        if self.graph is not None:
            most = max(most, max(self.graph.siblings.count, self.graph.grandchildren.count))
        memset(desk, 0, sizeof(Desk))
        if n < 1 or atoms.shape[1] != self.width or tags.shape[0] != n or counts.shape[0] != n:
            raise ValueError("atoms, tags and counts of different shapes")
        if bins.shape[0] != n or bins.shape[1] != k or not 1 <= k < WIDEST or n > 1 << 24:
            raise ValueError("tags and bins of different shapes")
        for w in range(n):
            if not 1 <= counts[w] <= k or (self.tags is None and counts[w] > 1):
                raise ValueError(f"word {w + 1} has {counts[w]} candidate tags")
            for c in range(counts[w]):
                if tags[w, c] >= self.tag_count:
                    raise ValueError(f"word {w + 1} has tag {tags[w, c]} of {self.tag_count}")
        sentence.n, sentence.k, sentence.width = n, k, self.width
        sentence.atoms = &atoms[0, 0]
        sentence.tags = &tags[0, 0]
        sentence.counts = &counts[0]
        sentence.bins = &bins[0, 0]
        sentence.classes = &self.classes[0]
        sentence.compound = self.compound
        # Up to 40 words this never binds: a pair of words is swapped once. Beyond, it keeps the search linear.
        sentence.most_swaps = <int32_t> (10 * n + 400)
        desk.mask = 8
        while desk.mask < 4 * <uint64_t> (self.beam + self.beam_tags):
            desk.mask *= 2
        desk.mask -= 1
        desk.seen = <uint64_t *> malloc(2 * (desk.mask + 1) * sizeof(uint64_t))
        desk.beam = <const Step **> malloc((self.beam + self.beam_tags) * sizeof(Step *))
        desk.keys = <key_t *> malloc((most + 1) * sizeof(key_t))
        desk.sums = <score_t **> malloc((most + 1) * sizeof(score_t *))
        desk.found = <score_t **> malloc((most + 1) * sizeof(score_t *))
        desk.scores = <score_t *> malloc(2 * self.actions * sizeof(score_t))
        desk.tag_scores = <score_t *> malloc(2 * self.tag_count * sizeof(score_t))
        c = SLOTS * self.columns + GLOBALS
        desk.window = <atom_t *> calloc(c + <int> ROLES * <int> ROLE_COLUMNS, sizeof(atom_t))
        if (desk.seen == NULL or desk.beam == NULL or desk.keys == NULL or desk.sums == NULL or desk.found == NULL
                or desk.scores == NULL or desk.tag_scores == NULL or desk.window == NULL):
            raise MemoryError()
        desk.factor_scores = desk.scores + self.actions
        desk.factor = desk.window + c
        forget(&desk.memo)
        if self.sees_between:
            self.span_tags(desk)
        desk.beam[0] = start(sentence)
        desk.size = 1
        return 0

    cdef int span_tags(self, Desk *desk) except -1:
        """The tags of 1, 2, 4, ... words from each word on: any stretch is then the union of two of them."""
        cdef Sentence *sentence = &desk.sentence
        cdef Py_ssize_t n = sentence.n, levels = 1, level, half, w
        while (<Py_ssize_t> 1 << levels) <= n:
            levels += 1
        desk.spans = <uint64_t *> malloc(levels * n * sizeof(uint64_t))
        if desk.spans == NULL:
            raise MemoryError()
        for w in range(n):
            desk.spans[w] = <uint64_t> 1 << (sentence.classes[sentence.tags[w * sentence.k]] % 64)
        for level in range(1, levels):
            half = <Py_ssize_t> 1 << (level - 1)
            for w in range(n - 2 * half + 1):
                desk.spans[level * n + w] = desk.spans[(level - 1) * n + w] | desk.spans[(level - 1) * n + w + half]
        return 0

    cdef atom_t between(self, Desk *desk, int32_t a, int32_t b) noexcept nogil:
        """The set of the tagger's best tags of the words between two words; absent when one of them is."""
        cdef Py_ssize_t n = desk.sentence.n, first = min(a, b), length = max(a, b) - first - 1, level = 0
        if a < 0 or b < 0:
            return 0
        if length <= 0:
            return 1
        while (<Py_ssize_t> 2 << level) <= length:
            level += 1
        return finish(mix(0x62657477, desk.spans[level * n + first]
                          | desk.spans[level * n + first + length - (<Py_ssize_t> 1 << level)]))

    cdef void close(self, Desk *desk) noexcept nogil:
        release(&desk.sentence.arena)
        free(desk.seen)
        free(desk.beam)
        free(desk.expansions)
        free(desk.heap)
        free(desk.keys)
        free(desk.sums)
        free(desk.found)
        free(desk.scores)
        free(desk.spans)
        drop(&desk.memo)
        release(&desk.rows)
        free(desk.tag_scores)
        free(desk.window)

    cdef void turn_to(self, Desk *desk, const Step *step) noexcept nogil:
        """From now on this configuration is the one at hand."""
        cdef const Node *slots[SLOTS]
        window(&desk.sentence, step, slots)
        see(slots, &desk.view)
        desk.looked = False

    cdef void look(self, Desk *desk, const Step *step) noexcept nogil:
        """Fill the window with what templates can see of a configuration."""
        cdef const Node *slots[SLOTS]
        cdef const atom_t *row
        cdef atom_t *to = desk.window
        cdef Py_ssize_t i, e
        desk.looked = True
        window(&desk.sentence, step, slots)
        for i in range(SLOTS):
            memcpy(to, slots[i].atom, NODE_COLUMNS * sizeof(atom_t))
            if slots[i].word > 0:
                row = desk.sentence.atoms + (slots[i].word - 1) * self.width
                for e in range(self.extras):
                    to[NODE_COLUMNS + e] = row[self.extra[e]]
            else:
                memset(to + NODE_COLUMNS, 0, self.extras * sizeof(atom_t))
            to += self.columns
        to[<int> DIST_S0_B0] = distance(slots[0].word, slots[3].word)
        to[<int> DIST_S1_S0] = distance(slots[1].word, slots[0].word)
        if self.sees_between:
            to[<int> BETWEEN_S0_B0] = self.between(desk, slots[0].word, slots[3].word)
            to[<int> BETWEEN_S1_S0] = self.between(desk, slots[1].word, slots[0].word)

    cdef int add_groups(self, Desk *desk, const Step *step, Grouped templates, Scorer weights, uint64_t more,
                        score_t *scores) except -1 nogil:
        """Add the scores of all templates; features are extracted only for words that were not seen together before."""
        cdef Py_ssize_t g, k, first, last, labels = weights.labels, waiting = 0
        cdef void **cell
        for g in range(templates.count):
            cell = recall(&desk.memo, templates.signature(g, &desk.view, more))
            if cell[0] == NULL:
                if not desk.looked:
                    self.look(desk, step)
                cell[0] = take(&desk.rows, labels * sizeof(score_t))
                memset(cell[0], 0, labels * sizeof(score_t))
                first, last = templates.first[g], templates.first[g + 1]
                templates.templates.fill_range(first, last, desk.window, desk.keys + waiting)
                for k in range(last - first):
                    desk.sums[waiting + k] = <score_t *> cell[0]
                waiting += last - first
            desk.found[g] = <score_t *> cell[0]
        weights.add_each(desk.keys, waiting, desk.sums)
        for g in range(templates.count):
            add_32(scores, desk.found[g], labels)
        return 0

    cdef int score(self, Desk *desk, const Step *step) except -1 nogil:
        """The scores of all actions; the features are extracted once."""
        if desk.memo.count > MEMO:
            forget(&desk.memo)
            rewind(&desk.rows)
        self.turn_to(desk, step)
        memset(desk.scores, 0, self.actions * sizeof(score_t))
        self.add_groups(desk, step, self.arc_templates, self.arcs, 0, desk.scores)
        if self.graph is not None and step.stack.depth >= 2:
            self.add_factors(desk, step.stack.below.node, step.stack.node, RIGHT)
            if step.stack.depth >= 3:
                self.add_factors(desk, step.stack.node, step.stack.below.node, LEFT)
        return 0

    cdef double siblings(self, Desk *desk, const Node *node) noexcept nogil:
        """The graph features of the children of a node among each other; they are summed once."""
        cdef Node *own = <Node *> node
        cdef const Arc *arc = node.arcs
        if not own.summed:
            own.siblings = 0
            while arc != NULL:
                self.graph.see_siblings(node, arc, desk.factor)
                self.graph.siblings.fill(desk.factor, desk.keys)
                memset(desk.factor_scores, 0, self.actions * sizeof(score_t))
                self.arcs.add(desk.keys, self.graph.siblings.count, desk.factor_scores)
                own.siblings += desk.factor_scores[action_of(node, arc)]
                arc = arc.next
            own.summed = True
        return own.siblings

    cdef int add_factors(self, Desk *desk, const Node *h, const Node *d, label_t first) except -1 nogil:
        """What the arc h → d completes, added to its actions: ``first`` is LEFT or RIGHT."""
        cdef Py_ssize_t action
        cdef score_t siblings
        cdef score_t *row
        cdef void **cell = recall(&desk.memo, finish(mix(mix(mix(0x66616374, h.tagged), d.tagged), first)))
        if cell[0] == NULL:
            row = <score_t *> take(&desk.rows, self.actions * sizeof(score_t))
            cell[0] = row
            siblings = <score_t> self.siblings(desk, d)
            self.graph.see_grandchildren(h, d, desk.factor)
            self.graph.grandchildren.fill(desk.factor, desk.keys)
            memset(row, 0, self.actions * sizeof(score_t))
            self.arcs.add(desk.keys, self.graph.grandchildren.count, row)
            for action in range(self.actions):      # the arc has one direction, the features know nothing of it
                row[action] = row[action] + siblings if action >= LEFT and (action - first) % 2 == 0 else 0
        add_32(desk.scores, <score_t *> cell[0], self.actions)
        return 0

    cdef int score_tags(self, Desk *desk, const Step *step) except -1 nogil:
        """The scores of all tags of the next word, but for what depends on their rank; after ``score``."""
        memset(desk.tag_scores, 0, self.tag_count * sizeof(score_t))
        return self.add_groups(desk, step, self.tag_templates, self.tags, 0, desk.tag_scores)

    cdef score_t choice_score(self, Desk *desk, const Step *step, label_t choice) except? -1 nogil:
        """The score of one candidate tag; after ``score_tags``."""
        cdef Py_ssize_t at = (step.front - 1) * desk.sentence.k + choice
        cdef score_t *scores = desk.tag_scores + self.tag_count
        cdef atom_t *to = desk.window + SLOTS * self.columns
        to[<int> DELTA] = <atom_t> desk.sentence.bins[at] + 1
        to[<int> RANK] = <atom_t> choice + 1
        memset(scores, 0, self.tag_count * sizeof(score_t))
        self.add_groups(desk, step, self.choice_templates, self.tags, <uint64_t> at + 1, scores)
        return desk.tag_scores[desk.sentence.tags[at]] + scores[desk.sentence.tags[at]]

    cdef int propose(self, Desk *desk, const Step *step, label_t action, label_t choice) except -1 nogil:
        cdef Expansion *new
        cdef Py_ssize_t room
        cdef void *larger
        if desk.count == desk.room:
            room = max(<Py_ssize_t> 256, 2 * desk.room)
            larger = realloc(desk.expansions, room * sizeof(Expansion))
            if larger != NULL:
                desk.expansions = <Expansion *> larger
                larger = realloc(desk.heap, room * sizeof(int32_t))
            if larger == NULL:
                with gil:
                    raise MemoryError()
            desk.heap = <int32_t *> larger
            desk.room = room
        new = &desk.expansions[desk.count]
        new.step = step
        new.action = action
        new.choice = choice
        new.stays = False
        desk.count += 1
        return 0

    cdef int permissible(self, Desk *desk, const Step *step) except -1 nogil:
        """Propose every transition that may follow.

        SHIFT_p: the buffer has a word, and p is one of its candidate tags; a word put back keeps the tag it has.
        LEFT-ARC_d, RIGHT-ARC_d: the stack has two words, and d was seen between such tags.
        SWAP: the two words are in the order of the sentence, and the step limit is not reached.
        RIGHT-ARC_d from the root: one word is left and the buffer is empty. Then it is the only transition, so no
        configuration is without one, and each tree has one root.
        """
        cdef Sentence *sentence = &desk.sentence
        cdef const Node *s0 = step.stack.node
        cdef const Node *s1
        cdef const uint16_t *labels = NULL
        cdef Py_ssize_t count, k
        if step.back != NULL:
            self.propose(desk, step, SHIFT, 0)
        elif step.front <= sentence.n:
            for k in range(sentence.counts[step.front - 1]):
                self.propose(desk, step, SHIFT, <label_t> k)
        if step.stack.depth >= 3:
            s1 = step.stack.below.node
            if s1.word < s0.word and step.swaps < sentence.most_swaps:
                self.propose(desk, step, SWAP, 0)
            count = self.filter.choices(sentence.classes[s0.tag], sentence.classes[s1.tag], &labels)
            for k in range(count):
                self.propose(desk, step, <label_t> (LEFT + 2 * labels[k]), 0)
            count = self.filter.choices(sentence.classes[s1.tag], sentence.classes[s0.tag], &labels)
            for k in range(count):
                self.propose(desk, step, <label_t> (RIGHT + 2 * labels[k]), 0)
        elif step.stack.depth == 2 and step.back == NULL and step.front > sentence.n:
            count = self.filter.choices(-1, sentence.classes[s0.tag], &labels)
            for k in range(count):
                self.propose(desk, step, <label_t> (RIGHT + 2 * labels[k]), 0)
        return 0

    cdef void keep_given(self, Desk *desk, Py_ssize_t first) noexcept nogil:
        """Of the transitions proposed since ``first``, leave those that agree with the given heads and labels.

        An arc must be the one that its dependent has, and the dependent must have all words whose head it is. Where a
        label is given, the arc takes it, whatever was seen between such tags.
        """
        cdef Py_ssize_t k, kept = first
        cdef const Given *given = desk.given
        cdef const Item *stack
        cdef const Node *head
        cdef const Node *child
        cdef Expansion *new
        cdef int32_t label
        cdef bint done[2]
        done[0] = done[1] = False
        for k in range(first, desk.count):
            new = &desk.expansions[k]
            if new.action != SHIFT and new.action != SWAP:
                stack = new.step.stack
                head = stack.node if new.action % 2 == LEFT % 2 else stack.below.node
                child = stack.below.node if new.action % 2 == LEFT % 2 else stack.node
                if given.heads[child.word - 1] >= 0 and given.heads[child.word - 1] != head.word:
                    continue
                if not has_all(given, child):
                    continue
                label = given.labels[child.word - 1]
                if label >= 0:
                    if done[new.action % 2]:
                        continue
                    done[new.action % 2] = True
                    new.action = <label_t> ((LEFT if new.action % 2 == LEFT % 2 else RIGHT) + 2 * label)
            desk.expansions[kept] = new[0]
            kept += 1
        desk.count = kept

    cdef int expand(self, Desk *desk) except -1 nogil:
        """Lines 7 to 12 of Figure 2: every hypothesis with every permissible transition."""
        cdef Sentence *sentence = &desk.sentence
        cdef const Step *step
        cdef Expansion *new
        cdef Py_ssize_t i, k, first
        cdef bint chooses
        desk.count = 0
        for i in range(desk.size):
            step = desk.beam[i]
            first = desk.count
            if is_final(sentence, step):
                self.propose(desk, step, SHIFT, 0)
                new = &desk.expansions[first]
                new.stays = True
                new.score = step.score
                new.tree = step.tree
                new.tagged = step.tagged
                continue
            self.permissible(desk, step)
            if desk.given != NULL:
                self.keep_given(desk, first)
            self.score(desk, step)
            chooses = step.back == NULL and step.front <= sentence.n and sentence.counts[step.front - 1] > 1
            if chooses:
                self.score_tags(desk, step)
            for k in range(first, desk.count):
                new = &desk.expansions[k]
                new.score = step.score + desk.scores[new.action]
                if chooses and new.action == SHIFT:
                    new.score += self.choice_score(desk, step, new.choice)
        return 0

    cdef int prune(self, Desk *desk) except -1 nogil:
        """The b1 best hypotheses with distinct trees, and the b2 best of the others.

        Of hypotheses that agree in everything, tags and the way ahead included, only the best can win: the others go.
        """
        cdef Py_ssize_t n = desk.count, i, main = 0, extra = 0, taken = 0
        cdef int32_t *heap = desk.heap
        cdef uint64_t *trees = desk.seen
        cdef uint64_t *tagged = desk.seen + desk.mask + 1
        cdef uint64_t *same
        cdef uint64_t *tree
        cdef Expansion *best
        if self.beam + self.beam_tags == 1:
            return self.keep_best(desk)
        memset(desk.seen, 0, 2 * (desk.mask + 1) * sizeof(uint64_t))
        for i in range(n):
            heap[i] = <int32_t> i
        for i in range(n // 2 - 1, -1, -1):
            sift(desk.expansions, heap, n, i)
        while n > 0 and (main < self.beam or extra < self.beam_tags):
            best = &desk.expansions[heap[0]]
            n -= 1
            heap[0] = heap[n]
            if n > 0:
                sift(desk.expansions, heap, n, 0)
            if not best.stays:
                look_ahead(&desk.sentence, best.step, best.action, best.choice, &best.tree, &best.tagged)
            same = place(tagged, desk.mask, best.tagged)
            tree = place(trees, desk.mask, best.tree)
            if same[0] != 0:
                continue
            if main < self.beam and tree[0] == 0:
                main += 1
            elif extra < self.beam_tags:
                extra += 1
            else:
                continue
            same[0] = best.tagged
            tree[0] = best.tree
            desk.beam[taken] = self.reach(desk, best)
            taken += 1
        desk.size = taken
        return 0

    cdef int keep_best(self, Desk *desk) except -1 nogil:
        """What ``prune`` does for a beam of one hypothesis, without its heap."""
        cdef Py_ssize_t k
        cdef Expansion *best = desk.expansions
        for k in range(1, desk.count):
            if desk.expansions[k].score > best.score:
                best = &desk.expansions[k]
        desk.size = min(desk.count, 1)
        if desk.size == 1:
            desk.beam[0] = self.reach(desk, best)
        return 0

    cdef const Step *reach(self, Desk *desk, const Expansion *chosen) except NULL nogil:
        """The configuration that a proposed transition leads to."""
        cdef Step *step
        if chosen.stays:
            return chosen.step
        step = apply(&desk.sentence, chosen.step, chosen.action, chosen.choice)
        step.score = chosen.score
        return step

    cdef bint is_over(self, Desk *desk) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(desk.size):
            if not is_final(&desk.sentence, desk.beam[i]):
                return False
        return True

    def decode(self, const uint64_t[:, ::1] atoms not None, const uint16_t[:, ::1] tags not None,
               const uint16_t[::1] counts not None, const uint16_t[:, ::1] bins not None,
               const int[::1] heads=None, const int[::1] labels=None):
        """The best analysis of a sentence: tags, heads (0: the root), labels, score, and (action, choice) in order.

        With ``heads`` and ``labels`` (−1: open) only what agrees with them; None when the beam ends without a tree.
        """
        cdef Desk desk
        cdef Given given
        cdef const Step *step
        cdef Py_ssize_t n = atoms.shape[0]
        found_tags = np.zeros(n, dtype=np.uint16)
        found_heads = np.zeros(n, dtype=np.int32)
        found_labels = np.zeros(n, dtype=np.uint16)
        cdef uint16_t[::1] tag_view = found_tags
        cdef int[::1] head_view = found_heads
        cdef uint16_t[::1] label_view = found_labels
        cdef int[::1] children
        cdef list trace = []
        try:
            self.open(&desk, atoms, tags, counts, bins)
            if heads is not None:
                children = self.check_given(n, heads, labels)
                given.heads, given.labels = <const int32_t *> &heads[0], <const int32_t *> &labels[0]
                given.children = <const int32_t *> &children[0]
                desk.given = &given
            with nogil:
                while not self.is_over(&desk):
                    self.expand(&desk)
                    self.prune(&desk)
            if desk.size == 0:
                return None
            step = desk.beam[0]
            score = step.score
            while step.before != NULL:
                trace.append((step.action, step.choice))
                read_off(&desk.sentence, step, &tag_view[0], &head_view[0], &label_view[0])
                step = step.before
        finally:
            self.close(&desk)
        trace.reverse()
        return found_tags, found_heads, found_labels, score, trace

    cdef object check_given(self, Py_ssize_t n, const int[::1] heads, const int[::1] labels):
        """How many words each word is the given head of, the root first; heads and labels out of bounds are refused."""
        cdef Py_ssize_t w
        if labels is None or heads.shape[0] != n or labels.shape[0] != n:
            raise ValueError("given heads and labels of another length")
        children = np.zeros(n + 1, dtype=np.int32)
        for w in range(n):
            if not -1 <= heads[w] <= n or heads[w] == w + 1 or not -1 <= labels[w] < self.filter.labels:
                raise ValueError(f"word {w + 1} is given head {heads[w]} and label {labels[w]}")
            if heads[w] >= 0:
                children[heads[w]] += 1
        return children

    cdef bint is_formal(self, Desk *desk, const Step *step, Py_ssize_t action, Py_ssize_t choice) noexcept nogil:
        """Whether a transition obeys the conditions of Figure 1 and the candidates, whatever the filters say."""
        cdef bint waiting = step.back != NULL or step.front <= desk.sentence.n
        if not 0 <= action < self.actions:
            return False
        if action == SHIFT:
            return waiting and (step.back != NULL or 0 <= choice < desk.sentence.counts[step.front - 1])
        if step.stack.depth < 3:
            return action % 2 == RIGHT % 2 and action != SWAP and step.stack.depth == 2 and not waiting
        return action != SWAP or step.stack.below.node.word < step.stack.node.word

    cdef const Step *take_step(self, Desk *desk, const Step *step, Py_ssize_t action, Py_ssize_t choice,
                               bint scored) except NULL:
        """One given transition, with its score on request."""
        cdef Step *new
        cdef score_t score = 0
        if not self.is_formal(desk, step, action, choice):
            raise ValueError(f"action {action} with choice {choice} is not possible after {step.length} steps")
        if scored:
            self.score(desk, step)
            score = desk.scores[action]
            if action == SHIFT and step.back == NULL and desk.sentence.counts[step.front - 1] > 1:
                self.score_tags(desk, step)
                score += self.choice_score(desk, step, <label_t> choice)
        if action != SHIFT or step.back != NULL:
            choice = 0
        new = apply(&desk.sentence, step, <label_t> action, <label_t> choice)
        new.score = step.score + score
        return new

    cdef int collect(self, Desk *desk, const Step *step, double value, Delta tags, Delta arcs) except -1:
        """The features of the transition that led to a step."""
        cdef const Step *before = step.before
        cdef Py_ssize_t at
        cdef atom_t *to = desk.window + SLOTS * self.columns
        self.look(desk, before)
        self.arc_templates.templates.fill(desk.window, desk.keys)
        arcs.put_all(desk.keys, self.arc_templates.templates.count, step.action, value)
        if self.graph is not None and step.action >= LEFT:
            self.collect_factors(desk, step, value, arcs)
        if step.action == SHIFT and before.back == NULL and desk.sentence.counts[before.front - 1] > 1:
            at = (before.front - 1) * desk.sentence.k + step.choice
            self.tag_templates.templates.fill(desk.window, desk.keys)
            tags.put_all(desk.keys, self.tag_templates.templates.count, desk.sentence.tags[at], value)
            to[<int> DELTA] = <atom_t> desk.sentence.bins[at] + 1
            to[<int> RANK] = <atom_t> step.choice + 1
            self.choice_templates.templates.fill(desk.window, desk.keys)
            tags.put_all(desk.keys, self.choice_templates.templates.count, desk.sentence.tags[at], value)
        return 0

    cdef int collect_factors(self, Desk *desk, const Step *step, double value, Delta arcs) except -1:
        """The graph features that an arc completed."""
        cdef const Node *s0 = step.before.stack.node
        cdef const Node *s1 = step.before.stack.below.node
        cdef const Node *h = s0 if step.action % 2 == LEFT % 2 else s1
        cdef const Node *d = s1 if step.action % 2 == LEFT % 2 else s0
        cdef const Arc *arc = d.arcs
        self.graph.see_grandchildren(h, d, desk.factor)
        self.graph.grandchildren.fill(desk.factor, desk.keys)
        arcs.put_all(desk.keys, self.graph.grandchildren.count, step.action, value)
        while arc != NULL:
            self.graph.see_siblings(d, arc, desk.factor)
            self.graph.siblings.fill(desk.factor, desk.keys)
            arcs.put_all(desk.keys, self.graph.siblings.count, action_of(d, arc), value)
            arc = arc.next
        return 0

    def follow(self, const uint64_t[:, ::1] atoms not None, const uint16_t[:, ::1] tags not None,
               const uint16_t[::1] counts not None, const uint16_t[:, ::1] bins not None, actions, choices):
        """Take given transitions: their score, what is permissible after them, and their features by group."""
        cdef Desk desk
        cdef const Step *step
        cdef Delta tag_features = Delta()
        cdef Delta arc_features = Delta()
        cdef Py_ssize_t k
        try:
            self.open(&desk, atoms, tags, counts, bins)
            step = desk.beam[0]
            for action, choice in zip(actions, choices, strict=True):
                step = self.take_step(&desk, step, action, choice, True)
                self.collect(&desk, step, 1, tag_features, arc_features)
            if not is_final(&desk.sentence, step):
                self.permissible(&desk, step)
            legal = [(desk.expansions[k].action, desk.expansions[k].choice) for k in range(desk.count)]
            return step.score, legal, tag_features, arc_features
        finally:
            self.close(&desk)

    def learn(self, const uint64_t[:, ::1] atoms not None, const uint16_t[:, ::1] tags not None,
              const uint16_t[::1] counts not None, const uint16_t[:, ::1] bins not None,
              const uint16_t[::1] actions not None, const uint16_t[::1] choices not None, str update="early"):
        """Search with the gold transitions beside it; None when they win.

        ``early`` stops when the gold configuration falls out of the beam, ``max-violation`` goes on to the end and
        takes the step at which the best hypothesis is farthest ahead of gold. (Δf of tags, Δf of arcs, wrong tags,
        wrong arcs, step).
        """
        cdef Desk desk
        cdef const Step **gold = NULL
        cdef const Step *worst = NULL
        cdef const Step *reached
        cdef Py_ssize_t m = actions.shape[0], t = 0, at = 0, i
        cdef bint early = update == "early", inside = True
        cdef double gap, widest = 0
        if update not in UPDATES or choices.shape[0] != m:
            raise ValueError(f"update {update!r} with {m} actions and {choices.shape[0]} choices")
        try:
            self.open(&desk, atoms, tags, counts, bins)
            gold = <const Step **> malloc((m + 1) * sizeof(Step *))
            if gold == NULL:
                raise MemoryError()
            gold[0] = desk.beam[0]
            for i in range(m):
                gold[i + 1] = self.take_step(&desk, gold[i], actions[i], choices[i], not early)
            if not is_final(&desk.sentence, gold[m]):
                raise ValueError(f"the gold transitions end after {m} steps, before the tree is complete")
            desk.sentence.most_swaps = max(desk.sentence.most_swaps, gold[m].swaps)
            with nogil:
                while not self.is_over(&desk):
                    self.expand(&desk)
                    self.prune(&desk)
                    t += 1
                    reached = gold[min(t, m)]
                    if early:
                        inside = False
                        for i in range(desk.size):
                            inside = inside or desk.beam[i].tagged == reached.tagged
                        if not inside:
                            break
                    elif desk.beam[0].tagged != reached.tagged:
                        gap = desk.beam[0].score - reached.score
                        if worst == NULL or gap > widest:
                            worst = desk.beam[0]
                            widest = gap
                            at = t
            if inside and desk.beam[0].tagged == gold[m].tagged:
                return None
            if early:
                worst = desk.beam[0]
                at = t
            return self.difference(&desk, gold, m, min(at, m), worst)
        finally:
            free(gold)
            self.close(&desk)

    cdef object difference(self, Desk *desk, const Step **gold, Py_ssize_t m, Py_ssize_t at, const Step *predicted):
        """Gold features of the first ``at`` transitions minus those that led to ``predicted``, and its errors."""
        cdef Delta tags = Delta()
        cdef Delta arcs = Delta()
        cdef Py_ssize_t n = desk.sentence.n, i
        cdef bint differs = at != predicted.length
        cdef const Step *step = predicted
        cdef const Step **path
        cdef Py_ssize_t same = 0
        cdef double wrong_tags = 0, wrong_arcs = 0
        right_tags = np.zeros(n, dtype=np.uint16)
        right_heads = np.zeros(n, dtype=np.int32)
        right_labels = np.zeros(n, dtype=np.uint16)
        tags_found = np.zeros(n, dtype=np.uint16)
        heads_found = np.full(n, -1, dtype=np.int32)
        labels_found = np.zeros(n, dtype=np.uint16)
        cdef uint16_t[::1] gold_tags = right_tags
        cdef int[::1] gold_heads = right_heads
        cdef uint16_t[::1] gold_labels = right_labels
        cdef uint16_t[::1] found_tags = tags_found
        cdef int[::1] found_heads = heads_found
        cdef uint16_t[::1] found_labels = labels_found
        for i in range(1, m + 1):
            read_off(&desk.sentence, gold[i], &gold_tags[0], &gold_heads[0], &gold_labels[0])
        path = <const Step **> malloc((predicted.length + 1) * sizeof(Step *))
        if path == NULL:
            raise MemoryError()
        try:
            while step != NULL:
                path[step.length] = step
                step = step.before
            while (same < at and same < predicted.length and path[same + 1].action == gold[same + 1].action
                    and path[same + 1].choice == gold[same + 1].choice):
                same += 1
            for i in range(same + 1, at + 1):
                self.collect(desk, gold[i], 1, tags, arcs)
                differs = differs or path[min(i, predicted.length)].action != gold[i].action
            for i in range(same + 1, predicted.length + 1):
                self.collect(desk, path[i], -1, tags, arcs)
            for i in range(1, predicted.length + 1):
                read_off(&desk.sentence, path[i], &found_tags[0], &found_heads[0], &found_labels[0])
        finally:
            free(path)
        for i in range(n):
            wrong_tags += i < predicted.front - 1 and found_tags[i] != gold_tags[i]
            if found_heads[i] >= 0:
                if found_heads[i] != gold_heads[i]:
                    wrong_arcs += 1
                elif found_labels[i] != gold_labels[i]:
                    wrong_arcs += 0.5
        if differs:     # a wrong SHIFT or SWAP is an error before any arc shows it
            wrong_arcs = max(wrong_arcs, 1.0)
        return tags, arcs, wrong_tags, wrong_arcs, at


cdef void read_off(const Sentence *sentence, const Step *step, uint16_t *tags, int *heads,
                   uint16_t *labels) noexcept nogil:
    """What one transition decided, into arrays whose first entry is word 1."""
    cdef const Step *before = step.before
    cdef int32_t s0 = before.stack.node.word, s1
    if step.action == SHIFT:
        if before.back == NULL:
            tags[before.front - 1] = sentence.tags[(before.front - 1) * sentence.k + step.choice]
    elif step.action != SWAP:
        s1 = before.stack.below.node.word
        if step.action % 2 == LEFT % 2:
            heads[s1 - 1] = s0
            labels[s1 - 1] = (step.action - LEFT) // 2
        else:
            heads[s0 - 1] = s1
            labels[s0 - 1] = (step.action - LEFT) // 2
