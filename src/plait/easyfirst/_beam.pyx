"""Beam search over partial analyses, and training updates that are always valid (Ma et al. 2013)."""

cimport cython
from libc.math cimport INFINITY, fabs
from libc.stdlib cimport free
from libc.string cimport memcpy

from plait.core._arrays cimport enlarged
from plait.core._hashing cimport finish, mix
from plait.core._memory cimport Slot, insert, take
from plait.core._rows cimport next_above
from plait.core._types cimport label_t
from plait.easyfirst._pending cimport raise_diverged
from plait.easyfirst._scoring cimport LEFT, REACH, T, attach, leaf, leaf_hash, no_node, with_child


@cython.final
cdef class Beam:
    """A beam search and its memory."""

    def __cinit__(self, Task task not None):
        self.task = task
        self.pending = PendingList(task)

    def __dealloc__(self):
        free(self.history)

    cdef int begin(self, atom_t *atoms, Py_ssize_t n, const uint16_t *given, Py_ssize_t width) except -1:
        """Start a new sentence with two rows of states, each state with its own arrays."""
        cdef Py_ssize_t k
        cdef PendingList pending = self.pending
        with nogil:
            pending.open(atoms, n)
            pending.restart(given, True)
        self.states = <State *> take(&pending.nodes, 2 * width * sizeof(State))
        self.chosen = <Extension *> take(&pending.nodes, width * sizeof(Extension))
        self.width = width
        self.history_size = 0
        # 2 * width arrays of each kind, whatever the number of steps
        for k in range(2 * width):
            self.states[k].pending = <const Node **> take(&pending.nodes, n * sizeof(Node *))
            self.states[k].items = <Item **> take(&pending.nodes, n * sizeof(Item *))
            self.states[k].tags = <uint16_t *> take(&pending.nodes, (n + 2 * self.task.pad) * sizeof(uint16_t))
        return 0

    cdef bint may_attach(self, const State *state, Py_ssize_t place, Py_ssize_t neighbour) noexcept nogil:
        """Whether there is a neighbour, tagged as the item itself is."""
        return 0 <= neighbour < state.m and (self.task.tags == 0 or state.pending[neighbour].atom[<int> T] != 0)

    cdef Item *item_of(self, State *state, Py_ssize_t place) except? NULL nogil:
        """The scored labels of the item at a place of the pending list, computed once for all equal contexts."""
        cdef const Node *window[2 * REACH + 1]
        cdef const Node *node = state.pending[place]
        cdef Py_ssize_t w = node.word, k, tag_count = self.task.tags
        cdef const uint16_t *tags = state.tags + self.task.pad
        cdef uint64_t key
        cdef Slot *slot
        cdef Item *item
        cdef bint left, right
        if tag_count > 0 and tags[w] == 0:
            key = mix(0x7461677a, <uint64_t> w)
            for k in range(w + self.task.tagging.lowest, w + self.task.tagging.highest + 1):
                key = mix(key, tags[k])
            window[0] = state.pending[place - 1] if place > 0 else no_node()
            window[1] = state.pending[place + 1] if place + 1 < state.m else no_node()
            if self.task.tagging.sees_neighbours:
                key = mix(mix(key, window[0].visible), window[1].visible)
            slot = insert(&self.pending.memo.totals, finish(key))
            if slot.value.pointer != NULL:
                return <Item *> slot.value.pointer
            item = <Item *> take(&self.pending.memo.sums.arena, sizeof(Item) + tag_count * sizeof(score_t))
            slot.value.pointer = item
            item.count = <int32_t> tag_count
            self.task.tagging.scores(&self.pending.memo, &self.pending.sentence, w, tags, window[0], window[1],
                                     self.pending.static + w * tag_count, &item.score[0])
            self.task.best_tag(&self.pending.sentence, w, &item.score[0], &item.best, &item.action)
            return item
        if self.task.parsing is None:
            return NULL
        left = self.may_attach(state, place, place - 1)
        right = self.may_attach(state, place, place + 1)
        if not (left or right):
            return NULL
        key = 0x61726373
        for k in range(-REACH, REACH + 1):
            window[k + REACH] = state.pending[place + k] if 0 <= place + k < state.m else no_node()
            key = mix(key, window[k + REACH].visible)
        slot = insert(&self.pending.memo.totals, finish(key))
        if slot.value.pointer != NULL:
            return <Item *> slot.value.pointer
        item = <Item *> take(&self.pending.memo.sums.arena,
                             sizeof(Item) + 2 * self.task.parsing.labels * sizeof(score_t))
        slot.value.pointer = item
        item.count = <int32_t> (2 * self.task.parsing.labels)
        self.task.parsing.scores(&self.pending.memo, &self.pending.sentence, window + REACH, left, right,
                                 &item.score[0])
        self.task.best_arc(&item.score[0], &item.best, &item.action)
        return item

    cdef uint64_t hash_after(self, const State *state, Py_ssize_t place, int32_t action) noexcept nogil:
        """The hash of the state that an action leads to, without making it."""
        cdef const Node *node = state.pending[place]
        cdef const Node *head
        if action < self.task.tags:
            return (state.hash - finish(mix(1, node.tree))
                    + finish(mix(1, leaf_hash(node.word, <uint16_t> (action + 1)))))
        action -= <int32_t> self.task.tags
        head = state.pending[place - 1 if action % 2 == LEFT else place + 1]
        return (state.hash - finish(mix(1, node.tree)) - finish(mix(1, head.tree))
                + finish(mix(1, with_child(head, node, <label_t> (action // 2)))))

    cdef Py_ssize_t insert_extension(self, Py_ssize_t count, const Extension *new) noexcept nogil:
        """Keep the best extensions that lead to different states, best first; their number."""
        cdef Extension *chosen = self.chosen
        cdef Py_ssize_t k, at = count
        for k in range(count):
            if chosen[k].hash == new.hash:
                if chosen[k].score >= new.score:
                    return count
                at = k          # the same state with a better score: it moves up and replaces its copy
                break
        if at == count:
            if count == self.width:
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

    cdef int record_decision(self, const State *state, const Extension *by) except -1 nogil:
        """Add a decision to the history and return its number."""
        if self.history_size == self.history_capacity:
            self.history = <Decision *> enlarged(self.history, &self.history_capacity, sizeof(Decision))
        self.history[self.history_size] = Decision(state.last, state.pending[by.place].word, by.action,
                                                   <score_t> (by.score - state.score))
        self.history_size += 1
        return <int> (self.history_size - 1)

    cdef int extend(self, const State *state, State *into, const Extension *by, const Gold *gold) except -1 nogil:
        """The state that an extension leads to, in the arrays of another; only its neighbourhood is scored."""
        cdef Py_ssize_t k, place = by.place, changed = place
        cdef const Node *node = state.pending[place]
        cdef const Node *head
        cdef int32_t action = by.action
        into.last = self.record_decision(state, by)
        into.score = by.score
        into.hash = by.hash
        into.correct = by.correct
        memcpy(into.tags, state.tags, (<size_t> self.pending.sentence.n + 2 * self.task.pad) * sizeof(uint16_t))
        if action < self.task.tags:
            into.m = state.m
            memcpy(into.pending, state.pending, state.m * sizeof(Node *))
            memcpy(into.items, state.items, state.m * sizeof(Item *))
            into.tags[self.task.pad + node.word] = <uint16_t> (action + 1)
            into.pending[place] = leaf(&self.pending.nodes, &self.pending.sentence, node.word, <uint16_t> (action + 1))
        else:
            action -= <int32_t> self.task.tags
            into.m = state.m - 1
            memcpy(into.pending, state.pending, place * sizeof(Node *))
            memcpy(into.items, state.items, place * sizeof(Item *))
            memcpy(into.pending + place, state.pending + place + 1, (state.m - 1 - place) * sizeof(Node *))
            memcpy(into.items + place, state.items + place + 1, (state.m - 1 - place) * sizeof(Item *))
            changed = place - 1 if action % 2 == LEFT else place
            head = into.pending[changed]
            into.pending[changed] = attach(&self.pending.nodes, head, node, <label_t> (action // 2),
                                           self.task.parsing.labelled,
                                           gold != NULL and gold.heads[node.word] == head.word + 1)
        for k in range(max(<Py_ssize_t> 0, changed - self.task.reach),
                       min(<Py_ssize_t> into.m, changed + self.task.reach + 1)):
            into.items[k] = self.item_of(into, k)
        return 0

    cdef bint is_correct(self, const State *state, const Extension *by, const Gold *gold) noexcept nogil:
        cdef const Node *node = state.pending[by.place]
        cdef int32_t head = -1
        if by.action >= self.task.tags:
            head = state.pending[by.place - 1 if (by.action - self.task.tags) % 2 == LEFT else by.place + 1].word + 1
        return self.task.is_allowed(gold, node.word, by.action, head, node)

    cdef bint best_correct(self, const State *state, int32_t number, const Gold *gold) noexcept nogil:
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
            if self.task.parsing is not None:
                if self.may_attach(state, place, place - 1):
                    left = state.pending[place - 1].word
                if self.may_attach(state, place, place + 1):
                    right = state.pending[place + 1].word
            action = self.task.compatible(gold, node.word, state.tags[self.task.pad + node.word], node, left, right,
                                          &item.score[0], item.best, item.action, &score)
            if action >= 0 and (self.gold_best.state < 0 or state.score + score > self.gold_best.score):
                self.gold_best.score = state.score + score
                self.gold_best.state = number
                self.gold_best.place = <int32_t> place
                self.gold_best.action = action
                found = True
        return found

    cdef int start(self) except -1 nogil:
        """The first state: all words pending."""
        cdef State *state = self.states
        cdef Py_ssize_t k, n = self.pending.sentence.n
        self.final_count = 1
        self.gold_best.state = -1
        state.score = 0
        state.hash = 0
        state.last = -1
        state.m = <int32_t> n
        state.correct = True
        memcpy(state.tags, self.pending.codes, (n + 2 * self.task.pad) * sizeof(uint16_t))
        for k in range(n):
            state.pending[k] = self.pending.node[k]
            state.hash += finish(mix(1, state.pending[k].tree))
        for k in range(n):
            state.items[k] = self.item_of(state, k)
        return 0

    cdef score_t limit(self, const State *state, Py_ssize_t count) noexcept nogil:
        """A score that a decision in this state must exceed to be chosen, or slightly less because of rounding."""
        cdef double worst
        if count < self.width:
            return -INFINITY    # where there is no neighbour
        worst = self.chosen[count - 1].score
        return <score_t> (worst - state.score - 1e-6 * (fabs(worst) + fabs(state.score)))

    cdef Py_ssize_t choose(self, const State *states, const Gold *gold) noexcept nogil:
        """The best extensions of all states; their number."""
        cdef const State *state
        cdef const Item *item
        cdef Py_ssize_t k, place, found, count = 0
        cdef int32_t action
        cdef Extension new
        self.gold_best.state = -1
        for k in range(self.final_count):
            state = &states[k]
            if gold != NULL and state.correct:
                if self.best_correct(state, <int32_t> k, gold):
                    self.gold_best_last = state.last
            for place in range(state.m):
                item = state.items[place]
                if item == NULL or not item.best > -INFINITY:
                    continue
                if count == self.width and state.score + item.best <= self.chosen[count - 1].score:
                    continue
                found = -1
                while True:
                    found = next_above(&item.score[0], found + 1, item.count, self.limit(state, count))
                    if found == item.count:
                        break
                    new.score = state.score + item.score[found]
                    if not new.score < INFINITY or (count == self.width
                                                    and new.score <= self.chosen[count - 1].score):
                        continue
                    action = <int32_t> found
                    new.action = action
                    if self.task.tags > 0 and state.tags[self.task.pad + state.pending[place].word] == 0:
                        if not self.task.may_tag(&self.pending.sentence, state.pending[place].word, action):
                            continue
                    else:
                        new.action += <int32_t> self.task.tags
                    new.state = <int32_t> k
                    new.place = <int32_t> place
                    new.hash = self.hash_after(state, place, new.action)
                    count = self.insert_extension(count, &new)
        return count

    cdef int search(self, const Gold *gold) except -1 nogil:
        """Algorithm 1 of 2013; with gold Algorithm 2, which stops where no correct state is left."""
        cdef State *states = self.states
        cdef State *other = self.states + self.width
        cdef Extension *by
        cdef Py_ssize_t _step, k, count
        cdef bint correct
        self.start()
        self.final_states = states
        for _step in range(self.task.total_steps(self.pending.sentence.n)):
            count = self.choose(states, gold)
            if count == 0:
                raise_diverged()
            correct = False
            for k in range(count):
                by = &self.chosen[k]
                by.correct = gold != NULL and states[by.state].correct and self.is_correct(&states[by.state], by, gold)
                correct = correct or by.correct
                self.extend(&states[by.state], &other[k], by, gold)
            states, other = other, states
            self.final_states = states
            self.final_count = count
            if gold != NULL and not correct:
                return 0
        if gold != NULL and states[0].correct:
            self.gold_best.state = -1   # no update
        return 0

    cdef Py_ssize_t length(self, int32_t last) noexcept nogil:
        """How many decisions there are up to one."""
        cdef Py_ssize_t k = 0
        while last >= 0:
            k += 1
            last = self.history[last].parent
        return k

    cdef int unwind(self, int32_t last) noexcept nogil:
        """Write the decisions that led to a state to the pending list, in order."""
        cdef Py_ssize_t k = self.length(last)
        self.pending.steps = k
        while last >= 0:
            k -= 1
            self.pending.step_word[k] = self.history[last].word
            self.pending.step_action[k] = self.history[last].action
            self.pending.step_score[k] = self.history[last].score
            last = self.history[last].parent
        return 0

    cdef int follow(self, int32_t last, const uint16_t *given) except -1 nogil:
        """Apply the decisions that led to a state; the pending list is then in that state."""
        return self.collect_path(given, last, self.length(last), 0, None, None)

    cdef int collect_path(self, const uint16_t *given, int32_t last, Py_ssize_t from_step, double value, Delta tags,
                          Delta arcs) except -1 nogil:
        """Collect the features of the decisions that led to a state, from some step on, and apply all of them."""
        cdef Py_ssize_t k
        self.unwind(last)
        self.pending.restart(given, True)
        for k in range(self.pending.steps):
            if k >= from_step:
                self.pending.collect(self.pending.step_word[k], self.pending.step_action[k], value, tags, arcs)
            self.pending.apply(self.pending.step_word[k], self.pending.step_action[k], NULL)
        return 0

    cdef Py_ssize_t shared_steps(self, int32_t a, int32_t b) noexcept nogil:
        """The length of the common prefix of two paths, as identical states."""
        cdef Py_ssize_t length_a = self.length(a), length_b = self.length(b)
        while length_a > length_b:
            a = self.history[a].parent
            length_a -= 1
        while length_b > length_a:
            b = self.history[b].parent
            length_b -= 1
        while a != b:
            a = self.history[a].parent
            b = self.history[b].parent
            length_a -= 1
        return length_a

    cdef int collect_difference(self, const uint16_t *given, Delta tags, Delta arcs) except -1 nogil:
        """Collect the features of the correct path minus those of the best one, from where they diverge."""
        cdef int32_t top = self.final_states[0].last
        cdef Py_ssize_t shared = self.shared_steps(self.gold_best_last, top), _k
        cdef int32_t w = 0
        self.collect_path(given, self.gold_best_last, shared, 1, tags, arcs)
        # the last correct decision is not in the history: it was pruned before it was applied
        while w < self.pending.sentence.n and self.pending.node[w] == NULL:
            w += 1
        for _k in range(self.gold_best.place):
            w = self.pending.right[w]
        self.pending.collect(w, self.gold_best.action, 1, tags, arcs)
        return self.collect_path(given, top, shared, -1, tags, arcs)
