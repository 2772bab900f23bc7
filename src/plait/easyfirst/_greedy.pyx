"""Easy-first search over tags, arcs or both: the best item from a tournament tree, its surroundings scored anew."""

from libc.math cimport INFINITY
from libc.stdlib cimport malloc, realloc

from plait.errors import ModelError

from plait.core._memory cimport clear, rewind
from plait.core._rows cimport first_largest
from plait.core._templates cimport clear_sums, open_sums
from plait.core._types cimport label_t, uint64_t
from plait.easyfirst._scoring cimport LEFT, REACH, Choice, attach, leaf, no_node


cdef int nothing_possible() except -1 nogil:
    """The explicit end of a search in which no decision has a finite score."""
    with gil:
        raise ModelError("no decision has a finite score: the weights have grown beyond all bounds")


cdef class Greedy:
    """The search for one task: with tag scores it tags, with arc scores it parses, with both it does both at once."""

    def __cinit__(self, TagScoring tagging, ArcScoring parsing, Py_ssize_t columns, Py_ssize_t pad, *others):
        if tagging is None and parsing is None:
            raise ValueError("nothing to do: neither tags nor arcs")
        self.tagging = tagging
        self.parsing = parsing
        self.tags = 0 if tagging is None else tagging.labels
        self.columns = columns
        self.pad = pad
        self.spare = []
        self.widest = max(self.tags, 0 if parsing is None else 2 * parsing.labels)
        self.key_room = 1
        if tagging is not None:
            self.key_room = tagging.alone.count + tagging.around.count + tagging.groups.templates.count
            self.scope_room = tagging.groups.count
            self.reach = <int> max(pad, <Py_ssize_t> 1)
        if parsing is not None:
            self.key_room = max(self.key_room, parsing.pair.templates.count + parsing.item.templates.count)
            self.scope_room = max(self.scope_room, parsing.pair.count, parsing.item.count)
            self.reach = max(self.reach, <int> REACH)

    cdef Workspace borrow(self, Py_ssize_t n):
        cdef Workspace work
        try:
            work = self.spare.pop()
        except IndexError:
            work = Workspace()
            open_sums(&work.desk.sums, self.key_room, self.scope_room + 1)
            work.desk.window = <uint64_t *> malloc(
                ((2 * REACH + 1) * (0 if self.parsing is None else self.parsing.columns) + 1
                 + (0 if self.parsing is None else self.parsing.distances)) * sizeof(uint64_t))
            if work.desk.window == NULL:
                raise MemoryError()
        if n > work.room or work.codes == NULL:
            self.enlarge(work, max(n, <Py_ssize_t> 64))
        return work

    cdef int enlarge(self, Workspace work, Py_ssize_t n) except -1:
        cdef Py_ssize_t leaves = 1
        while leaves < n:
            leaves *= 2
        work.codes = <uint16_t *> realloc(work.codes, (n + 2 * self.pad) * sizeof(uint16_t))
        work.node = <const Node **> realloc(work.node, n * sizeof(Node *))
        work.left = <int32_t *> realloc(work.left, 5 * n * sizeof(int32_t))
        work.static = <score_t *> realloc(work.static, (n * self.tags + 1) * sizeof(score_t))
        work.scores = <score_t *> realloc(work.scores, n * self.widest * sizeof(score_t))
        work.best = <score_t *> realloc(work.best, n * sizeof(score_t))
        work.winner = <int32_t *> realloc(work.winner, (2 * leaves + n) * sizeof(int32_t))
        work.word = <int32_t *> realloc(work.word, 4 * n * sizeof(int32_t))
        work.made_score = <score_t *> realloc(work.made_score, 2 * n * sizeof(score_t))
        work.sentence.choices = <Choice *> realloc(work.sentence.choices, n * sizeof(Choice))
        work.label = <uint16_t *> realloc(work.label, n * sizeof(uint16_t))
        if (work.codes == NULL or work.node == NULL or work.left == NULL or work.static == NULL
                or work.scores == NULL or work.best == NULL or work.winner == NULL or work.word == NULL
                or work.made_score == NULL or work.label == NULL or work.sentence.choices == NULL):
            raise MemoryError()
        work.right = work.left + n
        work.action = work.left + 2 * n
        work.head = work.left + 3 * n
        work.children = work.left + 4 * n
        work.stamp = work.winner + 2 * leaves
        work.made = work.word + 2 * n
        work.room = n
        return 0

    cdef Py_ssize_t total_steps(self, Py_ssize_t n) noexcept nogil:
        """Decisions that are scored: one tag for each word, one attachment for each but the root."""
        return (n if self.tags > 0 else 0) + (n - 1 if self.parsing is not None else 0)

    cdef int begin(self, Workspace work, atom_t *atoms, Py_ssize_t n, const uint16_t *given) except -1 nogil:
        """All words pending and unscored; ``given`` tags (from 0) when arcs alone are sought."""
        cdef Py_ssize_t w, k
        rewind(&work.nodes)
        work.sentence.n = n
        work.sentence.width = self.columns
        work.sentence.atoms = atoms
        work.sentence.tags = work.codes + self.pad
        work.steps = 0
        for k in range(self.pad):
            work.codes[k] = <uint16_t> (self.tags + 1)
            work.codes[self.pad + n + k] = <uint16_t> (self.tags + 2)
        for w in range(n):
            work.sentence.tags[w] = given[w] + 1 if given != NULL else 0
            if self.parsing is None:    # nobody looks at trees
                work.node[w] = no_node()
            else:
                work.node[w] = leaf(&work.nodes, &work.sentence, w, work.sentence.tags[w])
            work.left[w] = <int32_t> w - 1
            work.right[w] = <int32_t> w + 1 if w + 1 < n else -1
            work.head[w] = -1
            work.label[w] = 0
            work.stamp[w] = -1
        return self.refresh(work)

    cdef int restart(self, Workspace work, const uint16_t *given) except -1 nogil:
        """The links as they were at the beginning; nothing is scored."""
        cdef Py_ssize_t w, n = work.sentence.n
        for w in range(n):
            work.sentence.tags[w] = given[w] + 1 if given != NULL else 0
            work.node[w] = leaf(&work.nodes, &work.sentence, w, work.sentence.tags[w])
            work.left[w] = <int32_t> w - 1
            work.right[w] = <int32_t> w + 1 if w + 1 < n else -1
            work.head[w] = -1
            work.label[w] = 0
        return 0

    cdef int refresh(self, Workspace work) except -1 nogil:
        """Score everything anew."""
        cdef Py_ssize_t n = work.sentence.n
        self.clear_desk(work)
        work.leaves = 1
        while work.leaves < n:
            work.leaves *= 2
        self.look_up_words(work)
        return self.rescore_all(work)

    cdef int look_up_words(self, Workspace work) except -1 nogil:
        """What does not change while a sentence is tagged: allowed tags and the scores of words alone."""
        cdef Py_ssize_t w
        cdef Choice *choice
        for w in range(work.sentence.n if self.tags > 0 else 0):
            choice = &work.sentence.choices[w]
            choice.count = self.tagging.dictionary.candidates(work.sentence.atoms[w * self.columns], &choice.tags)
            self.tagging.static_scores(&work.desk, &work.sentence, w, work.static + w * self.tags)
        return 0

    cdef int clear_desk(self, Workspace work) except -1 nogil:
        clear_sums(&work.desk.sums)
        clear(&work.desk.totals)
        work.desk.record_count = 0
        return 0

    cdef int rescore_all(self, Workspace work) except -1 nogil:
        cdef Py_ssize_t w
        for w in range(work.sentence.n):
            self.rescore(work, w)
        self.hold_tournament(work)
        return 0

    cdef const Node *beside(self, Workspace work, Py_ssize_t w, bint right) noexcept nogil:
        cdef int32_t other = work.right[w] if right else work.left[w]
        return no_node() if other < 0 else work.node[other]

    cdef void look_around(self, Workspace work, Py_ssize_t w, const Node **window) noexcept nogil:
        """window[REACH] is the item itself."""
        cdef int k
        cdef int32_t other = <int32_t> w
        window[<int> REACH] = work.node[w]
        for k in range(REACH):
            if other >= 0:
                other = work.left[other]
            window[<int> REACH - 1 - k] = no_node() if other < 0 else work.node[other]
        other = <int32_t> w
        for k in range(REACH):
            if other >= 0:
                other = work.right[other]
            window[<int> REACH + 1 + k] = no_node() if other < 0 else work.node[other]

    cdef bint may_attach(self, Workspace work, Py_ssize_t w, bint right) noexcept nogil:
        """Whether there is a neighbour on this side, tagged as the item itself is."""
        cdef int32_t other = work.right[w] if right else work.left[w]
        return other >= 0 and (self.tags == 0 or work.sentence.tags[other] != 0)

    cdef bint may_tag(self, Sentence *sentence, Py_ssize_t w, int32_t tag) noexcept nogil:
        cdef const Choice *choice = &sentence.choices[w]
        cdef Py_ssize_t k
        if choice.count == self.tags:
            return True
        for k in range(choice.count):
            if choice.tags[k] == tag:
                return True
        return False

    cdef int rescore(self, Workspace work, Py_ssize_t w) except -1 nogil:
        """The scores of all valid labels of one item, and the best of them."""
        cdef const Node *window[2 * REACH + 1]
        cdef score_t *scores = work.scores + w * self.widest
        work.stamp[w] = <int32_t> work.steps
        work.best[w] = -INFINITY
        if work.node[w] == NULL:
            return 0
        if self.tags > 0 and work.sentence.tags[w] == 0:
            self.tagging.scores(&work.desk, &work.sentence, w, work.sentence.tags, self.beside(work, w, False),
                                self.beside(work, w, True), work.static + w * self.tags, scores)
            self.best_tag(&work.sentence, w, scores, &work.best[w], &work.action[w])
        elif self.parsing is not None:
            if not (self.may_attach(work, w, False) or self.may_attach(work, w, True)):
                return 0
            self.look_around(work, w, window)
            if work.deciding and self.parsing.by_pair:
                self.parsing.best(&work.desk, &work.sentence, window + REACH, self.may_attach(work, w, False),
                                  self.may_attach(work, w, True), &work.best[w], &work.action[w])
                work.action[w] += <int32_t> self.tags
                return 0
            self.parsing.scores(&work.desk, &work.sentence, window + REACH, self.may_attach(work, w, False),
                                self.may_attach(work, w, True), scores)
            self.best_arc(scores, &work.best[w], &work.action[w])
        return 0

    cdef void best_tag(self, Sentence *sentence, Py_ssize_t w, const score_t *scores, score_t *best,
                       int32_t *action) noexcept nogil:
        cdef const label_t *allowed = sentence.choices[w].tags
        cdef Py_ssize_t k
        best[0] = -INFINITY
        action[0] = allowed[0]
        for k in range(sentence.choices[w].count):
            if scores[allowed[k]] > best[0]:
                best[0] = scores[allowed[k]]
                action[0] = allowed[k]

    cdef void best_arc(self, const score_t *scores, score_t *best, int32_t *action) noexcept nogil:
        cdef Py_ssize_t count = 2 * self.parsing.labels
        cdef Py_ssize_t k = first_largest(scores, count)
        best[0] = scores[k]
        action[0] = <int32_t> (self.tags + k)

    cdef void hold_tournament(self, Workspace work) noexcept nogil:
        cdef Py_ssize_t k, n = work.sentence.n
        for k in range(work.leaves):
            work.winner[work.leaves + k] = <int32_t> k if k < n else -1
        for k in range(work.leaves - 1, 0, -1):
            self.play(work, k)

    cdef void play(self, Workspace work, Py_ssize_t k) noexcept nogil:
        cdef int32_t a = work.winner[2 * k], b = work.winner[2 * k + 1]
        work.winner[k] = b if b >= 0 and work.best[b] > work.best[a] else a

    cdef void replay(self, Workspace work, Py_ssize_t w) noexcept nogil:
        cdef Py_ssize_t k = (work.leaves + w) // 2
        while k >= 1:
            self.play(work, k)
            k //= 2

    cdef int label(self, Workspace work, Py_ssize_t w, int32_t action, const Gold *gold) except -1 nogil:
        """Carry out one decision; nothing is rescored. The word whose node changed is returned."""
        cdef int32_t head, a, b
        cdef label_t name
        if action < self.tags:
            work.sentence.tags[w] = <uint16_t> (action + 1)
            if self.parsing is not None:
                work.node[w] = leaf(&work.nodes, &work.sentence, w, <uint16_t> (action + 1))
            return <int> w
        action -= <int32_t> self.tags
        name = <label_t> (action // 2)
        head = work.left[w] if action % 2 == LEFT else work.right[w]
        work.node[head] = attach(&work.nodes, work.node[head], work.node[w], name, self.parsing.labelled,
                                 gold != NULL and gold.heads[w] == head)
        a = work.left[w]
        b = work.right[w]
        if a >= 0:
            work.right[a] = b
        if b >= 0:
            work.left[b] = a
        work.node[w] = NULL
        work.head[w] = head
        work.label[w] = name
        return head

    cdef int touch(self, Workspace work, Py_ssize_t w, Py_ssize_t changed, bint tagged) except -1 nogil:
        """Rescore what can see the change at a pending word, and whoever sees the new tag in the sentence."""
        cdef int32_t other = <int32_t> changed
        cdef Py_ssize_t k, _k
        if work.node[w] == NULL:        # out of the race
            work.best[w] = -INFINITY
            self.replay(work, w)
        if self.parsing is None:
            work.best[w] = -INFINITY
            self.replay(work, w)
        else:
            self.rescore(work, changed)
            self.replay(work, changed)
            for _k in range(REACH):
                other = work.left[other]
                if other < 0:
                    break
                self.rescore(work, other)
                self.replay(work, other)
            other = <int32_t> changed
            for _k in range(REACH):
                other = work.right[other]
                if other < 0:
                    break
                self.rescore(work, other)
                self.replay(work, other)
        if tagged:
            for k in range(max(<Py_ssize_t> 0, w - self.pad), min(work.sentence.n, w + self.pad + 1)):
                if work.sentence.tags[k] == 0 and work.stamp[k] != work.steps:
                    self.rescore(work, k)
                    self.replay(work, k)
        return 0

    cdef int take_step(self, Workspace work, Py_ssize_t w, int32_t action, score_t score,
                       const Gold *gold) except -1 nogil:
        cdef Py_ssize_t changed
        work.word[work.steps] = <int32_t> w
        work.made[work.steps] = action
        work.made_score[work.steps] = score
        work.steps += 1
        changed = self.label(work, w, action, gold)
        return self.touch(work, w, changed, action < self.tags)

    cdef int greedy(self, Workspace work) except -1 nogil:
        """Algorithm 1: the best item and label of all, again and again."""
        cdef Py_ssize_t _k, w
        for _k in range(self.total_steps(work.sentence.n)):
            w = self.best_item(work)
            self.take_step(work, w, work.action[w], work.best[w], NULL)
        return 0

    cdef Py_ssize_t best_item(self, Workspace work) except -1 nogil:
        """The item with the best decision. Scores are finite; were one not, what it chooses could be no decision."""
        cdef Py_ssize_t w = work.winner[1]
        if not (-INFINITY < work.best[w] < INFINITY):       # nor is NaN
            nothing_possible()
        return w
