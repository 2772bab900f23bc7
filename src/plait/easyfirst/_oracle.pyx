"""Compatible decisions, and the differences that greedy training learns from."""

from libc.math cimport INFINITY

from plait.core._types cimport label_t
from plait.easyfirst._greedy cimport nothing_possible
from plait.easyfirst._scoring cimport LEFT, REACH, RIGHT
from plait.easyfirst._workspace cimport DEP, JOINT, POS

LOSSES = {"joint": JOINT, "dep": DEP, "pos": POS}


cdef class Oracle(Greedy):
    """A search that knows which decisions gold allows."""

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

    cdef Py_ssize_t best_right(self, Workspace work, const Gold *gold, int32_t *action,
                               score_t *score) noexcept nogil:
        """The highest-scoring pair that is right in gold; its word.

        What a loss forgives is not rewarded: else trying again under the moved weights would teach any attachment.
        """
        cdef Py_ssize_t w, found = -1
        cdef int32_t its
        cdef score_t value = 0
        cdef Gold right = gold[0]
        right.loss = JOINT
        for w in range(work.sentence.n):
            if work.node[w] == NULL:
                continue
            its = self.compatible(&right, w, work.sentence.tags[w], work.node[w],
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

    cdef Py_ssize_t fill_keys(self, Workspace work, Py_ssize_t w, int direction, key_t *keys) noexcept nogil:
        """The keys of tagging a word (direction -1) or attaching it in the present state; their number."""
        cdef const Node *window[2 * REACH + 1]
        if direction < 0:
            return self.tagging.fill(&work.sentence, w, work.sentence.tags, self.beside(work, w, False),
                                     self.beside(work, w, True), keys)
        self.look_around(work, w, window)
        return self.parsing.fill(&work.desk, &work.sentence, window + REACH, direction, keys)

    cdef Py_ssize_t learn_greedy(self, Workspace work, const Gold *gold, bint goes_on, Delta tags,
                                 Delta arcs) except -1 nogil:
        """Algorithm 2: go on until an incompatible pair wins, and collect the difference; how many did.

        With ``goes_on`` the best compatible pair is then taken instead, and so to the end of the sentence.
        """
        cdef Py_ssize_t w, right_word, wrong = 0, total = self.total_steps(work.sentence.n)
        cdef int32_t right_action = 0
        cdef score_t score = 0
        while work.steps < total:
            w = self.best_item(work)
            if work.action[w] < self.tags or gold.loss == POS:
                if self.is_allowed(gold, w, work.action[w], -1, NULL):
                    self.take_step(work, w, work.action[w], work.best[w], gold)
                    continue
            elif self.is_allowed(gold, w, work.action[w], work.left[w] if (work.action[w] - self.tags) % 2 == LEFT
                                 else work.right[w], work.node[w]):
                self.take_step(work, w, work.action[w], work.best[w], gold)
                continue
            right_word = self.best_right(work, gold, &right_action, &score)
            if right_word < 0:
                nothing_possible()
            self.collect(work, right_word, right_action, 1, tags, arcs)
            self.collect(work, w, work.action[w], -1, tags, arcs)
            wrong += 1
            if not goes_on:
                break
            self.take_step(work, right_word, right_action, score, gold)
        return wrong
