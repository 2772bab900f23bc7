# Entropy coding of stored arrays: symbols of 8 bits by their frequency (range asymmetric numeral systems, Duda 2014),
# large numbers as a symbol and plain bits. Reading is inline; writing is in _entropy.pyx.
#
# No input makes a reader leave its bytes: at their end it continues with zeros and is marked as truncated. Time and
# memory of reading are bounded by the numbers of symbols, which the caller checks: some symbols take no bits.

from libc.stdint cimport uint8_t
from libc.string cimport memcpy

from plait.core._types cimport uint16_t, uint32_t, uint64_t

cdef enum:
    PRECISION = 11          # bits of a frequency
    TOTAL = 2048            # the sum of the frequencies of a model
    SYMBOLS = 256
    DIRECT = 16             # smaller numbers are symbols themselves

# A coder's state has 33 to 64 bits; it is 1 << 32 at the start, and again when everything has been read.


cdef struct Model:          # the frequencies of the symbols in one context
    uint32_t span[SYMBOLS]          # the frequency of a symbol << 16 | the sum of those before it
    uint8_t symbol[TOTAL]           # the symbol whose span contains each slot


cdef struct SymbolReader:
    uint64_t state          # for the next symbol
    uint64_t other          # for the one after it: two independent dependency chains
    const uint8_t *at
    const uint8_t *end
    bint truncated


cdef struct BitReader:      # plain bits, the low ones first
    uint64_t held
    int count               # number of bits held
    const uint8_t *at
    const uint8_t *end
    bint truncated


cdef inline SymbolReader open_symbols(const uint8_t *at, const uint8_t *end) noexcept nogil:
    cdef SymbolReader reader
    reader.truncated = end - at < 16
    reader.state = reader.other = 0
    if not reader.truncated:
        memcpy(&reader.state, at, 8)
        memcpy(&reader.other, at + 8, 8)
        at += 16
    reader.at, reader.end = at, end
    return reader


cdef inline bint is_finished(const SymbolReader *reader) noexcept nogil:
    """Whether exactly the written symbols have been read."""
    cdef uint64_t begin = <uint64_t> 1 << 32
    return not reader.truncated and reader.at == reader.end and reader.state == begin and reader.other == begin


cdef inline int next_symbol(SymbolReader *reader, const Model *model) noexcept nogil:
    cdef uint64_t state = reader.state
    cdef uint32_t slot = state & (TOTAL - 1), word
    cdef int symbol = model.symbol[slot]
    cdef uint32_t span = model.span[symbol]
    state = (span >> 16) * (state >> PRECISION) + slot - (span & 0xffff)
    if state >> 32 == 0:
        if reader.end - reader.at >= 4:
            memcpy(&word, reader.at, 4)
            reader.at += 4
            state = state << 32 | word
        else:
            reader.truncated = True
    reader.state, reader.other = reader.other, state
    return symbol


cdef inline BitReader open_bits(const uint8_t *at, const uint8_t *end) noexcept nogil:
    cdef BitReader reader
    reader.held, reader.count, reader.truncated = 0, 0, False
    reader.at, reader.end = at, end
    return reader


cdef inline bint is_used_up(const BitReader *reader) noexcept nogil:
    """Whether exactly the written words have been read."""
    return not reader.truncated and reader.at == reader.end


cdef inline uint32_t take_bits(BitReader *reader, int count) noexcept nogil:
    """The next ``count`` bits, at most 32."""
    cdef uint32_t word
    cdef uint64_t taken
    if reader.count < count:
        if reader.end - reader.at < 4:
            reader.truncated = True
            return 0
        memcpy(&word, reader.at, 4)
        reader.at += 4
        reader.held |= <uint64_t> word << reader.count
        reader.count += 32
    taken = reader.held & ((<uint64_t> 1 << count) - 1)
    reader.held >>= count
    reader.count -= count
    return <uint32_t> taken


# A number from DIRECT on is a symbol for the position of its highest bit and the three bits below it; the rest follows
# as plain bits. This fits skewed distributions well enough with few symbols.

cdef inline int extra_bits(int symbol) noexcept nogil:
    return 1 + (symbol - DIRECT) // 8 if symbol >= DIRECT else 0


cdef inline int number_symbol(uint32_t number) noexcept nogil:
    cdef int extra = 1
    if number < DIRECT:
        return <int> number
    while number >> (extra + 4):
        extra += 1
    return DIRECT + 8 * (extra - 1) + ((number >> extra) & 7)


cdef inline uint64_t finish_number(int symbol, BitReader *rest) noexcept nogil:
    cdef int extra
    if symbol < DIRECT:
        return symbol
    extra = extra_bits(symbol)
    return <uint64_t> (8 + (symbol - DIRECT) % 8) << extra | take_bits(rest, extra)


cdef inline uint64_t next_number(SymbolReader *reader, const Model *model, BitReader *rest) noexcept nogil:
    return finish_number(next_symbol(reader, model), rest)


# Zigzag coding of signed numbers: 0, -1, 1, -2, …

cdef inline uint32_t zigzag(int number) noexcept nogil:
    return <uint32_t> (2 * number if number >= 0 else -2 * number - 1)


cdef inline int unzigzag(uint64_t number) noexcept nogil:
    return <int> (number >> 1) if number & 1 == 0 else -<int> (number >> 1) - 1


cdef const char *read_models(BitReader *reader, Model *models, Py_ssize_t count, int symbols) noexcept nogil


cdef struct Symbol:
    uint16_t context        # which model it has
    uint8_t value


cdef class SymbolWriter:
    cdef Py_ssize_t count, capacity
    cdef Symbol *symbols
    cdef int put(self, int context, int symbol) except -1
    cdef int put_number(self, int context, uint32_t number, BitWriter rest) except -1


cdef class BitWriter:
    cdef object words               # list of complete 32-bit words
    cdef uint64_t held
    cdef int count
    cdef int put(self, uint64_t bits, int count) except -1
