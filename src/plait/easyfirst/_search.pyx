"""Easy-first search over tags, arcs or both: greedy with a tournament tree, or with a beam of states."""

from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

import numpy as np

from plait.core._hashing cimport finish, mix
from plait.core._types cimport first_largest
from plait.easyfirst._memory cimport drop, forget, recall, release, rewind, take
from plait.easyfirst._scoring cimport LEFT, RIGHT, attach, leaf, leaf_whole, nobody, renew, with_child

LOSSES = {"joint": JOINT, "dep": DEP, "pos": POS}

cdef class Workspace:
    """Memory for one sentence at a time, kept from sentence to sentence."""

    def __dealloc__(self):
        release(&self.desk.sums)
        release(&self.nodes)
        drop(&self.desk.memo)
        drop(&self.desk.totals)
        release(&self.desk.alone_sums)
        drop(&self.desk.alone)
        free(self.desk.records)
        free(self.desk.keys)
        free(self.desk.targets)
        free(self.desk.parts)
        free(self.desk.window)
        for pointer in (<size_t> self.codes, <size_t> self.node, <size_t> self.left, <size_t> self.static,
                        <size_t> self.scores, <size_t> self.best, <size_t> self.winner, <size_t> self.word,
                        <size_t> self.made_score, <size_t> self.label, <size_t> self.history,
                        <size_t> self.states, <size_t> self.chosen):
            free(<void *> <size_t> pointer)


cdef class EasyFirst:
    """The search for one task: with tag scores it tags, with arc scores it parses, with both it does both at once.

    Decoders may be used by many threads at once; each call borrows a workspace.
    """

    cdef readonly TagScoring tagging
    cdef readonly ArcScoring parsing
    cdef readonly Py_ssize_t tags, beam, pad, columns
    cdef readonly bint debug
    cdef Py_ssize_t widest, key_room, scope_room
    cdef int reach
    cdef list spare
    cdef Workspace held         # of the training sentence at hand, with its last difference
    cdef Delta held_tags, held_arcs

    def __cinit__(self, TagScoring tagging, ArcScoring parsing, Py_ssize_t columns, Py_ssize_t pad,
                  Py_ssize_t beam=1, bint debug=False):
        if tagging is None and parsing is None:
            raise ValueError("nothing to do: neither tags nor arcs")
        self.tagging = tagging
        self.parsing = parsing
        self.tags = 0 if tagging is None else tagging.labels
        self.columns = columns
        self.pad = pad
        self.beam = max(beam, <Py_ssize_t> 1)
        self.debug = debug
        self.spare = []
        self.widest = max(self.tags, 0 if parsing is None else 2 * parsing.labels)
        self.key_room = 1
        if tagging is not None:
            self.key_room = max(self.key_room, tagging.alone.count + tagging.around.count,
                                tagging.scopes.templates.count)
            self.scope_room = tagging.scopes.count
            self.reach = <int> max(pad, <Py_ssize_t> 1)
        if parsing is not None:
            self.key_room = max(self.key_room, parsing.pair.templates.count, parsing.item.templates.count)
            self.scope_room = max(self.scope_room, parsing.pair.count, parsing.item.count)
            self.reach = max(self.reach, <int> REACH)

    # ---------------------------------------------------------------- workspaces

    cdef Workspace borrow(self, Py_ssize_t n):
        cdef Workspace work
        try:
            work = self.spare.pop()
        except IndexError:
            work = Workspace()
            work.desk.keys = <uint64_t *> malloc((self.key_room + 1) * sizeof(uint64_t))
            work.desk.window = <uint64_t *> malloc(
                ((2 * REACH + 1) * (0 if self.parsing is None else self.parsing.columns) + 1
                 + (0 if self.parsing is None else self.parsing.distances)) * sizeof(uint64_t))
            work.desk.targets = <score_t **> malloc((self.key_room + 1) * sizeof(score_t *))
            work.desk.parts = <score_t **> malloc((self.scope_room + 2) * sizeof(score_t *))
            if (work.desk.keys == NULL or work.desk.window == NULL or work.desk.targets == NULL
                    or work.desk.parts == NULL):
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
        work.label = <uint16_t *> realloc(work.label, n * sizeof(uint16_t))
        if (work.codes == NULL or work.node == NULL or work.left == NULL or work.static == NULL
                or work.scores == NULL or work.best == NULL or work.winner == NULL or work.word == NULL
                or work.made_score == NULL or work.label == NULL):
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

    # ---------------------------------------------------------------- one state, as links between words

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
            work.node[w] = leaf(&work.nodes, &work.sentence, w, work.sentence.tags[w])
            work.left[w] = <int32_t> w - 1
            work.right[w] = <int32_t> w + 1 if w + 1 < n else -1
            work.head[w] = -1
            work.label[w] = 0
            work.stamp[w] = -1
        return self.refresh(work)

    cdef int refresh(self, Workspace work) except -1 nogil:
        """Score everything anew."""
        cdef Py_ssize_t w, n = work.sentence.n
        self.clear_desk(work)
        work.leaves = 1
        while work.leaves < n:
            work.leaves *= 2
        if self.tags > 0:
            for w in range(n):
                self.tagging.static_scores(&work.desk, &work.sentence, w, work.static + w * self.tags)
        return self.rescore_all(work)

    cdef int clear_desk(self, Workspace work) except -1 nogil:
        rewind(&work.desk.sums)
        forget(&work.desk.memo)
        forget(&work.desk.totals)
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
        return nobody() if other < 0 else work.node[other]

    cdef void look_around(self, Workspace work, Py_ssize_t w, const Node **window) noexcept nogil:
        """window[REACH] is the item itself."""
        cdef int k
        cdef int32_t other = <int32_t> w
        window[<int> REACH] = work.node[w]
        for k in range(REACH):
            if other >= 0:
                other = work.left[other]
            window[<int> REACH - 1 - k] = nobody() if other < 0 else work.node[other]
        other = <int32_t> w
        for k in range(REACH):
            if other >= 0:
                other = work.right[other]
            window[<int> REACH + 1 + k] = nobody() if other < 0 else work.node[other]

    cdef bint may_attach(self, Workspace work, Py_ssize_t w, bint right) noexcept nogil:
        """Whether there is a neighbour on this side, tagged as the item itself is."""
        cdef int32_t other = work.right[w] if right else work.left[w]
        return other >= 0 and (self.tags == 0 or work.sentence.tags[other] != 0)

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
            self.parsing.scores(&work.desk, &work.sentence, window + REACH, self.may_attach(work, w, False),
                                self.may_attach(work, w, True), scores)
            self.best_arc(scores, &work.best[w], &work.action[w])
        return 0

    cdef void best_tag(self, Sentence *sentence, Py_ssize_t w, const score_t *scores, score_t *best,
                       int32_t *action) noexcept nogil:
        cdef const label_t *allowed = NULL
        cdef Py_ssize_t k, count = self.tagging.dictionary.candidates(sentence.atoms[w * self.columns], &allowed)
        best[0] = -INFINITY
        for k in range(count):
            if scores[allowed[k]] > best[0]:
                best[0] = scores[allowed[k]]
                action[0] = allowed[k]

    cdef void best_arc(self, const score_t *scores, score_t *best, int32_t *action) noexcept nogil:
        cdef Py_ssize_t k = first_largest(scores, 2 * self.parsing.labels)
        best[0] = scores[k]
        action[0] = <int32_t> (self.tags + k)

    # ---------------------------------------------------------------- the tournament: leftmost of the best

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

    # ---------------------------------------------------------------- labelling

    cdef int label(self, Workspace work, Py_ssize_t w, int32_t action, const Gold *gold) except -1 nogil:
        """Carry out one decision; nothing is rescored. The word whose node changed is returned."""
        cdef int32_t head, a, b
        cdef label_t name
        if action < self.tags:
            work.sentence.tags[w] = <uint16_t> (action + 1)
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
            w = work.winner[1]
            self.take_step(work, w, work.action[w], work.best[w], NULL)
        return 0

    # ---------------------------------------------------------------- compatible with gold

    cdef bint is_allowed(self, const Gold *gold, Py_ssize_t w, int32_t action, int32_t head,
                         const Node *node) noexcept nogil:
        """Algorithm 2's isAllowed, with Algorithm 3's losses; ``head`` is the word the action attaches to."""
        if action < self.tags:
            return gold.loss == DEP or gold.tags[w] == action
        if gold.loss == POS:
            return True
        return (gold.heads[w] == head and node.gathered == gold.children[w]
                and (not self.parsing.labelled or gold.labels[w] == (action - self.tags) // 2))

    cdef int32_t compatible(self, const Gold *gold, Py_ssize_t w, uint16_t tag, const Node *node, int32_t left,
                            int32_t right, const score_t *scores, score_t best, int32_t action,
                            score_t *score) noexcept nogil:
        """The item's best compatible action, -1 for none; left and right: words it may attach to, -1 for none."""
        cdef int32_t found
        if best == -INFINITY:
            return -1
        if self.tags > 0 and tag == 0:
            found = action if gold.loss == DEP else gold.tags[w]
            score[0] = scores[found]
            return found
        if gold.loss == POS:
            score[0] = best
            return action
        if node.gathered != gold.children[w] or gold.heads[w] < 0:
            return -1
        if gold.heads[w] != left and gold.heads[w] != right:
            return -1
        found = 2 * (gold.labels[w] if self.parsing.labelled else 0) + (LEFT if gold.heads[w] == left else RIGHT)
        score[0] = scores[found]
        return found + <int32_t> self.tags

    cdef Py_ssize_t best_compatible(self, Workspace work, const Gold *gold, int32_t *action,
                                    score_t *score) noexcept nogil:
        """The highest-scoring compatible pair; its word."""
        cdef Py_ssize_t w, found = -1
        cdef int32_t its
        cdef score_t value = 0
        for w in range(work.sentence.n):
            if work.node[w] == NULL:
                continue
            its = self.compatible(gold, w, work.sentence.tags[w], work.node[w],
                                  work.left[w] if self.may_attach(work, w, False) else -1,
                                  work.right[w] if self.may_attach(work, w, True) else -1,
                                  work.scores + w * self.widest, work.best[w], work.action[w], &value)
            if its >= 0 and (found < 0 or value > score[0]):
                found, action[0], score[0] = w, its, value
        return found

    cdef int collect(self, Workspace work, Py_ssize_t w, int32_t action, double value, Delta tags,
                     Delta arcs) except -1 nogil:
        """The features of one decision in the present state."""
        cdef const Node *window[2 * REACH + 1]
        if action < self.tags:
            self.tagging.collect(&work.desk, &work.sentence, w, work.sentence.tags, self.beside(work, w, False),
                                 self.beside(work, w, True), <label_t> action, value, tags)
        else:
            action -= <int32_t> self.tags
            self.look_around(work, w, window)
            self.parsing.collect(&work.desk, &work.sentence, window + REACH, action % 2, <label_t> (action // 2),
                                 value, arcs)
        return 0

    cdef Py_ssize_t learn_greedy(self, Workspace work, const Gold *gold, bint goes_on, Delta tags,
                                 Delta arcs) except -1 nogil:
        """Algorithm 2: go on until an incompatible pair wins, and collect the difference; how many did.

        With ``goes_on`` the best compatible pair is then taken instead, and so to the end of the sentence.
        """
        cdef Py_ssize_t w, right_word, wrong = 0, total = self.total_steps(work.sentence.n)
        cdef int32_t right_action = 0
        cdef score_t score = 0
        while work.steps < total:
            w = work.winner[1]
            if work.action[w] < self.tags or gold.loss == POS:
                if self.is_allowed(gold, w, work.action[w], -1, NULL):
                    self.take_step(work, w, work.action[w], work.best[w], gold)
                    continue
            elif self.is_allowed(gold, w, work.action[w], work.left[w] if (work.action[w] - self.tags) % 2 == LEFT
                                 else work.right[w], work.node[w]):
                self.take_step(work, w, work.action[w], work.best[w], gold)
                continue
            right_word = self.best_compatible(work, gold, &right_action, &score)
            self.collect(work, right_word, right_action, 1, tags, arcs)
            self.collect(work, w, work.action[w], -1, tags, arcs)
            wrong += 1
            if not goes_on:
                break
            self.take_step(work, right_word, right_action, score, gold)
        return wrong

    # ---------------------------------------------------------------- the beam

    cdef int prepare_beam(self, Workspace work, Py_ssize_t width) except -1:
        """Two rows of states, each with arrays of its own for the longest sentence so far."""
        cdef Py_ssize_t k, n = work.sentence.n
        if work.width < width:
            work.states = <State *> realloc(work.states, 2 * width * sizeof(State))
            work.chosen = <Extension *> realloc(work.chosen, width * sizeof(Extension))
            if work.states == NULL or work.chosen == NULL:
                raise MemoryError()
            work.width = width
        work.history_size = 0
        # The arrays live with the nodes: there are 2 * width of each, whatever the number of steps.
        for k in range(2 * width):
            work.states[k].pending = <const Node **> take(&work.nodes, n * sizeof(Node *))
            work.states[k].items = <Item **> take(&work.nodes, n * sizeof(Item *))
            work.states[k].tags = <uint16_t *> take(&work.nodes, (n + 2 * self.pad) * sizeof(uint16_t))
        return 0

    cdef Item *item_of(self, Workspace work, State *state, Py_ssize_t place) except? NULL nogil:
        """The scored labels of the item at a place of the pending list, made once for all equal surroundings."""
        cdef const Node *window[2 * REACH + 1]
        cdef const Node *node = state.pending[place]
        cdef Py_ssize_t w = node.word, k
        cdef const uint16_t *tags = state.tags + self.pad
        cdef uint64_t key
        cdef void **cell
        cdef Item *item
        cdef bint left, right
        if self.tags > 0 and tags[w] == 0:
            key = mix(0x7461677a, <uint64_t> w)
            for k in range(w + self.tagging.scopes.lowest, w + self.tagging.scopes.highest + 1):
                key = mix(key, tags[k])
            window[0] = state.pending[place - 1] if place > 0 else nobody()
            window[1] = state.pending[place + 1] if place + 1 < state.m else nobody()
            if self.tagging.sees_neighbours:
                key = mix(mix(key, window[0].look), window[1].look)
            key = finish(key)
            cell = recall(&work.desk.totals, key)
            if cell[0] != NULL:
                return <Item *> cell[0]
            item = <Item *> take(&work.desk.sums, sizeof(Item) + self.tags * sizeof(score_t))
            cell[0] = item
            item.count = <int32_t> self.tags
            self.tagging.scores(&work.desk, &work.sentence, w, tags, window[0], window[1],
                                work.static + w * self.tags, &item.score[0])
            self.best_tag(&work.sentence, w, &item.score[0], &item.best, &item.action)
            return item
        if self.parsing is None:
            return NULL
        left = place > 0 and (self.tags == 0 or state.pending[place - 1].atom[1] != 0)
        right = place + 1 < state.m and (self.tags == 0 or state.pending[place + 1].atom[1] != 0)
        if not (left or right):
            return NULL
        key = 0x61726373
        for k in range(-REACH, REACH + 1):
            window[k + REACH] = state.pending[place + k] if 0 <= place + k < state.m else nobody()
            key = mix(key, window[k + REACH].look)
        key = finish(key)
        cell = recall(&work.desk.totals, key)
        if cell[0] != NULL:
            return <Item *> cell[0]
        item = <Item *> take(&work.desk.sums, sizeof(Item) + 2 * self.parsing.labels * sizeof(score_t))
        cell[0] = item
        item.count = <int32_t> (2 * self.parsing.labels)
        self.parsing.scores(&work.desk, &work.sentence, window + REACH, left, right, &item.score[0])
        self.best_arc(&item.score[0], &item.best, &item.action)
        return item

    cdef uint64_t hash_after(self, State *state, Py_ssize_t place, int32_t action) noexcept nogil:
        """The hash of the state that an action leads to, without making it."""
        cdef const Node *node = state.pending[place]
        cdef const Node *head
        if action < self.tags:
            return (state.hash - finish(mix(1, node.whole))
                    + finish(mix(1, leaf_whole(node.word, <uint16_t> (action + 1)))))
        action -= <int32_t> self.tags
        head = state.pending[place - 1 if action % 2 == LEFT else place + 1]
        return (state.hash - finish(mix(1, node.whole)) - finish(mix(1, head.whole))
                + finish(mix(1, with_child(head, node, <label_t> (action // 2)))))

    cdef Py_ssize_t consider(self, Extension *chosen, Py_ssize_t count, Py_ssize_t width,
                             Extension *new) noexcept nogil:
        """Keep the best ``width`` extensions that lead to different states, best first; their number."""
        cdef Py_ssize_t k, at = count
        for k in range(count):
            if chosen[k].hash == new.hash:
                if chosen[k].score >= new.score:
                    return count
                at = k          # the same state with a better score: it moves up and its copy goes
                break
        if at == count:
            if count == width:
                if chosen[count - 1].score >= new.score:
                    return count
                at = count - 1
            else:
                count += 1
        while at > 0 and chosen[at - 1].score < new.score:
            chosen[at] = chosen[at - 1]
            at -= 1
        chosen[at] = new[0]
        return count

    cdef int extend(self, Workspace work, State *state, State *into, Extension *by, const Gold *gold,
                    Py_ssize_t number) except -1 nogil:
        """The state that an extension leads to, in the arrays of another; only its neighbourhood is scored."""
        cdef Py_ssize_t k, place = by.place, changed = place
        cdef const Node *node = state.pending[place]
        cdef const Node *head
        cdef Made *larger
        cdef int32_t action = by.action
        cdef size_t n = <size_t> (work.sentence.n + 2 * self.pad)
        if work.history_size == work.history_room:
            work.history_room = max(2 * work.history_room, <Py_ssize_t> 1024)
            larger = <Made *> realloc(work.history, work.history_room * sizeof(Made))
            if larger == NULL:
                with gil:
                    raise MemoryError()
            work.history = larger
        work.history[work.history_size].parent = state.made
        work.history[work.history_size].word = node.word
        work.history[work.history_size].action = action
        work.history[work.history_size].score = <score_t> (by.score - state.score)
        into.made = <int32_t> work.history_size
        work.history_size += 1
        into.score = by.score
        into.hash = by.hash
        into.correct = by.correct
        memcpy(into.tags, state.tags, n * sizeof(uint16_t))
        if action < self.tags:
            into.m = state.m
            memcpy(into.pending, state.pending, state.m * sizeof(Node *))
            memcpy(into.items, state.items, state.m * sizeof(Item *))
            into.tags[self.pad + node.word] = <uint16_t> (action + 1)
            into.pending[place] = leaf(&work.nodes, &work.sentence, node.word, <uint16_t> (action + 1))
        else:
            action -= <int32_t> self.tags
            into.m = state.m - 1
            memcpy(into.pending, state.pending, place * sizeof(Node *))
            memcpy(into.items, state.items, place * sizeof(Item *))
            memcpy(into.pending + place, state.pending + place + 1, (state.m - 1 - place) * sizeof(Node *))
            memcpy(into.items + place, state.items + place + 1, (state.m - 1 - place) * sizeof(Item *))
            changed = place - 1 if action % 2 == LEFT else place
            head = into.pending[changed]
            into.pending[changed] = attach(&work.nodes, head, node, <label_t> (action // 2), self.parsing.labelled,
                                           gold != NULL and gold.heads[node.word] == head.word)
        for k in range(max(<Py_ssize_t> 0, changed - self.reach),
                       min(<Py_ssize_t> into.m, changed + self.reach + 1)):
            into.items[k] = self.item_of(work, into, k)
        return 0

    cdef bint is_correct(self, State *state, Py_ssize_t place, int32_t action, const Gold *gold) noexcept nogil:
        cdef const Node *node = state.pending[place]
        cdef int32_t head = -1
        if action >= self.tags:
            head = state.pending[place - 1 if (action - self.tags) % 2 == LEFT else place + 1].word
        return self.is_allowed(gold, node.word, action, head, node)

    cdef bint best_correct(self, State *state, int32_t number, const Gold *gold, Extension *best) noexcept nogil:
        """TOPC: the best compatible extension of a correct state; whether it beats the one found so far."""
        cdef Py_ssize_t place
        cdef const Node *node
        cdef Item *item
        cdef int32_t action, left, right
        cdef score_t score = 0
        cdef bint found = False
        for place in range(state.m):
            item = state.items[place]
            if item == NULL:
                continue
            node = state.pending[place]
            left = right = -1
            if self.parsing is not None:
                if place > 0 and (self.tags == 0 or state.pending[place - 1].atom[1] != 0):
                    left = state.pending[place - 1].word
                if place + 1 < state.m and (self.tags == 0 or state.pending[place + 1].atom[1] != 0):
                    right = state.pending[place + 1].word
            action = self.compatible(gold, node.word, state.tags[self.pad + node.word], node, left, right,
                                     &item.score[0], item.best, item.action, &score)
            if action >= 0 and (best.state < 0 or state.score + score > best.score):
                best.score = state.score + score
                best.state = number
                best.place = <int32_t> place
                best.action = action
                found = True
        return found

    cdef Py_ssize_t search(self, Workspace work, Py_ssize_t width, const Gold *gold, Extension *right,
                           int32_t *right_made) except -1 nogil:
        """Algorithm 1 of 2013; with gold Algorithm 2. Returns the row of states it ended with, 0 or 1.

        With gold the search stops where no correct state is left; ``right`` is then the best correct extension that
        was pruned, with the decision before it in ``right_made``. Otherwise right.state stays -1.
        """
        cdef State *states = work.states
        cdef State *state
        cdef Py_ssize_t step, k, count, alive = 1, row = 0, place, n = work.sentence.n
        cdef int32_t action
        cdef Item *item
        cdef Extension new
        cdef bint correct
        right.state = -1
        state = &states[0]
        state.score = 0
        state.hash = 0
        state.made = -1
        state.m = <int32_t> n
        state.correct = True
        memcpy(state.tags, work.codes, (n + 2 * self.pad) * sizeof(uint16_t))
        for k in range(n):
            state.pending[k] = work.node[k]
            state.hash += finish(mix(1, work.node[k].whole))
        for k in range(n):
            state.items[k] = self.item_of(work, state, k)
        for step in range(self.total_steps(n)):
            count = 0
            right.state = -1
            for k in range(alive):
                state = &states[row * width + k]
                if gold != NULL and state.correct:
                    if self.best_correct(state, <int32_t> k, gold, right):
                        right_made[0] = state.made
                for place in range(state.m):
                    item = state.items[place]
                    if item == NULL or item.best == -INFINITY:
                        continue
                    if count == width and state.score + item.best <= work.chosen[count - 1].score:
                        continue
                    for action in range(item.count):
                        new.score = state.score + item.score[action]
                        if count == width and new.score <= work.chosen[count - 1].score:
                            continue
                        new.action = action
                        if self.tags > 0 and state.tags[self.pad + state.pending[place].word] == 0:
                            if not self.may_tag(&work.sentence, state.pending[place].word, action):
                                continue
                        else:
                            new.action += <int32_t> self.tags
                            if item.score[action] < -1e29:
                                continue
                        new.state = <int32_t> k
                        new.place = <int32_t> place
                        new.hash = self.hash_after(state, place, new.action)
                        count = self.consider(work.chosen, count, width, &new)
            correct = False
            for k in range(count):
                state = &states[row * width + work.chosen[k].state]
                work.chosen[k].correct = (gold != NULL and state.correct
                                          and self.is_correct(state, work.chosen[k].place, work.chosen[k].action, gold))
                correct = correct or work.chosen[k].correct
                self.extend(work, state, &states[(1 - row) * width + k], &work.chosen[k], gold, step)
            row = 1 - row
            alive = count
            if gold != NULL and not correct:
                return row
        if gold != NULL and states[row * width].correct:
            right.state = -1        # all is well
        return row

    cdef bint may_tag(self, Sentence *sentence, Py_ssize_t w, int32_t tag) noexcept nogil:
        cdef const label_t *allowed = NULL
        cdef Py_ssize_t k, count = self.tagging.dictionary.candidates(sentence.atoms[w * self.columns], &allowed)
        if count == self.tags:
            return True
        for k in range(count):
            if allowed[k] == tag:
                return True
        return False

    cdef int unwind(self, Workspace work, int32_t made) except -1 nogil:
        """Write the decisions that led to a state into the workspace, in order."""
        cdef int32_t at = made
        cdef Py_ssize_t k = 0
        while at >= 0:
            k += 1
            at = work.history[at].parent
        work.steps = k
        at = made
        while at >= 0:
            k -= 1
            work.word[k] = work.history[at].word
            work.made[k] = work.history[at].action
            work.made_score[k] = work.history[at].score
            at = work.history[at].parent
        return 0

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

    cdef int collect_path(self, Workspace work, const uint16_t *given, int32_t made, Py_ssize_t from_step,
                          double value, Delta tags, Delta arcs) except -1 nogil:
        """The features of the decisions that led to a state, from some step on; the links are left at its end."""
        cdef Py_ssize_t k
        self.unwind(work, made)
        self.restart(work, given)
        for k in range(work.steps):
            if k >= from_step:
                self.collect(work, work.word[k], work.made[k], value, tags, arcs)
            self.label(work, work.word[k], work.made[k], NULL)
        return 0

    cdef Py_ssize_t shared_steps(self, Workspace work, int32_t a, int32_t b) noexcept nogil:
        """How many first decisions two paths have in common, as the very same states."""
        cdef Py_ssize_t length_a = 0, length_b = 0
        cdef int32_t at = a
        while at >= 0:
            length_a += 1
            at = work.history[at].parent
        at = b
        while at >= 0:
            length_b += 1
            at = work.history[at].parent
        while length_a > length_b:
            a = work.history[a].parent
            length_a -= 1
        while length_b > length_a:
            b = work.history[b].parent
            length_b -= 1
        while a != b:
            a = work.history[a].parent
            b = work.history[b].parent
            length_a -= 1
        return length_a

    # ---------------------------------------------------------------- doors

    cdef int check_input(self, atoms, given, Py_ssize_t n) except -1:
        if atoms.shape[1] != self.columns or n < 0:
            raise ValueError("an atom matrix of another shape")
        if self.tagging is None and (given is None or len(given) != n):
            raise ValueError("parsing without tagging needs a tag for each word")
        return 0

    def decode(self, uint64_t[:, ::1] atoms not None, const uint16_t[::1] given=None, Py_ssize_t beam=0):
        """(tags, heads, labels, words, actions, scores): the analysis, and the decisions in order.

        Heads count from 0 and the root's is −1. The given columns of the atoms are used as scratch.
        """
        cdef Py_ssize_t n = atoms.shape[0] - 2 * self.pad, k, width = beam if beam > 0 else self.beam
        cdef Workspace work
        cdef Extension right
        cdef int32_t right_made = -1
        cdef Py_ssize_t row
        self.check_input(atoms, given, n)
        tags = np.zeros(n, dtype=np.uint16)
        heads = np.full(n, -1, dtype=np.int32)
        labels = np.zeros(n, dtype=np.uint16)
        steps = self.total_steps(n) if n > 0 else 0
        words = np.zeros(steps, dtype=np.int32)
        actions = np.zeros(steps, dtype=np.int32)
        scores = np.zeros(steps, dtype=np.float32)
        if n == 0:
            return tags, heads, labels, words, actions, scores
        cdef uint16_t[::1] tag_view = tags
        cdef int[::1] head_view = heads
        cdef uint16_t[::1] label_view = labels
        cdef int[::1] word_view = words
        cdef int[::1] action_view = actions
        cdef float[::1] score_view = scores
        cdef const uint16_t *known = NULL
        if self.tagging is None:
            known = &given[0]
        work = self.borrow(n)
        work.desk.recording = False
        if width == 1:
            with nogil:
                self.begin(work, &atoms[self.pad, 0], n, known)
                self.greedy(work)
        else:
            with nogil:
                self.begin_beam(work, &atoms[self.pad, 0], n, known)
            self.prepare_beam(work, width)
            with nogil:
                row = self.search(work, width, NULL, &right, &right_made)
                self.unwind(work, work.states[row * width].made)
                self.restart(work, known)
                for k in range(work.steps):
                    self.label(work, work.word[k], work.made[k], NULL)
        for k in range(n):
            tag_view[k] = work.sentence.tags[k] - 1
            head_view[k] = work.head[k]
            label_view[k] = work.label[k]
        for k in range(work.steps):
            word_view[k] = work.word[k]
            action_view[k] = work.made[k]
            score_view[k] = work.made_score[k]
        self.spare.append(work)
        return tags, heads, labels, words, actions, scores

    cdef int begin_beam(self, Workspace work, atom_t *atoms, Py_ssize_t n, const uint16_t *given) except -1 nogil:
        cdef Py_ssize_t w, k
        rewind(&work.nodes)
        self.clear_desk(work)
        work.sentence.n = n
        work.sentence.width = self.columns
        work.sentence.atoms = atoms
        work.sentence.tags = work.codes + self.pad
        for k in range(self.pad):
            work.codes[k] = <uint16_t> (self.tags + 1)
            work.codes[self.pad + n + k] = <uint16_t> (self.tags + 2)
        if self.tags > 0:
            for w in range(n):
                self.tagging.static_scores(&work.desk, &work.sentence, w, work.static + w * self.tags)
        return self.restart(work, given)

    def learn(self, uint64_t[:, ::1] atoms not None, const uint16_t[::1] given, const uint16_t[::1] gold_tags,
              const int[::1] gold_heads, const uint16_t[::1] gold_labels, int loss=0, Py_ssize_t beam=0,
              bint goes_on=False, bint again=False, bint skip=False):
        """None when the search finds only compatible decisions; else (Δf of tags, Δf of arcs, wrong, decisions made).

        With ``goes_on`` greedy training collects all wrong decisions of the sentence instead of the first. It can
        also go on where it stopped: with ``again`` everything is scored anew under the moved weights and the search
        continues in the same state, with ``skip`` by its best compatible decision.
        """
        cdef Py_ssize_t n = atoms.shape[0] - 2 * self.pad, k, row, shared, width = beam if beam > 0 else self.beam
        cdef Workspace work
        cdef Gold gold
        cdef Extension right
        cdef int32_t right_made = -1, top, action = 0
        cdef score_t score = 0
        cdef Py_ssize_t word
        cdef Delta tags = Delta()
        cdef Delta arcs = Delta()
        cdef const uint16_t *known = NULL
        cdef Py_ssize_t wrong = 0
        cdef double top_score
        self.check_input(atoms, given, n)
        if n == 0:
            return None
        if self.tagging is None:
            known = &given[0]
        elif gold_tags is None or gold_tags.shape[0] != n:
            raise ValueError("training needs a gold tag for each word")
        if self.parsing is not None and (gold_heads is None or gold_labels is None or gold_heads.shape[0] != n
                                         or gold_labels.shape[0] != n):
            raise ValueError("training needs a gold head and label for each word")
        if again and self.held is None:
            raise ValueError("no sentence to go on with")
        work = self.held if again else self.borrow(n)
        self.held = None
        gold.tags = &gold_tags[0] if self.tagging is not None else NULL
        gold.heads = <const int32_t *> &gold_heads[0] if self.parsing is not None else NULL
        gold.labels = &gold_labels[0] if self.parsing is not None else NULL
        gold.children = work.children
        gold.loss = loss
        memset(work.children, 0, n * sizeof(int32_t))
        if self.parsing is not None:
            for k in range(n):
                if gold_heads[k] >= 0:
                    work.children[gold_heads[k]] += 1
        if width == 1:
            if again:
                renew(&work.desk, None if self.tagging is None else self.tagging.weights,
                      None if self.parsing is None else self.parsing.weights, self.held_tags, self.held_arcs)
            work.desk.recording = not goes_on
            with nogil:
                if again:
                    self.rescore_all(work)
                    if skip:
                        word = self.best_compatible(work, &gold, &action, &score)
                        self.take_step(work, word, action, score, &gold)
                else:
                    self.begin(work, &atoms[self.pad, 0], n, known)
                wrong = self.learn_greedy(work, &gold, goes_on, tags, arcs)
            if wrong > 0 and not goes_on:
                self.held = work
                self.held_tags = tags
                self.held_arcs = arcs
            else:
                self.spare.append(work)
        else:
            work.desk.recording = False
            with nogil:
                self.begin_beam(work, &atoms[self.pad, 0], n, known)
            self.prepare_beam(work, width)
            with nogil:
                row = self.search(work, width, &gold, &right, &right_made)
            wrong = right.state >= 0
            if wrong > 0:
                top = work.states[row * width].made
                top_score = work.states[row * width].score
                if self.debug and not right.score <= top_score:
                    raise AssertionError(f"an invalid update: correct {right.score}, predicted {top_score}")
                with nogil:
                    # the last correct decision is not in the history: it was pruned before it was made
                    shared = self.shared_steps(work, right_made, top)
                    word = self.word_at(work, right_made, known, right.place)
                    self.collect_path(work, known, right_made, shared, 1, tags, arcs)
                    self.collect(work, word, right.action, 1, tags, arcs)
                    self.collect_path(work, known, top, shared, -1, tags, arcs)
            self.spare.append(work)
        return (tags, arcs, wrong, work.steps) if wrong > 0 else None

    cdef Py_ssize_t word_at(self, Workspace work, int32_t made, const uint16_t *given,
                            Py_ssize_t place) except -1 nogil:
        """The word at a place of the pending list after some decisions."""
        cdef Py_ssize_t k, _k
        cdef int32_t w = 0
        self.unwind(work, made)
        self.restart(work, given)
        for k in range(work.steps):
            self.label(work, work.word[k], work.made[k], NULL)
        while w < work.sentence.n and work.node[w] == NULL:
            w += 1
        for _k in range(place):
            w = work.right[w]
        return w

    def survey(self, uint64_t[:, ::1] atoms not None, const uint16_t[::1] given, actions, bint fresh=False,
               const uint16_t[::1] gold_tags=None, const int[::1] gold_heads=None,
               const uint16_t[::1] gold_labels=None, int loss=0):
        """All valid (word, action, score, compatible) after some (word, action) decisions; a door for tests.

        With ``fresh`` everything is scored at the end, else step by step as the search does it.
        """
        cdef Py_ssize_t n = atoms.shape[0] - 2 * self.pad, w, k, first
        cdef Workspace work
        cdef Gold gold
        cdef int32_t head
        self.check_input(atoms, given, n)
        work = self.borrow(n)
        work.desk.recording = False
        gold.tags = NULL if gold_tags is None else &gold_tags[0]
        gold.heads = NULL if gold_heads is None else <const int32_t *> &gold_heads[0]
        gold.labels = NULL if gold_labels is None else &gold_labels[0]
        gold.children = work.children
        gold.loss = loss
        memset(work.children, 0, n * sizeof(int32_t))
        for k in range(0 if gold_heads is None else n):
            if gold_heads[k] >= 0:
                work.children[gold_heads[k]] += 1
        self.begin(work, &atoms[self.pad, 0], n, &given[0] if self.tagging is None else NULL)
        for word, action in actions:
            if fresh:
                self.label(work, word, action, &gold if gold.heads != NULL else NULL)
            else:
                self.take_step(work, word, action, 0, &gold if gold.heads != NULL else NULL)
        if fresh:
            self.refresh(work)
        found = []
        for w in range(n):
            if work.node[w] == NULL or work.best[w] == -INFINITY:
                continue
            first = 0 if self.tags > 0 and work.sentence.tags[w] == 0 else self.tags
            for k in range(self.tags if first == 0 and self.tags > 0 else 2 * self.parsing.labels):
                if first == 0 and self.tags > 0:
                    head = -1
                    if not self.may_tag(&work.sentence, w, <int32_t> k):
                        continue
                else:
                    if not self.may_attach(work, w, k % 2 == RIGHT):
                        continue
                    head = work.left[w] if k % 2 == LEFT else work.right[w]
                right = (gold.tags != NULL or gold.heads != NULL) and self.is_allowed(
                    &gold, w, <int32_t> (first + k), head, work.node[w])
                found.append((w, first + k, work.scores[w * self.widest + k], right))
        best = work.winner[1]
        self.spare.append(work)
        return found, (best, work.action[best]) if work.best[best] > -INFINITY else None
