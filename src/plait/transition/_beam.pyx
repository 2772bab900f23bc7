"""Figure 2 of Bohnet & Nivre (2012): expand every hypothesis by every permissible transition, keep b1 distinct trees.

Over a lattice, SHIFT takes any candidate word that begins at the front of the buffer. A word of several pieces takes as
much time as that many shorter words and their arcs: its expansion waits until the other hypotheses are as far.
"""

from libc.stdint cimport int32_t
from libc.stdlib cimport realloc

from plait.core._memory cimport Ranked, Slot, clear, find, insert, make_heap, pop, split_best
from plait.core._templates cimport look_up
from plait.core._types cimport score_t, uint16_t
from plait.transition._scoring cimport Constraints
from plait.transition._lattice cimport steps_of
from plait.transition._state cimport (
    Arc, Node, Sentence, apply, child_of, choice_of, hash_after, head_of, is_final, next_reach,
)
from plait.transition._types cimport LEFT, RIGHT, SHIFT, SWAP


cdef bint has_all(const Constraints *given, const Node *node) noexcept nogil:
    """Whether a word already has all dependents that the constraints give it."""
    cdef const Arc *arc = node.arcs
    cdef int32_t missing = given.children[node.word]
    while arc != NULL:
        missing -= given.heads[arc.child.word - 1] == node.word
        arc = arc.next
    return missing == 0


cdef inline void propose(Workspace *work, const Step *step, label_t action, int32_t word,
                         label_t choice) noexcept nogil:
    """Add an expansion; there must be room for it."""
    cdef Expansion *new = &work.expansions[work.count]
    new.step = step
    new.action = action
    new.word = word
    new.choice = choice
    new.finished = False
    new.time = work.time + (steps_of(&work.sentence.lattice, word) - 1 if word > 0 else 0)
    work.count += 1


cdef class Beam:
    """Keeps the b1 best hypotheses with distinct trees and b2 tagging variants."""

    def __cinit__(self, Scoring scoring not None, Py_ssize_t trees, Py_ssize_t taggings):
        if trees < 1 or taggings < 0:
            raise ValueError(f"a beam of {trees} and {taggings}")
        self.scoring = scoring
        self.trees, self.taggings, self.size = trees, taggings, trees + taggings

    cdef int reserve(self, Workspace *work, Py_ssize_t more) except -1 nogil:
        """Make room for ``more`` expansions."""
        cdef Py_ssize_t capacity = work.capacity
        cdef void *larger
        if work.count + more <= capacity:
            return 0
        capacity = max(<Py_ssize_t> 256, 2 * (work.count + more))
        larger = realloc(work.expansions, capacity * sizeof(Expansion))
        if larger != NULL:
            work.expansions = <Expansion *> larger
            larger = realloc(work.heap, capacity * sizeof(Ranked))
        if larger == NULL:
            with gil:
                raise MemoryError()
        work.heap = <Ranked *> larger
        work.capacity = capacity
        return 0

    cdef int propose_arcs(self, Workspace *work, const Step *step, int32_t head, int32_t child,
                          label_t first) except -1 nogil:
        """Propose the arcs allowed between these tags; ``first`` is LEFT or RIGHT."""
        cdef const uint16_t *labels = NULL
        cdef Py_ssize_t k, count = self.scoring.filter.choices(head, child, &labels)
        self.reserve(work, count)
        for k in range(count):
            propose(work, step, <label_t> (first + 2 * labels[k]), 0, 0)
        return 0

    cdef int propose_starts(self, Workspace *work, const Step *step) except -1 nogil:
        """With ``tags_first``: propose tags for the next word, or one more piece of the open word.

        In both cases the word may end with this piece or grow, if some candidate with the tag does.
        """
        cdef Sentence *sentence = &work.sentence
        cdef int32_t s, first = sentence.first_start[step.front], behind = sentence.first_start[step.front + 1]
        cdef int32_t word, c, reach = next_reach(step)
        cdef bint grows
        cdef Py_ssize_t k, known = work.count
        if step.reach > 0:
            first, behind = -step.word, 1 - step.word
        self.reserve(work, 2 * (behind - first) + 2)
        for s in range(first, behind):
            grows = False
            for word in range(sentence.lattice.first[step.front], sentence.lattice.first[step.front + 1]):
                c = choice_of(sentence, word, sentence.starts[s].tag)
                if c >= 0 and sentence.lattice.end[word] == reach:
                    propose(work, step, SHIFT, word, <label_t> c)
                grows = grows or (c >= 0 and sentence.lattice.end[word] > reach)
            if grows:
                propose(work, step, SHIFT, -s, 0)
        if step.reach > 0:      # APPENDs
            for k in range(known, work.count):
                work.expansions[k].time = work.time + sentence.lattice.append - 1
        return 0

    cdef int propose_permissible(self, Workspace *work, const Step *step) except -1 nogil:
        """Propose every permissible transition.

        SHIFT_p: the buffer has a word, or candidate words begin there, and p is one of its candidate tags; a word moved
        back by SWAP keeps its tag.
        LEFT-ARC_d, RIGHT-ARC_d: the stack has two words, and d was seen between such tags.
        SWAP: the two words are in the order of the sentence, and the step limit is not reached.
        RIGHT-ARC_d from the root: one word is left and the buffer is empty. Then it is the only transition, so no
        configuration is without one, and each tree has one root.
        If no trees are built, SHIFT is the only transition.
        """
        cdef Sentence *sentence = &work.sentence
        cdef const Node *s0 = step.stack.node
        cdef const Node *s1
        cdef Py_ssize_t k
        cdef int32_t word
        self.reserve(work, 2)
        if step.back != NULL:
            propose(work, step, SHIFT, 0, 0)
        elif step.front <= sentence.lattice.length and sentence.starts != NULL:
            self.propose_starts(work, step)
            if step.reach > 0:
                return 0
        elif step.front <= sentence.lattice.length:
            for word in range(sentence.lattice.first[step.front], sentence.lattice.first[step.front + 1]):
                self.reserve(work, sentence.counts[word - 1] + 1)
                for k in range(sentence.counts[word - 1]):
                    propose(work, step, SHIFT, word, <label_t> k)
        if not sentence.trees:
            return 0
        if step.stack.depth >= 3:
            s1 = step.stack.below.node
            if s1.word < s0.word and step.swaps < sentence.max_swaps:
                propose(work, step, SWAP, 0, 0)
            self.propose_arcs(work, step, sentence.classes[s0.tag], sentence.classes[s1.tag], LEFT)
            self.propose_arcs(work, step, sentence.classes[s1.tag], sentence.classes[s0.tag], RIGHT)
        elif step.stack.depth == 2 and step.back == NULL and step.front > sentence.lattice.length:
            self.propose_arcs(work, step, -1, sentence.classes[s0.tag], RIGHT)
        return 0

    cdef void keep_consistent(self, Workspace *work, Py_ssize_t first) noexcept nogil:
        """Drop the transitions proposed since ``first`` that violate the given heads and labels.

        An arc must agree with the given head of its dependent, which must already have all its given dependents. A
        given label is used even if it was not seen between such tags.
        """
        cdef Py_ssize_t k, kept = first
        cdef const Constraints *given = work.constraints
        cdef const Node *head
        cdef const Node *child
        cdef Expansion *new
        cdef int32_t label
        cdef bint done[2]
        done[0] = done[1] = False
        for k in range(first, work.count):
            new = &work.expansions[k]
            if new.action != SHIFT and new.action != SWAP:
                head, child = head_of(new.step.stack, new.action), child_of(new.step.stack, new.action)
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
            work.expansions[kept] = new[0]
            kept += 1
        work.count = kept

    cdef int expand(self, Workspace *work) except -1 nogil:
        """Lines 7 to 12 of Figure 2: expand every hypothesis by every permissible transition."""
        cdef Sentence *sentence = &work.sentence
        cdef const Step *step
        cdef Expansion *new
        cdef Py_ssize_t i, k, first, groups = self.scoring.arc_templates.count
        work.time += 1
        work.count = work.waiting
        self.scoring.forget(work)
        for i in range(work.size):      # features of all hypotheses are looked up together: memory accesses overlap
            step = work.beam[i]
            if step.reach == 0 and not is_final(sentence, step):
                self.scoring.find_arc_sums(work, step, work.arc_sums + i * groups)
        look_up(&work.sums, self.scoring.arcs)
        for i in range(work.size):
            step = work.beam[i]
            first = work.count
            if is_final(sentence, step):
                self.reserve(work, 1)
                propose(work, step, SHIFT, 0, 0)
                new = &work.expansions[first]
                new.finished = True
                new.score = step.score
                new.tree = step.tree
                new.tagged = step.tagged
                continue
            self.propose_permissible(work, step)
            if work.constraints != NULL:
                self.keep_consistent(work, first)
            if step.reach > 0:
                for k in range(first, work.count):
                    new = &work.expansions[k]
                    new.score = step.score + self.scoring.score_start(work, step, new.word, new.choice)
                continue
            self.scoring.add_arc_sums(work, step, work.arc_sums + i * groups)
            for k in range(first, work.count):
                new = &work.expansions[k]
                new.score = step.score + work.scores[new.action]
            if step.back == NULL and step.front <= sentence.lattice.length:
                self.scoring.set_window(work, step, sentence.lattice.best[step.front], 0)
                self.score_shifts(work, step, first)
        return 0

    cdef int score_shifts(self, Workspace *work, const Step *step, Py_ssize_t first) except -1 nogil:
        """Add the scores of words and tags to the proposed SHIFTs of a configuration, which are grouped by word."""
        cdef Expansion *new
        cdef Py_ssize_t k
        cdef int32_t word = 0
        cdef score_t of_word = 0
        cdef bint chooses = False
        for k in range(first, work.count):
            new = &work.expansions[k]
            if new.action != SHIFT:
                break
            if self.scoring.tags_first:
                new.score += self.scoring.score_start(work, step, new.word, new.choice)
                continue
            if new.word != word:
                word = new.word
                chooses = self.scoring.chooses_tag(&work.sentence, step, word)
                of_word = self.scoring.score_word(work, step, word)
                if chooses:
                    self.scoring.score_tags(work, step, word)
            new.score += of_word
            if chooses:
                new.score += self.scoring.choice_score(work, step, word, new.choice)
        return 0

    cdef int prune(self, Workspace *work) except -1 nogil:
        """Keep the b1 best hypotheses with distinct trees and the b2 best of the others; those of a later time wait.

        Of identical hypotheses (tags and buffer included) only the best is kept.
        """
        cdef Py_ssize_t n = 0, i, main = 0, extra = 0, taken = 0, count, first = self.size + self.size // 3
        cdef Ranked *heap = work.heap
        cdef const Slot *tree
        cdef Expansion *best
        if self.size == 1:
            return self.keep_best(work)
        clear(&work.trees)
        clear(&work.tagged)
        for i in range(work.count):
            if work.expansions[i].time == work.time:
                work.heap[n] = Ranked(work.expansions[i].score, i)
                n += 1
        count = min(n, first)   # nearly always enough, though some are identical
        split_best(heap, n, count)
        n -= count
        while main < self.trees or extra < self.taggings:
            if count == 0 and n > 0:
                heap = work.heap + first
                count = n
                n = 0
                make_heap(heap, count)
            if count == 0:
                break
            best = &work.expansions[pop(heap, count).number]
            count -= 1
            if not best.finished:
                hash_after(&work.sentence, best.step, best.action, best.word, best.choice, &best.tree, &best.tagged)
            if find(&work.tagged, best.tagged).key != 0:
                continue
            tree = find(&work.trees, best.tree)
            if main < self.trees and tree.key == 0:
                main += 1
            elif extra < self.taggings:
                extra += 1
            else:
                continue
            insert(&work.tagged, best.tagged)
            insert(&work.trees, best.tree)
            work.beam[taken] = self.apply_expansion(work, best)
            taken += 1
        work.size = taken
        self.keep_waiting(work)
        return 0

    cdef int keep_best(self, Workspace *work) except -1 nogil:
        """``prune`` for a beam of one hypothesis, without a heap."""
        cdef Py_ssize_t k
        cdef Expansion *best = NULL
        for k in range(work.count):
            if work.expansions[k].time == work.time and (best == NULL or work.expansions[k].score > best.score):
                best = &work.expansions[k]
        work.size = best != NULL
        if best != NULL:
            work.beam[0] = self.apply_expansion(work, best)
        self.keep_waiting(work)
        return 0

    cdef void keep_waiting(self, Workspace *work) noexcept nogil:
        """Move the expansions of a later time to the front."""
        cdef Py_ssize_t k, kept = 0
        if work.sentence.lattice.length < work.sentence.n:  # otherwise no word has competitors
            for k in range(work.count):
                if work.expansions[k].time > work.time:
                    work.expansions[kept] = work.expansions[k]
                    kept += 1
        work.waiting = kept

    cdef const Step *apply_expansion(self, Workspace *work, const Expansion *chosen) except NULL nogil:
        """The configuration after an expansion."""
        cdef Step *step
        if chosen.finished:
            return chosen.step
        step = apply(&work.sentence, chosen.step, chosen.action, chosen.word, chosen.choice)
        step.score = chosen.score
        return step

    cdef bint is_over(self, Workspace *work) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(work.size):
            if not is_final(&work.sentence, work.beam[i]):
                return False
        return work.waiting == 0
