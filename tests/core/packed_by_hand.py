"""Packed tables written symbol by symbol, in plain Python: a second encoder, which does what ``pack`` never would.

The format is described in core/_packing.pxd and core/_entropy.pxd.
"""

import numpy as np

from plait.core._entropy import frequencies

SECTIONS = ("models", "contexts", "rest", "slots", "labels", "weights")


class PackedByHand:
    """One bucket of features, each with its own row or a shared one; all weights are the symbol 5."""

    def __init__(self, labels, bits):
        self.labels, self.bits = labels, bits
        self.masks = (labels + 7) // 8
        self.features = self.units = self.shared = 0
        self.words, self.weights, self.rest = [], [], []

    def dense(self, *found):
        """A dense row with a weight for each of these labels, whether they exist or not."""
        self.reference(0)
        self._number(self.weights, 0, 0)
        for k in range(self.masks):
            self.words.append((1 + min(k, 31), sum(1 << label - 8 * k for label in found if 0 <= label - 8 * k < 8)))
        self.weights += [(1, 5)] * len(found)
        self.units += (self.labels + 1) // 2 if self.bits == 8 else self.labels
        return self

    def sparse(self, *found, size=None, shared=False):
        """A sparse row of these labels; ``size`` is what it says of its own length, where that is another.

        Shared rows come before all features.
        """
        if shared:
            self.shared += 1
        else:
            self.reference(0)
        self._number(self.weights, 0, 1 + (len(found) if size is None else size))
        context, before = 1 + min(self.masks, 32), -1
        for label in found:
            gap = label - before - 1
            if self.labels > 256:
                self._number(self.words, context, 2 * gap if gap >= 0 else -2 * gap - 1)
            else:
                self.words.append((context, label))
            before = label
        self.weights += [(1, 5)] * len(found)
        self.units += 1 + len(found) * (1 if self.bits == 8 else 2)
        return self

    def reference(self, number):
        """A feature with this one of the shared rows, from 1 on; 0 where its own row follows."""
        self.features += 1
        self._number(self.words, 0, number)
        return self

    def sections(self):
        """The bytes of every section behind the fields and the noise."""
        slots = [(0, self.features), *[(1, 0)] * self.features]
        weight_models, weights = coded(self.weights, 2)
        slot_models, slots = coded(slots, 2)
        contexts, labels = coded(self.words, 2 + min(self.masks, 32))
        found = (packed_bits(weight_models + slot_models), packed_bits(contexts), packed_bits(self.rest))
        return dict(zip(SECTIONS, (*found, slots, labels, weights), strict=True))

    def array(self, sections=None, **fields):
        """The packed array, with other sections and other fields where they are given."""
        sections = sections or self.sections()
        own = {"features": self.features, "buckets": 1, "units": self.units, "shared": self.shared, "context": 0}
        numbers = own | {name: len(sections[name]) for name in SECTIONS[:-1]} | fields
        noise = bytes([10, 0, 0]) * numbers["features"]
        content = np.array([*numbers.values()], dtype="<u4").tobytes() + noise + b"".join(sections.values())
        return np.frombuffer(content, dtype=np.uint8)

    def _number(self, stream, context, number):
        if number < 16:
            stream.append((context, number))
            return
        extra = number.bit_length() - 4
        stream.append((context, 16 + 8 * (extra - 1) + (number >> extra & 7)))
        self.rest.append((number & (1 << extra) - 1, extra))


def coded(symbols, models):
    """The bits of so many models, and the bytes of (model, symbol) pairs coded by them."""
    counts = np.zeros((models, 256), dtype=np.int64)
    for model, symbol in symbols:
        counts[model, symbol] += 1
    scaled = [frequencies(row).tolist() for row in counts]
    state = other = 1 << 32
    words = []
    for model, symbol in reversed(symbols):
        state, other = other, state
        frequency = scaled[model][symbol]
        if frequency == 2048:
            continue
        if state >= frequency << 53:
            words.append(state & 0xFFFFFFFF)
            state >>= 32
        state = (state // frequency << 11) + state % frequency + sum(scaled[model][:symbol])
    stream = np.array([state, other], dtype="<u8").tobytes() + np.array(words[::-1], dtype="<u4").tobytes()
    return [bit for row in scaled for bit in model_bits(row)], stream


def model_bits(frequency):
    count = max((symbol + 1 for symbol in range(256) if frequency[symbol]), default=0)
    return [bit for number in (count, *frequency[:count]) for bit in gamma(number + 1)]


def gamma(number):
    low = number.bit_length() - 1
    return [(0, low), (1, 1), (number & (1 << low) - 1, low)]


def packed_bits(pieces):
    """(number, count of bits) pairs, the low bits first, in whole words of 32 bits."""
    whole = at = 0
    for number, count in pieces:
        whole |= number << at
        at += count
    return whole.to_bytes((at + 31) // 32 * 4, "little")
