"""Writing of entropy-coded symbols and of their models; reading is in _entropy.pxd."""

from array import array

from libc.stdint cimport uint8_t
from libc.stdlib cimport free
from libc.string cimport memset

import numpy as np

from plait.core._arrays cimport enlarged
from plait.core._types cimport uint16_t, uint32_t, uint64_t


cdef class BitWriter:
    """Plain bits, the low ones first, in words of 32 bits."""

    def __cinit__(self):
        self.words = array("I")

    cdef int put(self, uint64_t bits, int count) except -1:
        """The low ``count`` bits, at most 32."""
        self.held |= bits << self.count
        self.count += count
        if self.count >= 32:
            self.words.append(<uint32_t> self.held)
            self.held >>= 32
            self.count -= 32
        return 0

    def finished(self):
        """Everything written, as bytes."""
        if self.count > 0:
            self.put(0, 32 - self.count)
        return np.asarray(self.words, dtype="<u4").tobytes()


cdef class SymbolWriter:
    """Symbols, each with the number of its context; they are coded when all are known."""

    def __dealloc__(self):
        free(self.symbols)

    def __len__(self):
        return self.count

    cdef int put(self, int context, int symbol) except -1:
        if self.count == self.capacity:
            self.symbols = <Symbol *> enlarged(self.symbols, &self.capacity, sizeof(Symbol))
        self.symbols[self.count] = Symbol(<uint16_t> context, <uint8_t> symbol)
        self.count += 1
        return 0

    cdef int put_number(self, int context, uint32_t number, BitWriter rest) except -1:
        cdef int symbol = number_symbol(number), extra = extra_bits(symbol)
        self.put(context, symbol)
        return rest.put(number & ((<uint64_t> 1 << extra) - 1), extra)

    def coded(self, models, BitWriter tables not None):
        """The symbols as bytes; their models are written to ``tables``.

        ``models`` [contexts] is the number of the model of each context; contexts may share one.
        """
        cdef const uint16_t[::1] model = np.asarray(models, dtype=np.uint16)
        cdef Py_ssize_t i, count = int(np.max(models)) + 1
        counts = np.zeros((count, SYMBOLS), dtype=np.int64)
        cdef long long[:, ::1] seen = counts
        for i in range(self.count):
            seen[model[self.symbols[i].context], self.symbols[i].value] += 1
        scaled = np.array([frequencies(row) for row in counts], dtype=np.uint16)
        firsts = np.cumsum(scaled, axis=1, dtype=np.int64) - scaled
        for row in scaled:
            write_model(row, tables)
        cdef const uint16_t[:, ::1] frequency = scaled
        cdef const uint16_t[:, ::1] first = firsts.astype(np.uint16)
        words = np.empty(self.count + 4, dtype="<u4")
        cdef uint32_t[::1] out = words
        cdef Py_ssize_t at = self.count + 4
        cdef uint64_t state = <uint64_t> 1 << 32, other = state, f
        cdef int m, s
        for i in range(self.count - 1, -1, -1):     # the last symbol written is read first
            state, other = other, state
            m, s = model[self.symbols[i].context], self.symbols[i].value
            f = frequency[m, s]
            if f == TOTAL:
                continue        # the only symbol of its model takes no bits
            if state >= f << (64 - PRECISION):
                at -= 1
                out[at] = <uint32_t> state
                state >>= 32
            state = (state // f << PRECISION) + state % f + first[m, s]
        for f in (other, state):
            at -= 2
            out[at], out[at + 1] = <uint32_t> f, <uint32_t> (f >> 32)
        return words[at:].tobytes()


def frequencies(counts):
    """Frequencies proportional to the counts, which sum to ``TOTAL`` (or 0 if all are 0); none becomes 0."""
    counts = np.asarray(counts, dtype=np.int64)
    total = int(counts.sum())
    if total == 0:
        return np.zeros(len(counts), dtype=np.int64)
    scaled = np.where(counts > 0, np.maximum(1, counts * TOTAL // total), 0)
    missing = TOTAL - int(scaled.sum())
    if missing > 0:      # added to those with the largest remainders
        lost = np.argsort(-(counts * TOTAL % total), kind="stable")[:missing]
        scaled[lost] += 1
        scaled[np.argmax(scaled)] += missing - len(lost)
    while missing < 0:      # taken from the frequent ones, where it costs least
        scaled[np.argmax(scaled)] -= 1
        missing += 1
    return scaled


cdef int write_gamma(BitWriter out, uint32_t number) except -1:
    """A number from 1 on, small ones in few bits (Elias gamma code)."""
    cdef int length = 1
    while number >> length:
        length += 1
    out.put(0, length - 1)
    out.put(1, 1)
    return out.put(number & ((1 << (length - 1)) - 1), length - 1)


cdef inline uint32_t read_gamma(BitReader *reader) noexcept nogil:
    cdef int length = 0
    while length < 16 and not reader.truncated and take_bits(reader, 1) == 0:
        length += 1
    return 1 << length | take_bits(reader, length)


cdef int write_model(frequency, BitWriter out) except -1:
    """Write the number of frequencies, up to the last that is not 0, and the frequencies."""
    used = np.flatnonzero(frequency)
    cdef int i, count = int(used.max()) + 1 if len(used) else 0
    write_gamma(out, count + 1)
    for i in range(count):
        write_gamma(out, int(frequency[i]) + 1)
    return 0


cdef const char *read_models(BitReader *reader, Model *models, Py_ssize_t count, int symbols) noexcept nogil:
    """Read models of at most ``symbols`` symbols; returns what is wrong, or NULL. An unused model always yields 0."""
    cdef Py_ssize_t k
    cdef uint32_t s, listed, frequency, sum_
    cdef Model *model
    for k in range(count):
        model = models + k
        memset(model, 0, sizeof(Model))
        listed = read_gamma(reader) - 1
        if listed > <uint32_t> symbols:
            return "symbols that no table holds"
        sum_ = 0
        for s in range(listed):
            frequency = read_gamma(reader) - 1
            if frequency > TOTAL - sum_:
                return "frequencies that do not fit together"
            model.span[s] = frequency << 16 | sum_
            memset(model.symbol + sum_, s, frequency)
            sum_ += frequency
        if listed > 0 and sum_ != TOTAL or reader.truncated:
            return "frequencies that do not fit together"
    return NULL
