"""The Python interface of the easy-first search: decoding, training, and the valid decisions of each step."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t

import numpy as np

from plait.core._delta cimport Delta
from plait.core._memory cimport take
from plait.core._types cimport score_t, uint16_t, uint64_t
from plait.easyfirst._beam cimport Beam
from plait.easyfirst._pending cimport JOINT, Gold, PendingList, Task, raise_diverged
from plait.easyfirst._scoring cimport ArcScoring, TagScoring, update_sums


cdef struct Choice:         # a valid decision, by the item's word
    int32_t word
    int32_t action
    int32_t head            # the head that it would assign; -1 for a tag
    score_t score


cdef class EasyFirst:
    """The search for one task: with tag scores it tags, with arc scores it parses, with both it does both jointly.

    Heads are word + 1, 0 is the root and −1 open; words and actions count from 0. Decoders may be used by many threads
    at once; each call borrows the memory it works in.
    """

    cdef Task task
    cdef readonly Py_ssize_t beam
    cdef readonly bint debug
    cdef list spare             # beams not in use
    cdef Beam held              # that of the current training sentence, with its last difference
    cdef Delta held_tags, held_arcs

    def __cinit__(self, TagScoring tagging, ArcScoring parsing, Py_ssize_t columns, Py_ssize_t pad,
                  Py_ssize_t beam=1, bint debug=False):
        self.task = Task(tagging, parsing, columns, pad)
        self.beam = max(beam, <Py_ssize_t> 1)
        self.debug = debug
        self.spare = []

    @property
    def tagging(self):
        """The tag scorer; None if only arcs are searched."""
        return self.task.tagging

    @property
    def parsing(self):
        """The arc scorer; None if only tags are searched."""
        return self.task.parsing

    @property
    def tags(self):
        """The size of the tag set; 0 if only arcs are searched."""
        return self.task.tags

    cdef Beam borrow(self, Py_ssize_t n):
        cdef Beam beam
        try:
            beam = self.spare.pop()
        except IndexError:
            beam = Beam(self.task)
        beam.pending.reserve(n)
        beam.pending.memo.recording = False
        beam.pending.best_only = False
        return beam

    cdef Py_ssize_t check_input(self, uint64_t[:, ::1] atoms, const uint16_t[::1] given) except -1:
        """The number of words."""
        cdef Py_ssize_t n = atoms.shape[0] - 2 * self.task.pad
        if atoms.shape[1] != self.task.columns or n < 0:
            raise ValueError("an atom matrix of another shape")
        if self.task.tagging is None and (given is None or given.shape[0] != n):
            raise ValueError("parsing without tagging needs a tag for each word")
        return n

    cdef const uint16_t *given_tags(self, const uint16_t[::1] given) noexcept:
        return &given[0] if self.task.tagging is None else NULL

    def decode(self, uint64_t[:, ::1] atoms not None, const uint16_t[::1] given=None, Py_ssize_t beam=0):
        """(tags, heads, labels, words, actions, scores): the analysis, and the decisions in order.

        The given columns of the atoms are used as scratch.
        """
        cdef Py_ssize_t n = self.check_input(atoms, given), width = beam if beam > 0 else self.beam
        cdef Beam work
        if n == 0:
            return read_analysis(None, 0)
        cdef const uint16_t *known = self.given_tags(given)
        work = self.borrow(n)
        work.pending.best_only = True
        if width == 1:
            with nogil:
                work.pending.begin(&atoms[self.task.pad, 0], n, known)
                work.pending.search()
        else:
            work.begin(&atoms[self.task.pad, 0], n, known, width)
            with nogil:
                work.search(NULL)
                work.follow(work.final_states[0].last, known)
        found = read_analysis(work.pending, n)
        self.spare.append(work)
        return found

    def decode_all(self, uint64_t[:, ::1] atoms not None, const uint16_t[::1] given, Py_ssize_t width):
        """The distinct analyses in the final beam, best first, each in the form of ``decode``."""
        cdef Py_ssize_t n = self.check_input(atoms, given), k
        cdef Beam work
        if n == 0:
            return []
        if width < 1:
            raise ValueError(f"a beam of {width}")
        cdef const uint16_t *known = self.given_tags(given)
        found = []
        work = self.borrow(n)
        try:
            work.begin(&atoms[self.task.pad, 0], n, known, width)
            with nogil:
                work.search(NULL)
            for k in range(work.final_count):
                work.follow(work.final_states[k].last, known)
                found.append(read_analysis(work.pending, n))
        finally:
            self.spare.append(work)
        return found

    def valid_actions(self, uint64_t[:, ::1] atoms not None, const uint16_t[::1] given, actions, Py_ssize_t limit):
        """For each of some (word, action) decisions in a row: how many were valid, and the best of those.

        The best ``limit`` come as (word, action, head, score), best first; of equals the leftmost word's, then the
        lower action, as the search itself would choose. The head of a tag is −1.
        """
        cdef Py_ssize_t n = self.check_input(atoms, given), k, total, kept = 0
        cdef Beam work
        cdef Choice *best
        if n == 0:
            return []
        limit = max(<Py_ssize_t> 1, min(limit, n * self.task.max_actions))  # there are no more
        found = []
        work = self.borrow(n)
        try:
            work.pending.begin(&atoms[self.task.pad, 0], n, self.given_tags(given))
            best = <Choice *> take(&work.pending.nodes, limit * sizeof(Choice))
            for word, action in actions:
                total = best_choices(work.pending, best, limit, &kept)
                found.append((total, [(best[k].word, best[k].action, best[k].head, best[k].score)
                                      for k in range(kept)]))
                if not 0 <= word < n or work.pending.node[<Py_ssize_t> word] == NULL:
                    raise ValueError(f"word {word} is not pending")
                work.pending.take_step(word, action, 0, NULL)
        finally:
            self.spare.append(work)
        return found

    def learn(self, uint64_t[:, ::1] atoms not None, const uint16_t[::1] given, const uint16_t[::1] gold_tags,
              const int[::1] gold_heads, const uint16_t[::1] gold_labels, int loss=0, Py_ssize_t beam=0,
              bint all_errors=False, bint resume=False, bint force_correct=False):
        """None if all decisions are compatible with gold; otherwise (Δf of tags, Δf of arcs, errors, decisions made).

        With ``all_errors`` greedy training collects all wrong decisions of the sentence instead of the first. With
        ``resume`` it continues in the state where it stopped, rescored under the new weights, and with
        ``force_correct`` starts with the best correct decision.
        """
        cdef Py_ssize_t n = self.check_input(atoms, given), width = beam if beam > 0 else self.beam, wrong = 0
        cdef bint tagging = self.task.tagging is not None, parsing = self.task.parsing is not None
        cdef Beam work
        cdef Gold gold
        cdef Delta tags = Delta()
        cdef Delta arcs = Delta()
        if n == 0:
            return None
        if tagging and (gold_tags is None or gold_tags.shape[0] != n):
            raise ValueError("training needs a gold tag for each word")
        if parsing and (gold_heads is None or gold_labels is None or gold_heads.shape[0] != n
                        or gold_labels.shape[0] != n):
            raise ValueError("training needs a gold head and label for each word")
        if resume and self.held is None:
            raise ValueError("no sentence to resume")
        work = self.held if resume else self.borrow(n)
        self.held = None
        gold = work.pending.set_gold(gold_tags if tagging else None, gold_heads if parsing else None,
                                     gold_labels if parsing else None, loss)
        if width > 1:
            wrong = self.learn_with_beam(work, atoms, given, &gold, width, tags, arcs)
        else:
            work.pending.memo.recording = not all_errors
            if resume:
                self.resume_after_update(work.pending, &gold, force_correct)
            else:
                work.pending.begin(&atoms[self.task.pad, 0], n, self.given_tags(given))
            with nogil:
                wrong = work.pending.learn(&gold, all_errors, tags, arcs)
        if width == 1 and wrong > 0 and not all_errors:
            self.held, self.held_tags, self.held_arcs = work, tags, arcs
        else:
            self.spare.append(work)
        return (tags, arcs, wrong, work.pending.steps) if wrong > 0 else None

    cdef int resume_after_update(self, PendingList pending, const Gold *gold, bint force_correct) except -1:
        """After an update: rescore what it changed, and with ``force_correct`` take the best correct decision."""
        cdef int32_t action = 0
        cdef score_t score = 0
        cdef Py_ssize_t word
        update_sums(&pending.memo, None if self.task.tagging is None else self.task.tagging.weights,
                    None if self.task.parsing is None else self.task.parsing.weights, self.held_tags, self.held_arcs)
        pending.rescore_all()
        if force_correct:
            word = pending.best_correct(gold, &action, &score)
            if word < 0:
                raise_diverged()
            pending.take_step(word, action, score, gold)
        return 0

    cdef bint learn_with_beam(self, Beam work, uint64_t[:, ::1] atoms, const uint16_t[::1] given, const Gold *gold,
                              Py_ssize_t width, Delta tags, Delta arcs) except -1:
        """Whether all correct states were pruned; then the difference is collected."""
        cdef const uint16_t *known = self.given_tags(given)
        work.begin(&atoms[self.task.pad, 0], atoms.shape[0] - 2 * self.task.pad, known, width)
        with nogil:
            work.search(gold)
        if work.gold_best.state < 0:
            return False
        if self.debug and not work.gold_best.score <= work.final_states[0].score:
            scores = f"correct {work.gold_best.score}, predicted {work.final_states[0].score}"
            raise AssertionError(f"an invalid update: {scores}")
        with nogil:
            work.collect_difference(known, tags, arcs)
        return True

    def decode_given(self, uint64_t[:, ::1] atoms not None, const uint16_t[::1] given,
                     const unsigned char[:, ::1] allowed, const int[::1] heads, const int[::1] labels):
        """Decode greedily under constraints, in the form of ``decode``; None if the search reaches a dead end.

        ``allowed`` [words][tags] is 1 for allowed tags, and 2 in the whole row of a word without a given tag; heads
        and labels of −1 are open.
        """
        cdef Py_ssize_t n = self.check_input(atoms, given), k, w = 0
        cdef bint parsing = self.task.parsing is not None
        cdef Beam work
        cdef Gold gold
        cdef int32_t action = 0
        cdef score_t score = 0
        if n == 0:
            return self.decode(atoms, given)
        if self.task.tags > 0 and (allowed is None or allowed.shape[0] != n or allowed.shape[1] != self.task.tags):
            raise ValueError("allowed tags of another shape")
        if parsing and (heads is None or labels is None or heads.shape[0] != n or labels.shape[0] != n):
            raise ValueError("given heads and labels of another length")
        for k in range(n if parsing else 0):
            if not -1 <= heads[k] <= n or heads[k] == k + 1:
                raise ValueError(f"word {k + 1} is given head {heads[k]}")
        work = self.borrow(n)
        gold = work.pending.set_gold(None, heads if parsing else None, None, JOINT)
        with nogil:
            work.pending.begin(&atoms[self.task.pad, 0], n, &given[0] if self.task.tagging is None else NULL)
            while work.pending.steps < self.task.total_steps(n):
                w = work.pending.best_consistent(&gold, NULL if self.task.tags == 0 else &allowed[0, 0],
                                                 NULL if not parsing else <const int32_t *> &labels[0], &action,
                                                 &score)
                if w < 0:
                    break
                work.pending.take_step(w, action, score, NULL if not parsing else &gold)
        found = None if w < 0 else read_analysis(work.pending, n)
        self.spare.append(work)
        return found

    def keys_of(self, uint64_t[:, ::1] atoms not None, const uint16_t[::1] given, actions, Py_ssize_t word,
                int direction=-1):
        """The keys of all templates at a word after some (word, action) decisions, 0 where one does not fire.

        Without a direction those of tagging the word, otherwise of attaching it: around the pair, then around the item.
        """
        cdef Py_ssize_t n = self.check_input(atoms, given)
        cdef Beam work = self.borrow(n)
        work.pending.open(&atoms[self.task.pad, 0], n)
        work.pending.restart(self.given_tags(given), True)
        for one, action in actions:
            work.pending.apply(one, action, NULL)
        keys = np.zeros(max(self.task.max_templates, <Py_ssize_t> 1), dtype=np.uint64)
        cdef uint64_t[::1] view = keys
        count = work.pending.fill_keys(word, direction, &view[0])
        self.spare.append(work)
        return keys[:count]

    def survey(self, uint64_t[:, ::1] atoms not None, const uint16_t[::1] given, actions, bint fresh=False,
               const uint16_t[::1] gold_tags=None, const int[::1] gold_heads=None,
               const uint16_t[::1] gold_labels=None, int loss=0):
        """All valid (word, action, score, compatible) after some (word, action) decisions; for tests.

        With ``fresh`` everything is scored at the end, otherwise step by step as in the search.
        """
        cdef Py_ssize_t n = self.check_input(atoms, given), w, k, first
        cdef Beam work = self.borrow(n)
        cdef PendingList pending = work.pending
        cdef Gold gold = pending.set_gold(gold_tags, gold_heads, gold_labels, loss)
        cdef int32_t head = -1
        pending.begin(&atoms[self.task.pad, 0], n, self.given_tags(given))
        for word, action in actions:
            if fresh:
                pending.apply(word, action, &gold if gold.heads != NULL else NULL)
            else:
                pending.take_step(word, action, 0, &gold if gold.heads != NULL else NULL)
        if fresh:
            pending.clear_scores()
            pending.rescore_all()
        found = []
        for w in range(n):
            first = 0 if pending.is_untagged(w) else self.task.tags
            for k in range(pending.choice_count(w)):
                if not pending.is_valid_choice(w, k, &head):
                    continue
                right = (gold.tags != NULL or gold.heads != NULL) and self.task.is_allowed(
                    &gold, w, <int32_t> (first + k), head, pending.node[w])
                found.append((w, first + k, pending.scores[w * self.task.max_actions + k], right))
        best = pending.winner[1]
        self.spare.append(work)
        return found, (best, pending.action[best]) if pending.best[best] > -INFINITY else None


cdef Py_ssize_t best_choices(PendingList pending, Choice *best, Py_ssize_t limit, Py_ssize_t *kept) noexcept nogil:
    """The number of valid decisions in the current state, and the best of them in order."""
    cdef Py_ssize_t w, k, at, total = 0, size = 0
    cdef Choice new
    for w in range(pending.sentence.n):
        for k in range(pending.choice_count(w)):
            if not pending.is_valid_choice(w, k, &new.head):
                continue
            total += 1
            new.word = <int32_t> w
            new.action = <int32_t> (k if pending.is_untagged(w) else pending.task.tags + k)
            new.score = pending.scores[w * pending.task.max_actions + k]
            if size == limit:
                if best[size - 1].score >= new.score:
                    continue
                at = size - 1
            else:
                at = size
                size += 1
            while at > 0 and best[at - 1].score < new.score:
                best[at] = best[at - 1]
                at -= 1
            best[at] = new
    kept[0] = size
    return total


cdef tuple read_analysis(PendingList pending, Py_ssize_t n):
    """The finished analysis of n words, in the form of ``decode``; of none, it needs no pending list."""
    cdef Py_ssize_t steps = pending.steps if n > 0 else 0, k
    # few arrays: allocating one takes as long as tagging a word
    halves = np.empty((2, n), dtype=np.uint16)
    wholes = np.empty((3, max(n, steps)), dtype=np.int32)
    scores = np.empty(steps, dtype=np.float32)
    cdef uint16_t[:, ::1] half = halves
    cdef int[:, ::1] whole = wholes
    cdef float[::1] score = scores
    for k in range(n):
        half[0, k] = pending.sentence.tags[k] - 1
        half[1, k] = pending.label[k]
        whole[0, k] = pending.head[k]
    for k in range(steps):
        whole[1, k] = pending.step_word[k]
        whole[2, k] = pending.step_action[k]
        score[k] = pending.step_score[k]
    return halves[0], wholes[0, :n], halves[1], wholes[1, :steps], wholes[2, :steps], scores
