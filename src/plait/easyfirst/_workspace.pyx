"""Memory for one sentence at a time, kept from sentence to sentence."""

from libc.stdlib cimport free

from plait.core._memory cimport free_map, release
from plait.core._templates cimport close_sums


cdef class Workspace:
    """Whatever a search or a training step writes to; borrowed for one sentence, then given back."""

    def __dealloc__(self):
        close_sums(&self.desk.sums)
        release(&self.nodes)
        free_map(&self.desk.totals)
        release(&self.desk.own_sums)
        free_map(&self.desk.own)
        free(self.desk.records)
        free(self.desk.window)
        for pointer in (<size_t> self.codes, <size_t> self.node, <size_t> self.left, <size_t> self.static,
                        <size_t> self.scores, <size_t> self.best, <size_t> self.winner, <size_t> self.word,
                        <size_t> self.made_score, <size_t> self.label, <size_t> self.history,
                        <size_t> self.states, <size_t> self.chosen, <size_t> self.sentence.choices):
            free(<void *> <size_t> pointer)
