"""The Python interface of the search: decoding, following given transitions, feature differences for training."""

from libc.math cimport isfinite
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

import numpy as np

from plait.errors import ModelError

from plait.core._types cimport score_t, label_t, uint16_t, uint64_t
from plait.transition._lattice cimport Lattice
from plait.transition._scoring cimport Constraints, action_of
from plait.transition._state cimport Arc, Node, Sentence, Start, apply, choice_of, is_final, next_reach
from plait.transition._types cimport LEFT, RIGHT, SHIFT, SWAP

UPDATES = ("early", "max-violation")

cdef enum:
    NO_TAG = 65535      # of candidate words that are not part of an analysis; see MAX_TAGS


cdef int check_beam(const Workspace *work) except -1:
    """A ModelError unless the beam has a hypothesis with a finite score."""
    if work.size == 0 or not isfinite(work.beam[0].score):
        raise ModelError("no analysis has a finite score: the weights have diverged")
    return 0


cdef class TransitionSearch(Beam):
    """Decodes sentences that are given as atoms and candidate tags; holds no strings and may be shared by threads."""

    def decode(self, const uint64_t[:, ::1] atoms not None, const uint16_t[:, ::1] tags not None,
               const uint16_t[::1] counts not None, const uint16_t[:, ::1] bins not None,
               const int[::1] heads=None, const int[::1] labels=None, Lattice lattice=None):
        """The best analysis of a sentence: tags, heads (0: the root), labels, score, and (action, choice) in order.

        ``heads`` and ``labels`` (−1: open) are constraints; None if the beam ends without a tree. With a ``lattice``
        the rows are candidate words; the last element lists those of the analysis, which its heads refer to.
        """
        found = self.analyses(atoms, tags, counts, bins, 1, heads, labels, lattice)
        return found[0] if found else None

    def analyses(self, const uint64_t[:, ::1] atoms not None, const uint16_t[:, ::1] tags not None,
                 const uint16_t[::1] counts not None, const uint16_t[:, ::1] bins not None, Py_ssize_t limit,
                 const int[::1] heads=None, const int[::1] labels=None, Lattice lattice=None):
        """The final beam, at most ``limit`` hypotheses, best first, each in the form of ``decode``.

        They differ in words, tags or tree, since the beam keeps only one of identical hypotheses.
        """
        cdef Workspace work
        cdef Constraints given
        cdef Py_ssize_t n = atoms.shape[0], i
        cdef int[::1] children
        try:
            self.open(&work, atoms, tags, counts, bins, lattice)
            if heads is not None:
                children = self.check_given(n, heads, labels)
                given.heads, given.labels = <const int32_t *> &heads[0], <const int32_t *> &labels[0]
                given.children = <const int32_t *> &children[0]
                work.constraints = &given
            with nogil:
                while not self.is_over(&work):
                    self.expand(&work)
                    self.prune(&work)
            if work.constraints == NULL or work.size > 0:  # constraints may leave nothing
                check_beam(&work)
            return [self.read_analysis(&work, work.beam[i], lattice is not None) for i in range(min(limit, work.size))]
        finally:
            self.close(&work)

    cdef object read_analysis(self, Workspace *work, const Step *step, bint chosen):
        """Tags, heads, labels, score and transitions of a finished hypothesis, and its words where they are chosen."""
        cdef Py_ssize_t n = work.sentence.n
        found_tags = np.zeros(n, dtype=np.uint16)
        found_heads = np.zeros(n, dtype=np.int32)
        found_labels = np.zeros(n, dtype=np.uint16)
        cdef uint16_t[::1] tag_view = found_tags
        cdef int[::1] head_view = found_heads
        cdef uint16_t[::1] label_view = found_labels
        cdef list trace = []
        cdef list words = []
        score = step.score
        while step.before != NULL:
            if step.word >= 0:      # a word is recorded when it ends
                trace.append((step.action, step.choice))
            if step.word > 0:
                words.append(step.word)
            read_transition(&work.sentence, step, &tag_view[0], &head_view[0], &label_view[0])
            step = step.before
        trace.reverse()
        if not chosen:
            return found_tags, found_heads, found_labels, score, trace
        own = np.array(words[::-1], dtype=np.int32)
        numbers = np.searchsorted(own, found_heads[own - 1]) + (found_heads[own - 1] > 0)
        return found_tags[own - 1], numbers.astype(np.int32), found_labels[own - 1], score, trace, own

    cdef object check_given(self, Py_ssize_t n, const int[::1] heads, const int[::1] labels):
        """The number of given dependents of each word, the root first; ValueError for heads or labels out of range."""
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

    cdef bint is_applicable(self, Workspace *work, const Step *step, Py_ssize_t action, Py_ssize_t word,
                            Py_ssize_t choice) noexcept nogil:
        """Whether a transition satisfies the conditions of Figure 1 and the candidates, regardless of the filters."""
        cdef const Sentence *sentence = &work.sentence
        cdef bint waiting = step.back != NULL or step.front <= sentence.lattice.length
        cdef int32_t longer
        if not 0 <= action < self.actions or (action != SHIFT and step.reach > 0):
            return False
        if action == SHIFT:
            if step.back != NULL or not waiting:
                return waiting
            if word < 0 and sentence.starts != NULL:
                if step.reach > 0 and word != step.word:
                    return False
                if not sentence.first_start[step.front] <= -word < sentence.first_start[step.front + 1]:
                    return False
                for longer in range(sentence.lattice.first[step.front], sentence.lattice.first[step.front + 1]):
                    if (sentence.lattice.end[longer] > next_reach(step)
                            and choice_of(sentence, longer, sentence.starts[-word].tag) >= 0):
                        return True
                return False
            if not sentence.lattice.first[step.front] <= word < sentence.lattice.first[step.front + 1]:
                return False
            if not 0 <= choice < sentence.counts[word - 1]:
                return False
            if sentence.starts != NULL and sentence.lattice.end[word] != next_reach(step):
                return False
            return step.reach == 0 or choice_of(sentence, <int32_t> word, sentence.starts[-step.word].tag) == choice
        if not sentence.trees:
            return False
        if step.stack.depth < 3:
            return action % 2 == RIGHT % 2 and action != SWAP and step.stack.depth == 2 and not waiting
        return action != SWAP or step.stack.below.node.word < step.stack.node.word

    cdef const Step *take_step(self, Workspace *work, const Step *step, Py_ssize_t action, Py_ssize_t word,
                               Py_ssize_t choice, bint scored) except NULL:
        """One given transition, with its score on request."""
        cdef Step *new
        cdef score_t score = 0
        if not self.is_applicable(work, step, action, word, choice):
            raise ValueError(f"action {action} with choice {choice} is not possible after {step.length} steps")
        if action != SHIFT or step.back != NULL:
            word = choice = 0
        if scored:
            if step.reach == 0:
                self.score(work, step)
                score = work.scores[action]
            if word != 0 and self.tags_first:
                score += self.score_start(work, step, <int32_t> word, <label_t> choice)
            elif word > 0:
                score += self.score_word(work, step, <int32_t> word)
                if self.chooses_tag(&work.sentence, step, <int32_t> word):
                    self.score_tags(work, step, <int32_t> word)
                    score += self.choice_score(work, step, <int32_t> word, <label_t> choice)
        new = apply(&work.sentence, step, <label_t> action, <int32_t> word, <label_t> choice)
        new.score = step.score + score
        return new

    cdef Py_ssize_t take_word(self, Workspace *work, const Step **steps, Py_ssize_t taken, Py_ssize_t word,
                              Py_ssize_t choice, bint scored) except -1:
        """With ``tags_first``: a first SHIFT and its APPENDs, after the steps already taken; returns their number."""
        cdef const Sentence *sentence = &work.sentence
        cdef const Step *step = steps[taken]
        cdef int32_t s, front = step.front
        cdef bint known = front <= sentence.lattice.length
        known = known and sentence.lattice.first[front] <= word < sentence.lattice.first[front + 1]
        if known and 0 <= choice < sentence.counts[word - 1]:   # otherwise the last step is refused
            s = self.start_of(sentence, step, <int32_t> word, <label_t> choice)
            while next_reach(step) < sentence.lattice.end[word]:
                step = self.take_step(work, step, SHIFT, -s, 0, scored)
                taken += 1
                steps[taken] = step
        steps[taken + 1] = self.take_step(work, step, SHIFT, word, choice, scored)
        return taken + 1

    cdef int collect_tag(self, Workspace *work, Py_ssize_t word, label_t choice, double value, Delta tags) except -1:
        """Collect the features of one of a word's candidate tags, in a filled window."""
        cdef Py_ssize_t at = (word - 1) * work.sentence.k + choice
        cdef label_t tag = self.classes[work.sentence.tags[at]]
        self.tag_templates.templates.fill(work.window, work.sums.keys)
        tags.put_all(work.sums.keys, self.tag_templates.templates.count, tag, value)
        self.fill_candidate(work, at, choice)
        self.choice_templates.templates.fill(work.window, work.sums.keys)
        return tags.put_all(work.sums.keys, self.choice_templates.templates.count, tag, value)

    cdef int collect_start(self, Workspace *work, const Step *step, double value, Delta tags, Delta words) except -1:
        """With ``tags_first``: collect the features of a tag and of ending a word or not; see ``score_start``."""
        cdef const Sentence *sentence = &work.sentence
        cdef const Step *before = step.before
        cdef const Start *begun
        cdef int32_t word = step.word
        cdef label_t choice = step.choice
        if self.chooses_start(sentence, before):
            begun = &sentence.starts[self.start_of(sentence, before, word, choice)]
            self.collect_tag(work, begun.word, begun.choice, value, tags)
        if word < 0:
            word = self.word_so_far(sentence, before, word, &choice)
        if word > 0 and self.has_competitors(sentence, before):
            work.window_word, work.window_choice = word, choice
            self.fill_window(work, before)
            self.word_templates.templates.fill(work.window, work.sums.keys)
            words.put_all(work.sums.keys, self.word_templates.templates.count, 0 if step.word > 0 else 1, value)
        return 0

    cdef int collect(self, Workspace *work, const Step *step, double value, Delta tags, Delta arcs,
                     Delta words) except -1:
        """Collect the features of the transition that led to a step."""
        cdef const Step *before = step.before
        work.window_word, work.window_choice = work.sentence.lattice.best[before.front], 0
        if before.reach > 0:
            return self.collect_start(work, step, value, tags, words)
        self.fill_window(work, before)
        if self.trees:
            self.arc_templates.templates.fill(work.window, work.sums.keys)
            arcs.put_all(work.sums.keys, self.arc_templates.templates.count, step.action, value)
        if self.graph is not None and step.action >= LEFT:
            self.collect_factors(work, step, value, arcs)
        if step.word == 0:
            return 0
        if self.tags_first:
            return self.collect_start(work, step, value, tags, words)
        if work.window_word != step.word:
            work.window_word = step.word
            self.fill_window(work, before)
        if self.has_competitors(&work.sentence, before):
            self.word_templates.templates.fill(work.window, work.sums.keys)
            words.put_all(work.sums.keys, self.word_templates.templates.count, 0, value)
        if self.chooses_tag(&work.sentence, before, step.word):
            self.collect_tag(work, step.word, step.choice, value, tags)
        return 0

    cdef int collect_factors(self, Workspace *work, const Step *step, double value, Delta arcs) except -1:
        """Collect the graph features completed by an arc."""
        cdef const Node *s0 = step.before.stack.node
        cdef const Node *s1 = step.before.stack.below.node
        cdef const Node *h = s0 if step.action % 2 == LEFT % 2 else s1
        cdef const Node *d = s1 if step.action % 2 == LEFT % 2 else s0
        cdef const Arc *arc = d.arcs
        self.graph.fill_grandchildren(&work.sentence, h, d, work.factor)
        self.graph.grandchildren.fill(work.factor, work.sums.keys)
        arcs.put_all(work.sums.keys, self.graph.grandchildren.count, step.action, value)
        while arc != NULL:
            self.graph.fill_siblings(&work.sentence, d, arc, work.factor)
            self.graph.siblings.fill(work.factor, work.sums.keys)
            arcs.put_all(work.sums.keys, self.graph.siblings.count, action_of(d, arc), value)
            arc = arc.next
        return 0

    def follow(self, const uint64_t[:, ::1] atoms not None, const uint16_t[:, ::1] tags not None,
               const uint16_t[::1] counts not None, const uint16_t[:, ::1] bins not None, actions, choices,
               words=None, Lattice lattice=None):
        """Follow given transitions: their score, what is permissible after them, and their features by group.

        In a lattice ``words`` are the shifted words (0: none); moves are (action, choice, word) then, and the features
        of words come last. With ``tags_first``, −s stands for an open word with start s.
        """
        cdef Workspace work
        cdef const Step *step
        cdef Delta tag_features = Delta()
        cdef Delta arc_features = Delta()
        cdef Delta word_features = Delta()
        cdef Py_ssize_t k
        if (words is None) != (lattice is None):
            raise ValueError("words without a lattice, or a lattice without words")
        try:
            self.open(&work, atoms, tags, counts, bins, lattice)
            step = work.beam[0]
            for k, (action, choice) in enumerate(zip(actions, choices, strict=True)):
                step = self.take_step(&work, step, action, step.front if words is None else words[k], choice, True)
                self.collect(&work, step, 1, tag_features, arc_features, word_features)
            if not is_final(&work.sentence, step):
                self.propose_permissible(&work, step)
            if lattice is None:
                legal = [(work.expansions[k].action, work.expansions[k].choice) for k in range(work.count)]
                return step.score, legal, tag_features, arc_features
            legal = [(work.expansions[k].action, work.expansions[k].choice, work.expansions[k].word)
                     for k in range(work.count)]
            return step.score, legal, tag_features, arc_features, word_features
        finally:
            self.close(&work)

    def learn(self, const uint64_t[:, ::1] atoms not None, const uint16_t[:, ::1] tags not None,
              const uint16_t[::1] counts not None, const uint16_t[:, ::1] bins not None,
              const uint16_t[::1] actions not None, const uint16_t[::1] choices not None, str update="early",
              const int[::1] words=None, Lattice lattice=None):
        """Search and compare with the gold transitions; None if gold wins.

        ``early`` stops when the gold configuration falls off the beam, ``max-violation`` continues to the end and takes
        the step at which the best hypothesis is farthest ahead of gold. Returns (Δf of tags, Δf of arcs, wrong tags,
        wrong arcs, step), and with a ``lattice`` and the gold ``words`` that are shifted (0: none) also Δf of words and
        wrong words. While a gold word is incomplete, nothing is compared with gold, except with ``tags_first``.
        """
        cdef Workspace work
        cdef const Step **gold = NULL
        cdef const Step *worst = NULL
        cdef const Step *reached
        cdef Py_ssize_t m = actions.shape[0], given = m, word, reached_by = 0, at = 0, i
        cdef bint early = update == "early", inside = True
        cdef double gap, widest = 0
        if (words is None) != (lattice is None) or (words is not None and words.shape[0] != m):
            raise ValueError("words without a lattice, or a lattice without the words of its gold transitions")
        if update not in UPDATES or choices.shape[0] != m:
            raise ValueError(f"update {update!r} with {m} actions and {choices.shape[0]} choices")
        try:
            self.open(&work, atoms, tags, counts, bins, lattice)
            gold = <const Step **> malloc((m + work.sentence.lattice.length + 1) * sizeof(Step *))
            if gold == NULL:
                raise MemoryError()
            gold[0] = work.beam[0]
            m = 0
            for i in range(given):
                word = gold[m].front if words is None else words[i]
                if self.tags_first and actions[i] == SHIFT and gold[m].back == NULL:
                    m = self.take_word(&work, gold, m, word, choices[i], not early)
                else:
                    gold[m + 1] = self.take_step(&work, gold[m], actions[i], word, choices[i], not early)
                    m += 1
            if not is_final(&work.sentence, gold[m]):
                raise ValueError(f"the gold transitions end after {m} steps, before the tree is complete")
            work.sentence.max_swaps = max(work.sentence.max_swaps, gold[m].swaps)
            with nogil:
                while not self.is_over(&work):
                    self.expand(&work)
                    self.prune(&work)
                    if work.size == 0 and work.waiting == 0:
                        break
                    while reached_by < m and gold[reached_by + 1].time <= work.time:
                        reached_by += 1
                    reached = gold[reached_by]
                    if work.size == 0 or (reached.time < work.time and reached_by < m):
                        continue
                    if early:
                        inside = False
                        for i in range(work.size):
                            inside = inside or work.beam[i].tagged == reached.tagged
                        if not inside:
                            break
                    elif work.beam[0].tagged != reached.tagged:
                        gap = work.beam[0].score - reached.score
                        if worst == NULL or gap > widest:
                            worst = work.beam[0]
                            widest = gap
                            at = reached_by
            check_beam(&work)
            if inside and work.beam[0].tagged == gold[m].tagged:
                return None
            if early or worst == NULL:
                worst = work.beam[0]
                at = reached_by
            found = self.difference(&work, gold, m, at, worst)
            return found if lattice is not None else found[:5]
        finally:
            free(gold)
            self.close(&work)

    cdef object difference(self, Workspace *work, const Step **gold, Py_ssize_t m, Py_ssize_t at,
                           const Step *predicted):
        """Gold features of the first ``at`` transitions minus those of the path to ``predicted``, and its errors."""
        cdef Delta tags = Delta()
        cdef Delta arcs = Delta()
        cdef Delta words = Delta()
        cdef Py_ssize_t n = work.sentence.n, i
        cdef bint differs = at != predicted.length
        cdef const Step *step = predicted
        cdef const Step **path
        cdef Py_ssize_t same = 0
        cdef double wrong_tags = 0, wrong_arcs = 0, wrong_words = 0
        right_tags = np.full(n, NO_TAG, dtype=np.uint16)
        right_heads = np.full(n, -1, dtype=np.int32)
        right_labels = np.zeros(n, dtype=np.uint16)
        tags_found = np.full(n, NO_TAG, dtype=np.uint16)
        heads_found = np.full(n, -1, dtype=np.int32)
        labels_found = np.zeros(n, dtype=np.uint16)
        cdef uint16_t[::1] gold_tags = right_tags
        cdef int[::1] gold_heads = right_heads
        cdef uint16_t[::1] gold_labels = right_labels
        cdef uint16_t[::1] found_tags = tags_found
        cdef int[::1] found_heads = heads_found
        cdef uint16_t[::1] found_labels = labels_found
        for i in range(1, m + 1):
            read_transition(&work.sentence, gold[i], &gold_tags[0], &gold_heads[0], &gold_labels[0])
        path = <const Step **> malloc((predicted.length + 1) * sizeof(Step *))
        if path == NULL:
            raise MemoryError()
        try:
            while step != NULL:
                path[step.length] = step
                step = step.before
            while (same < at and same < predicted.length and path[same + 1].action == gold[same + 1].action
                    and path[same + 1].choice == gold[same + 1].choice and path[same + 1].word == gold[same + 1].word):
                same += 1
            for i in range(same + 1, at + 1):
                self.collect(work, gold[i], 1, tags, arcs, words)
                differs = differs or path[min(i, predicted.length)].action != gold[i].action
            for i in range(same + 1, predicted.length + 1):
                self.collect(work, path[i], -1, tags, arcs, words)
            for i in range(1, predicted.length + 1):
                read_transition(&work.sentence, path[i], &found_tags[0], &found_heads[0], &found_labels[0])
        finally:
            free(path)
        for i in range(n):
            if found_tags[i] != NO_TAG:
                wrong_words += gold_tags[i] == NO_TAG
                wrong_tags += found_tags[i] != gold_tags[i]
            if found_heads[i] >= 0:
                if found_heads[i] != gold_heads[i]:
                    wrong_arcs += 1
                elif found_labels[i] != gold_labels[i]:
                    wrong_arcs += 0.5
        if predicted.reach > 0:
            self.count_open_word(work, predicted, gold, m, &wrong_tags, &wrong_words)
        if differs and self.trees:      # a wrong SHIFT or SWAP counts as an error even without a wrong arc
            wrong_arcs = max(wrong_arcs, 1.0)
        return tags, arcs, wrong_tags, wrong_arcs, at, words, wrong_words

    cdef int count_open_word(self, Workspace *work, const Step *predicted, const Step **gold, Py_ssize_t m,
                             double *wrong_tags, double *wrong_words) except -1:
        """Count the errors of an open word: the gold word there has another tag, or ends before."""
        cdef const Sentence *sentence = &work.sentence
        cdef int32_t word = 0
        cdef label_t tag = 0
        cdef Py_ssize_t i
        for i in range(1, m + 1):
            if gold[i].word > 0 and gold[i].before.front == predicted.front:
                word = gold[i].word
                tag = sentence.tags[(word - 1) * sentence.k + gold[i].choice]
        if word == 0 or sentence.lattice.end[word] <= predicted.reach:
            wrong_words[0] += 1
        if word == 0 or tag != sentence.starts[-predicted.word].tag:
            wrong_tags[0] += 1
        return 0


cdef void read_transition(const Sentence *sentence, const Step *step, uint16_t *tags, int *heads,
                          uint16_t *labels) noexcept nogil:
    """Write the tag or arc of one transition to arrays that start with word 1."""
    cdef const Step *before = step.before
    cdef int32_t s0 = before.stack.node.word, s1
    if step.action == SHIFT:
        if step.word > 0:
            tags[step.word - 1] = sentence.tags[(step.word - 1) * sentence.k + step.choice]
    elif step.action != SWAP:
        s1 = before.stack.below.node.word
        if step.action % 2 == LEFT % 2:
            heads[s1 - 1] = s0
            labels[s1 - 1] = (step.action - LEFT) // 2
        else:
            heads[s0 - 1] = s1
            labels[s0 - 1] = (step.action - LEFT) // 2
