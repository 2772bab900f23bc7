"""The doors to the easy-first search: decode a sentence, learn from one, look at a state."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.string cimport memset

import numpy as np

from plait.core._delta cimport Delta
from plait.core._types cimport score_t, uint16_t, uint64_t
from plait.easyfirst._greedy cimport nothing_possible
from plait.easyfirst._scoring cimport LEFT, RIGHT, ArcScoring, TagScoring, renew
from plait.easyfirst._views cimport Views
from plait.easyfirst._workspace cimport JOINT, Extension, Gold, Workspace


cdef enum:
    FREE = 2        # of a tag in gap filling: nothing is given for the word


cdef class EasyFirst(Views):
    """The search for one task: with tag scores it tags, with arc scores it parses, with both it does both at once.

    Decoders may be used by many threads at once; each call borrows a workspace.
    """

    cdef readonly Py_ssize_t beam
    cdef readonly bint debug
    cdef Workspace held         # of the training sentence at hand, with its last difference
    cdef Delta held_tags, held_arcs

    def __cinit__(self, TagScoring tagging, ArcScoring parsing, Py_ssize_t columns, Py_ssize_t pad,
                  Py_ssize_t beam=1, bint debug=False):
        self.beam = max(beam, <Py_ssize_t> 1)
        self.debug = debug

    def decode(self, uint64_t[:, ::1] atoms not None, const uint16_t[::1] given=None, Py_ssize_t beam=0):
        """(tags, heads, labels, words, actions, scores): the analysis, and the decisions in order.

        Heads count from 0 and the root's is −1. The given columns of the atoms are used as scratch.
        """
        cdef Py_ssize_t n = atoms.shape[0] - 2 * self.pad, k, width = beam if beam > 0 else self.beam
        cdef Workspace work
        cdef Extension right
        cdef int32_t right_made = -1
        cdef Py_ssize_t row, alive = 0
        self.check_input(atoms, given, n)
        # few arrays: each costs as much as tagging a word
        cdef Py_ssize_t steps = self.total_steps(n) if n > 0 else 0
        halves = np.zeros((2, n), dtype=np.uint16)
        wholes = np.empty((3, max(n, steps)), dtype=np.int32)
        scores = np.empty(steps, dtype=np.float32)
        found = (halves[0], wholes[0, :n], halves[1], wholes[1, :steps], wholes[2, :steps], scores)
        if n == 0:
            return found
        cdef uint16_t[:, ::1] half = halves
        cdef int[:, ::1] whole = wholes
        cdef float[::1] score_view = scores
        cdef const uint16_t *known = NULL
        if self.tagging is None:
            known = &given[0]
        work = self.borrow(n)
        work.desk.recording = False
        work.deciding = True
        if width == 1:
            with nogil:
                self.begin(work, &atoms[self.pad, 0], n, known)
                self.greedy(work)
        else:
            with nogil:
                self.begin_beam(work, &atoms[self.pad, 0], n, known)
            self.prepare_beam(work, width)
            with nogil:
                row = self.search(work, width, NULL, &right, &right_made, &alive)
                self.unwind(work, work.states[row * width].made)
                self.restart(work, known)
                for k in range(work.steps):
                    self.label(work, work.word[k], work.made[k], NULL)
        for k in range(n):
            half[0, k] = work.sentence.tags[k] - 1
            half[1, k] = work.label[k]
            whole[0, k] = work.head[k]
        for k in range(work.steps):
            whole[1, k] = work.word[k]
            whole[2, k] = work.made[k]
            score_view[k] = work.made_score[k]
        self.spare.append(work)
        return found

    def learn(self, uint64_t[:, ::1] atoms not None, const uint16_t[::1] given, const uint16_t[::1] gold_tags,
              const int[::1] gold_heads, const uint16_t[::1] gold_labels, int loss=0, Py_ssize_t beam=0,
              bint goes_on=False, bint again=False, bint skip=False):
        """None when the search finds only compatible decisions; else (Δf of tags, Δf of arcs, wrong, decisions made).

        With ``goes_on`` greedy training collects all wrong decisions of the sentence instead of the first. It can
        also go on where it stopped: with ``again`` everything is scored anew under the moved weights and the search
        continues in the same state, with ``skip`` by the best decision that is right.
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
        cdef Py_ssize_t wrong = 0, alive = 0
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
        work.deciding = False
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
                        word = self.best_right(work, &gold, &action, &score)
                        if word < 0:
                            nothing_possible()
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
                row = self.search(work, width, &gold, &right, &right_made, &alive)
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

    def keys_of(self, uint64_t[:, ::1] atoms not None, const uint16_t[::1] given, actions, Py_ssize_t word,
                int direction=-1):
        """The keys that the templates have at a word after some (word, action) decisions, 0 where one does not fire.

        Those of tagging it, or with a direction of attaching it: around the pair, then around the item.
        """
        cdef Py_ssize_t n = atoms.shape[0] - 2 * self.pad
        cdef Workspace work
        self.check_input(atoms, given, n)
        work = self.borrow(n)
        work.desk.recording = False
        self.begin_beam(work, &atoms[self.pad, 0], n, &given[0] if self.tagging is None else NULL)
        for one, action in actions:
            self.label(work, one, action, NULL)
        keys = np.zeros(self.key_room, dtype=np.uint64)
        cdef uint64_t[::1] view = keys
        count = self.fill_keys(work, word, direction, &view[0])
        self.spare.append(work)
        return keys[:count]

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
        work.deciding = False
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

    cdef Py_ssize_t best_given(self, Workspace work, const Gold *given, const unsigned char *allowed,
                               const int32_t *labels, int32_t *action, score_t *score) noexcept nogil:
        """The best pair that agrees with given tags, heads (-2: open) and labels (-1: open); its word, -1 for none."""
        cdef Py_ssize_t w, k, found = -1
        cdef score_t *scores
        cdef int32_t head
        cdef unsigned char may
        score[0] = -INFINITY
        for w in range(work.sentence.n):
            if work.node[w] == NULL or work.best[w] <= score[0]:    # no label of it can win
                continue
            scores = work.scores + w * self.widest
            if self.tags > 0 and work.sentence.tags[w] == 0:
                for k in range(self.tags):
                    may = allowed[w * self.tags + k]
                    if (may == 1 or (may == FREE and work.action[w] == k)) and scores[k] > score[0]:
                        found, action[0], score[0] = w, <int32_t> k, scores[k]
                continue
            if self.parsing is None or given.heads[w] == -1 or work.node[w].gathered != given.children[w]:
                continue
            for k in range(2 * self.parsing.labels):
                if not self.may_attach(work, w, k % 2 == RIGHT) or scores[k] <= score[0]:
                    continue
                head = work.left[w] if k % 2 == LEFT else work.right[w]
                if given.heads[w] >= 0 and given.heads[w] != head:
                    continue
                if labels[w] >= 0 and self.parsing.labelled and k // 2 != labels[w]:
                    continue
                found, action[0], score[0] = w, <int32_t> (self.tags + k), scores[k]
        return found

    def fill(self, uint64_t[:, ::1] atoms not None, const uint16_t[::1] given, const unsigned char[:, ::1] allowed,
             const int[::1] heads, const int[::1] labels):
        """What ``decode`` gives, greedily, by decisions that agree with what is given; None where they come to no end.

        ``allowed`` [words][tags] is 1 where a tag may be, and 2 in all of a row where nothing is given; heads count
        from 0, −1 is the root and −2 open; labels of −1 are open.
        """
        cdef Py_ssize_t n = atoms.shape[0] - 2 * self.pad, k, w = 0
        cdef Workspace work
        cdef Gold gold
        cdef int32_t action = 0
        cdef score_t score = 0
        self.check_input(atoms, given, n)
        if n == 0:
            return self.decode(atoms, given)
        if self.tags > 0 and (allowed is None or allowed.shape[0] != n or allowed.shape[1] != self.tags):
            raise ValueError("allowed tags of another shape")
        if self.parsing is not None and (heads is None or labels is None or heads.shape[0] != n
                                         or labels.shape[0] != n):
            raise ValueError("given heads and labels of another length")
        work = self.borrow(n)
        work.desk.recording = False
        work.deciding = False       # all scores are looked at, not only the best
        memset(work.children, 0, n * sizeof(int32_t))
        if self.parsing is not None:
            for k in range(n):
                if not -2 <= heads[k] < n or heads[k] == k:
                    raise ValueError(f"word {k + 1} is given head {heads[k]}")
                if heads[k] >= 0:
                    work.children[heads[k]] += 1
        gold.tags = NULL
        gold.heads = NULL if self.parsing is None else <const int32_t *> &heads[0]
        gold.labels = NULL
        gold.children = work.children
        gold.loss = JOINT
        with nogil:
            self.begin(work, &atoms[self.pad, 0], n, &given[0] if self.tagging is None else NULL)
            while work.steps < self.total_steps(n):
                w = self.best_given(work, &gold, NULL if self.tags == 0 else &allowed[0, 0],
                                    NULL if self.parsing is None else <const int32_t *> &labels[0], &action, &score)
                if w < 0:
                    break
                self.take_step(work, w, action, score, NULL if self.parsing is None else &gold)
        found = None if w < 0 else self.read_out(work)
        self.spare.append(work)
        return found
