"""Memory for one sentence at a time, kept from sentence to sentence."""

from libc.stdlib cimport free

from plait.core._memory cimport drop, release


cdef class Workspace:
    """Whatever a search or a training step writes to; borrowed for one sentence, then given back."""

    def __dealloc__(self):
        release(&self.desk.sums)
        release(&self.nodes)
        drop(&self.desk.memo)
        drop(&self.desk.totals)
        release(&self.desk.alone_sums)
        drop(&self.desk.alone)
        free(self.desk.records)
        free(self.desk.keys)
        free(self.desk.targets)
        free(self.desk.parts)
        free(self.desk.window)
        for pointer in (<size_t> self.codes, <size_t> self.node, <size_t> self.left, <size_t> self.static,
                        <size_t> self.scores, <size_t> self.best, <size_t> self.winner, <size_t> self.word,
                        <size_t> self.made_score, <size_t> self.label, <size_t> self.history,
                        <size_t> self.states, <size_t> self.chosen, <size_t> self.sentence.choices):
            free(<void *> <size_t> pointer)
