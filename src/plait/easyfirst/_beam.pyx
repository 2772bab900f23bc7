"""The best partial analyses side by side, and the updates of their training that are always valid."""

from libc.math cimport INFINITY
from libc.stdlib cimport realloc
from libc.string cimport memcpy

from plait.core._hashing cimport finish, mix
from plait.core._types cimport label_t, score_t
from plait.core._memory cimport Slot, insert, rewind, take
from plait.easyfirst._greedy cimport nothing_possible
from plait.easyfirst._scoring cimport LEFT, REACH, Node, attach, leaf, leaf_hash, no_node, with_child
from plait.easyfirst._workspace cimport Made


cdef class Beam(Oracle):
    """A search with many states at once."""

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

    cdef int begin_beam(self, Workspace work, atom_t *atoms, Py_ssize_t n, const uint16_t *given) except -1 nogil:
        cdef Py_ssize_t k
        rewind(&work.nodes)
        self.clear_desk(work)
        work.sentence.n = n
        work.sentence.width = self.columns
        work.sentence.atoms = atoms
        work.sentence.tags = work.codes + self.pad
        for k in range(self.pad):
            work.codes[k] = <uint16_t> (self.tags + 1)
            work.codes[self.pad + n + k] = <uint16_t> (self.tags + 2)
        self.look_up_words(work)
        return self.restart(work, given)

    cdef Item *item_of(self, Workspace work, State *state, Py_ssize_t place) except? NULL nogil:
        """The scored labels of the item at a place of the pending list, made once for all equal surroundings."""
        cdef const Node *window[2 * REACH + 1]
        cdef const Node *node = state.pending[place]
        cdef Py_ssize_t w = node.word, k
        cdef const uint16_t *tags = state.tags + self.pad
        cdef uint64_t key
        cdef Slot *slot
        cdef Item *item
        cdef bint left, right
        if self.tags > 0 and tags[w] == 0:
            key = mix(0x7461677a, <uint64_t> w)
            for k in range(w + self.tagging.lowest, w + self.tagging.highest + 1):
                key = mix(key, tags[k])
            window[0] = state.pending[place - 1] if place > 0 else no_node()
            window[1] = state.pending[place + 1] if place + 1 < state.m else no_node()
            if self.tagging.sees_neighbours:
                key = mix(mix(key, window[0].visible), window[1].visible)
            key = finish(key)
            slot = insert(&work.desk.totals, key)
            if slot.value.pointer != NULL:
                return <Item *> slot.value.pointer
            item = <Item *> take(&work.desk.sums.arena, sizeof(Item) + self.tags * sizeof(score_t))
            slot.value.pointer = item
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
            window[k + REACH] = state.pending[place + k] if 0 <= place + k < state.m else no_node()
            key = mix(key, window[k + REACH].visible)
        key = finish(key)
        slot = insert(&work.desk.totals, key)
        if slot.value.pointer != NULL:
            return <Item *> slot.value.pointer
        item = <Item *> take(&work.desk.sums.arena, sizeof(Item) + 2 * self.parsing.labels * sizeof(score_t))
        slot.value.pointer = item
        item.count = <int32_t> (2 * self.parsing.labels)
        self.parsing.scores(&work.desk, &work.sentence, window + REACH, left, right, &item.score[0])
        self.best_arc(&item.score[0], &item.best, &item.action)
        return item

    cdef uint64_t hash_after(self, State *state, Py_ssize_t place, int32_t action) noexcept nogil:
        """The hash of the state that an action leads to, without making it."""
        cdef const Node *node = state.pending[place]
        cdef const Node *head
        if action < self.tags:
            return (state.hash - finish(mix(1, node.tree))
                    + finish(mix(1, leaf_hash(node.word, <uint16_t> (action + 1)))))
        action -= <int32_t> self.tags
        head = state.pending[place - 1 if action % 2 == LEFT else place + 1]
        return (state.hash - finish(mix(1, node.tree)) - finish(mix(1, head.tree))
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
                           int32_t *right_made, Py_ssize_t *alive) except -1 nogil:
        """Algorithm 1 of 2013; with gold Algorithm 2. Returns the row of states it ended with, 0 or 1.

        ``alive`` is the number of states there, best first.

        With gold the search stops where no correct state is left; ``right`` is then the best correct extension that
        was pruned, with the decision before it in ``right_made``. Otherwise right.state stays -1.
        """
        cdef State *states = work.states
        cdef State *state
        cdef Py_ssize_t step, k, count, row = 0, place, n = work.sentence.n
        cdef int32_t action
        cdef Item *item
        cdef Extension new
        cdef bint correct
        alive[0] = 1
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
            state.hash += finish(mix(1, work.node[k].tree))
        for k in range(n):
            state.items[k] = self.item_of(work, state, k)
        for step in range(self.total_steps(n)):
            count = 0
            right.state = -1
            for k in range(alive[0]):
                state = &states[row * width + k]
                if gold != NULL and state.correct:
                    if self.best_correct(state, <int32_t> k, gold, right):
                        right_made[0] = state.made
                for place in range(state.m):
                    item = state.items[place]
                    if item == NULL or not item.best > -INFINITY:
                        continue
                    if count == width and state.score + item.best <= work.chosen[count - 1].score:
                        continue
                    for action in range(item.count):
                        new.score = state.score + item.score[action]
                        if not (-INFINITY < new.score < INFINITY):     # no neighbour there
                            continue
                        if count == width and new.score <= work.chosen[count - 1].score:
                            continue
                        new.action = action
                        if self.tags > 0 and state.tags[self.pad + state.pending[place].word] == 0:
                            if not self.may_tag(&work.sentence, state.pending[place].word, action):
                                continue
                        else:
                            new.action += <int32_t> self.tags
                        new.state = <int32_t> k
                        new.place = <int32_t> place
                        new.hash = self.hash_after(state, place, new.action)
                        count = self.consider(work.chosen, count, width, &new)
            if count == 0:
                nothing_possible()
            correct = False
            for k in range(count):
                state = &states[row * width + work.chosen[k].state]
                work.chosen[k].correct = (gold != NULL and state.correct
                                          and self.is_correct(state, work.chosen[k].place, work.chosen[k].action, gold))
                correct = correct or work.chosen[k].correct
                self.extend(work, state, &states[(1 - row) * width + k], &work.chosen[k], gold, step)
            row = 1 - row
            alive[0] = count
            if gold != NULL and not correct:
                return row
        if gold != NULL and states[row * width].correct:
            right.state = -1        # all is well
        return row

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
