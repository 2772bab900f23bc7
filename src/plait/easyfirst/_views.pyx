"""What can be seen of a search from outside: the valid decisions at each step, the analyses a beam ends with."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

import numpy as np

from plait.core._types cimport uint16_t, uint64_t
from plait.easyfirst._scoring cimport LEFT, RIGHT
from plait.easyfirst._workspace cimport Extension


cdef class Views(Beam):
    """A search that shows its choices."""

    cdef int check_input(self, atoms, given, Py_ssize_t n) except -1:
        if atoms.shape[1] != self.columns or n < 0:
            raise ValueError("an atom matrix of another shape")
        if self.tagging is None and (given is None or len(given) != n):
            raise ValueError("parsing without tagging needs a tag for each word")
        return 0

    def contests(self, uint64_t[:, ::1] atoms not None, const uint16_t[::1] given, actions, Py_ssize_t most):
        """For each of some (word, action) decisions in a row: how many were valid, and the best of those.

        The best ``most`` come as (word, action, head, score), best first; of equals the leftmost word's, then the
        lower action, as the search itself would choose. The head of a tag is −1.
        """
        cdef Py_ssize_t n = atoms.shape[0] - 2 * self.pad, k, total, kept = 0
        cdef Workspace work
        cdef Rival *best
        self.check_input(atoms, given, n)
        if n == 0:
            return []
        most = max(<Py_ssize_t> 1, min(most, n * self.widest))      # there are no more
        best = <Rival *> malloc(most * sizeof(Rival))
        if best == NULL:
            raise MemoryError()
        found = []
        work = self.borrow(n)
        try:
            work.desk.recording = False
            work.deciding = False       # all scores are looked at, not only the best
            self.begin(work, &atoms[self.pad, 0], n, &given[0] if self.tagging is None else NULL)
            for word, action in actions:
                total = self.rivals(work, best, most, &kept)
                found.append((total, [(best[k].word, best[k].action, best[k].head, best[k].score)
                                      for k in range(kept)]))
                if not 0 <= word < n or work.node[<Py_ssize_t> word] == NULL:
                    raise ValueError(f"word {word} is not pending")
                self.take_step(work, word, action, 0, NULL)
        finally:
            free(best)
            self.spare.append(work)
        return found

    cdef Py_ssize_t rivals(self, Workspace work, Rival *best, Py_ssize_t room, Py_ssize_t *kept) noexcept nogil:
        """All valid decisions in the present state: their number, and the best of them in order."""
        cdef Py_ssize_t w, k, at, count, total = 0, size = 0
        cdef bint tags
        cdef Rival new
        for w in range(work.sentence.n):
            if work.node[w] == NULL or work.best[w] == -INFINITY:
                continue
            tags = self.tags > 0 and work.sentence.tags[w] == 0
            count = self.tags if tags else 2 * self.parsing.labels
            for k in range(count):
                new.head = -1
                if tags:
                    if not self.may_tag(&work.sentence, w, <int> k):
                        continue
                else:
                    if not self.may_attach(work, w, k % 2 == RIGHT):
                        continue
                    new.head = work.left[w] if k % 2 == LEFT else work.right[w]
                total += 1
                new.word = <int> w
                new.action = <int> (k if tags else self.tags + k)
                new.score = work.scores[w * self.widest + k]
                if size == room:
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

    def decode_all(self, uint64_t[:, ::1] atoms not None, const uint16_t[::1] given, Py_ssize_t width):
        """The different analyses that a beam of some width ends with, best first, each as ``decode`` gives it."""
        cdef Py_ssize_t n = atoms.shape[0] - 2 * self.pad, k, step, row, alive = 0
        cdef Workspace work
        cdef Extension right
        cdef int32_t right_made = -1
        cdef const uint16_t *known = NULL
        self.check_input(atoms, given, n)
        if n == 0:
            return []
        if width < 1:
            raise ValueError(f"a beam of {width}")
        if self.tagging is None:
            known = &given[0]
        found = []
        work = self.borrow(n)
        try:
            work.desk.recording = False
            work.deciding = True
            self.begin_beam(work, &atoms[self.pad, 0], n, known)
            self.prepare_beam(work, width)
            with nogil:
                row = self.search(work, width, NULL, &right, &right_made, &alive)
            for k in range(alive):
                self.unwind(work, work.states[row * width + k].made)
                self.restart(work, known)
                for step in range(work.steps):
                    self.label(work, work.word[step], work.made[step], NULL)
                found.append(self.read_out(work))
        finally:
            self.spare.append(work)
        return found

    cdef object read_out(self, Workspace work):
        """The analysis that the decisions made, as ``decode`` gives it."""
        cdef Py_ssize_t n = work.sentence.n, m = work.steps
        return (
            np.asarray(<uint16_t[:n]> work.sentence.tags) - np.uint16(1),
            np.asarray(<int32_t[:n]> work.head).copy(),
            np.asarray(<uint16_t[:n]> work.label).copy(),
            np.asarray(<int32_t[:m]> work.word).copy() if m else np.zeros(0, dtype=np.int32),
            np.asarray(<int32_t[:m]> work.made).copy() if m else np.zeros(0, dtype=np.int32),
            np.asarray(<score_t[:m]> work.made_score).copy() if m else np.zeros(0, dtype=np.float32),
        )
