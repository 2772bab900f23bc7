"""Beam search for Python: decoding, following given transitions, feature differences for training."""

from libc.math cimport isfinite
from libc.stdint cimport int32_t

import numpy as np

from plait.errors import ModelError

from plait.core._delta cimport Delta
from plait.core._memory cimport take
from plait.core._types cimport uint16_t, uint64_t
from plait.transition._beam cimport Beam
from plait.transition._derivation cimport read_transition, take_step, take_word
from plait.transition._difference cimport collect, difference
from plait.transition._lattice cimport Lattice
from plait.transition._scoring cimport Constraints, Memory, Scoring, Workspace
from plait.transition._state cimport Step, is_final
from plait.transition._types cimport SHIFT

UPDATES = ("early", "max-violation")


cdef int check_beam(const Workspace *work) except -1:
    """A ModelError unless the beam has a hypothesis with a finite score."""
    if work.size == 0 or not isfinite(work.beam[0].score):
        raise ModelError("no analysis has a finite score: the weights have diverged")
    return 0


cdef class TransitionSearch:
    """Decodes sentences that are given as atoms and candidate tags; holds no strings and may be shared by threads."""

    cdef readonly Scoring scoring
    cdef readonly Beam beam
    cdef list idle      # memory that no thread is using

    def __cinit__(self, Scoring scoring not None, Py_ssize_t beam, Py_ssize_t beam_tags):
        self.scoring = scoring
        self.beam = Beam(scoring, beam, beam_tags)
        self.idle = []

    cdef Memory memory(self):
        """Memory for a search; ``idle`` gets it back."""
        try:
            return self.idle.pop()      # one step for other threads
        except IndexError:
            return Memory()

    def decode(self, const uint64_t[:, ::1] atoms not None, candidates not None, const int[::1] heads=None,
               const int[::1] labels=None, Lattice lattice=None):
        """The best analysis of a sentence: tags, heads (0: the root), labels, score, and (action, choice) in order.

        ``candidates``: their tags, counts and bins, as ``trees.candidates`` has them.

        ``heads`` and ``labels`` (−1: open) are constraints; None if the beam ends without a tree. With a ``lattice``
        the rows are candidate words; the last element lists those of the analysis, which its heads refer to.
        """
        found = self.analyses(atoms, candidates, 1, heads, labels, lattice)
        return found[0] if found else None

    def analyses(self, const uint64_t[:, ::1] atoms not None, candidates not None, Py_ssize_t limit,
                 const int[::1] heads=None, const int[::1] labels=None, Lattice lattice=None):
        """The final beam, at most ``limit`` hypotheses, best first, each in the form of ``decode``.

        They differ in words, tags or tree, since the beam keeps only one of identical hypotheses.
        """
        cdef Memory memory = self.memory()
        cdef Workspace *work = &memory.work
        cdef Constraints given
        cdef Py_ssize_t n = atoms.shape[0], i
        cdef int[::1] children
        try:
            self.scoring.open(work, atoms, candidates, lattice, self.beam.size)
            if heads is not None:
                children = self.check_given(n, heads, labels)
                given.heads, given.labels = <const int32_t *> &heads[0], <const int32_t *> &labels[0]
                given.children = <const int32_t *> &children[0]
                work.constraints = &given
            with nogil:
                while not self.beam.is_over(work):
                    self.beam.expand(work)
                    self.beam.prune(work)
            if work.constraints == NULL or work.size > 0:  # constraints may leave nothing
                check_beam(work)
            return [self.read_analysis(work, work.beam[i], lattice is not None) for i in range(min(limit, work.size))]
        finally:
            self.idle.append(memory)

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
            if not -1 <= heads[w] <= n or heads[w] == w + 1 or not -1 <= labels[w] < self.scoring.filter.labels:
                raise ValueError(f"word {w + 1} is given head {heads[w]} and label {labels[w]}")
            if heads[w] >= 0:
                children[heads[w]] += 1
        return children

    def follow(self, const uint64_t[:, ::1] atoms not None, candidates not None, actions, choices, words=None,
               Lattice lattice=None):
        """Follow given transitions: their score, what is permissible after them, and their features by group.

        In a lattice ``words`` are the shifted words (0: none); moves are (action, choice, word) then, and the features
        of words come last. With ``tags_first``, −s stands for an open word with start s.
        """
        cdef Memory memory = self.memory()
        cdef Workspace *work = &memory.work
        cdef const Step *step
        cdef Delta tag_features = Delta()
        cdef Delta arc_features = Delta()
        cdef Delta word_features = Delta()
        cdef Py_ssize_t k
        if (words is None) != (lattice is None):
            raise ValueError("words without a lattice, or a lattice without words")
        try:
            self.scoring.open(work, atoms, candidates, lattice, self.beam.size)
            step = work.beam[0]
            for k, (action, choice) in enumerate(zip(actions, choices, strict=True)):
                word = step.front if words is None else words[k]
                step = take_step(self.scoring, work, step, action, word, choice, True)
                collect(self.scoring, work, step, 1, tag_features, arc_features, word_features)
            if not is_final(&work.sentence, step):
                self.beam.propose_permissible(work, step)
            if lattice is None:
                legal = [(work.expansions[k].action, work.expansions[k].choice) for k in range(work.count)]
                return step.score, legal, tag_features, arc_features
            legal = [(work.expansions[k].action, work.expansions[k].choice, work.expansions[k].word)
                     for k in range(work.count)]
            return step.score, legal, tag_features, arc_features, word_features
        finally:
            self.idle.append(memory)

    def learn(self, const uint64_t[:, ::1] atoms not None, candidates not None, const uint16_t[::1] actions not None,
              const uint16_t[::1] choices not None, str update="early", const int[::1] words=None,
              Lattice lattice=None):
        """Search and compare with the gold transitions; None if gold wins.

        ``early`` stops when the gold configuration falls off the beam, ``max-violation`` continues to the end and takes
        the step at which the best hypothesis is farthest ahead of gold. Returns (Δf of tags, Δf of arcs, wrong tags,
        wrong arcs, step), and with a ``lattice`` and the gold ``words`` that are shifted (0: none) also Δf of words and
        wrong words. While a gold word is incomplete, nothing is compared with gold, except with ``tags_first``.
        """
        cdef Memory memory = self.memory()
        cdef Workspace *work = &memory.work
        cdef const Step **gold
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
            self.scoring.open(work, atoms, candidates, lattice, self.beam.size)
            gold = <const Step **> take(
                &work.sentence.arena, (m + work.sentence.lattice.length + 1) * sizeof(Step *))
            gold[0] = work.beam[0]
            m = 0
            for i in range(given):
                word = gold[m].front if words is None else words[i]
                if self.scoring.tags_first and actions[i] == SHIFT and gold[m].back == NULL:
                    m = take_word(self.scoring, work, gold, m, word, choices[i], not early)
                else:
                    gold[m + 1] = take_step(self.scoring, work, gold[m], actions[i], word, choices[i], not early)
                    m += 1
            if not is_final(&work.sentence, gold[m]):
                raise ValueError(f"the gold transitions end after {m} steps, before the tree is complete")
            work.sentence.max_swaps = max(work.sentence.max_swaps, gold[m].swaps)
            with nogil:
                while not self.beam.is_over(work):
                    self.beam.expand(work)
                    self.beam.prune(work)
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
            check_beam(work)
            if inside and work.beam[0].tagged == gold[m].tagged:
                return None
            if early or worst == NULL:
                worst = work.beam[0]
                at = reached_by
            found = difference(self.scoring, work, gold, m, at, worst)
            return found if lattice is not None else found[:5]
        finally:
            self.idle.append(memory)
