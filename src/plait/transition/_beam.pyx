"""Figure 2 of Bohnet & Nivre (2012): every hypothesis with every permissible transition, b1 distinct trees go on."""

from libc.stdint cimport int32_t
from libc.stdlib cimport realloc

from plait.core._memory cimport Ranked, Slot, clear, find, insert, make_heap, pop
from plait.core._types cimport uint16_t
from plait.transition._scoring cimport Given
from plait.transition._state cimport Arc, Item, Node, Sentence, apply, is_final, look_ahead
from plait.transition._types cimport LEFT, RIGHT, SHIFT, SWAP


cdef bint has_all(const Given *given, const Node *node) noexcept nogil:
    """Whether a word has all words whose given head it is."""
    cdef const Arc *arc = node.arcs
    cdef int32_t missing = given.children[node.word]
    while arc != NULL:
        missing -= given.heads[arc.child.word - 1] == node.word
        arc = arc.next
    return missing == 0


cdef class Beam(Scoring):
    """A search that keeps the b1 best hypotheses with distinct trees and b2 tagging variants."""

    cdef int propose(self, Desk *desk, const Step *step, label_t action, label_t choice) except -1 nogil:
        cdef Expansion *new
        cdef Py_ssize_t capacity
        cdef void *larger
        if desk.count == desk.capacity:
            capacity = max(<Py_ssize_t> 256, 2 * desk.capacity)
            larger = realloc(desk.expansions, capacity * sizeof(Expansion))
            if larger != NULL:
                desk.expansions = <Expansion *> larger
                larger = realloc(desk.heap, capacity * sizeof(Ranked))
            if larger == NULL:
                with gil:
                    raise MemoryError()
            desk.heap = <Ranked *> larger
            desk.capacity = capacity
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
        cdef const Slot *tree
        cdef Expansion *best
        if self.beam + self.beam_tags == 1:
            return self.keep_best(desk)
        clear(&desk.trees)
        clear(&desk.tagged)
        for i in range(n):
            desk.heap[i] = Ranked(desk.expansions[i].score, i)
        make_heap(desk.heap, n)
        while n > 0 and (main < self.beam or extra < self.beam_tags):
            best = &desk.expansions[pop(desk.heap, n).number]
            n -= 1
            if not best.stays:
                look_ahead(&desk.sentence, best.step, best.action, best.choice, &best.tree, &best.tagged)
            if find(&desk.tagged, best.tagged).key != 0:
                continue
            tree = find(&desk.trees, best.tree)
            if main < self.beam and tree.key == 0:
                main += 1
            elif extra < self.beam_tags:
                extra += 1
            else:
                continue
            insert(&desk.tagged, best.tagged)
            insert(&desk.trees, best.tree)
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
