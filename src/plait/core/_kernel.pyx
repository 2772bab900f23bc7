"""The fixed-size hash kernel (Bohnet 2010): memory is fixed in advance, and colliding features share weights.

No keys are stored. Rows begin at ``key mod size`` and have ``labels`` weights, so rows of different features overlap.
With f features of l non-zero weights each, the probability that a weight is affected is about f * l / size.
"""

from libc.stdint cimport int8_t, int16_t

import numpy as np

from plait.core._frozen import power_of_two_scale
from plait.core._rows cimport BATCH, add_8, add_16, add_32, prefetch
from plait.core._types cimport key_t, label_t, score_t, uint64_t
from plait.core._weights cimport Scorer, Trainable
from plait.core.rows import check_scale, check_weights


cdef class HashKernel(Trainable):
    """A weight array of fixed size, trained like ``Weights``."""

    cdef readonly Py_ssize_t size   # a power of two; the row of a key starts at w[key & (size - 1)]
    cdef score_t[::1] w             # [size + labels]
    cdef double[::1] u              # [size + labels], as in Weights

    def __cinit__(self, Py_ssize_t labels, int size_log2=22):
        if not 1 <= labels < 0xffff:
            raise ValueError(f"a row holds 1 to {0xffff - 1} labels, not {labels}")
        if not 8 <= size_log2 <= 32:
            raise ValueError(f"the hash kernel has 2^8 to 2^32 weights, not 2^{size_log2}")
        self.labels = labels
        self.size = (<Py_ssize_t> 1) << size_log2
        self.w = np.zeros(self.size + labels, dtype=np.float32)
        self.u = np.zeros(self.size + labels)

    cdef void add(self, const key_t *keys, Py_ssize_t n, score_t *scores) noexcept nogil:
        cdef Py_ssize_t batch, first, k, j, m, lines = (self.labels * 4 + 63) // 64 + 1
        cdef uint64_t mask = <uint64_t> self.size - 1
        for batch in range((n + BATCH - 1) // BATCH):
            first = batch * BATCH
            m = min(<Py_ssize_t> BATCH, n - first)
            for k in range(m):
                for j in range(lines):
                    prefetch(&self.w[0] + (keys[first + k] & mask) + 16 * j)
            for k in range(m):
                if keys[first + k] != 0:
                    add_32(scores, &self.w[0] + (keys[first + k] & mask), self.labels)

    cdef int change(self, key_t key, label_t label, double amount) except -1:
        cdef uint64_t at = (key & (<uint64_t> self.size - 1)) + label
        self.w[at] += <score_t> amount
        self.u[at] += self.clock * amount
        return 0

    cdef double weight(self, key_t key, label_t label) noexcept nogil:
        if key == 0:
            return 0.0
        return self.w[(key & (<uint64_t> self.size - 1)) + label]

    def export(self, bint averaged=True):
        """(values, sums): the weights, averaged on request, and the raw sums u."""
        values, sums = np.array(self.w), np.array(self.u)
        if averaged and self.clock > 0:
            values = (values - sums / self.clock).astype(np.float32)
        return values, sums

    @classmethod
    def restore(cls, Py_ssize_t labels, double clock, const float[::1] values, const double[::1] sums):
        """The kernel that was exported unaveraged."""
        cdef Py_ssize_t total = values.shape[0]
        if total <= labels:
            raise ValueError("a kernel without weights")
        check_weights(values)
        cdef HashKernel kernel = cls(labels, int(total - labels).bit_length() - 1)
        if kernel.size + labels != total or sums.shape[0] != total:
            raise ValueError(f"{total} weights are not a power of two and {labels} labels")
        kernel.w[:] = values
        kernel.u[:] = sums
        kernel.clock = clock
        return kernel


cdef class FrozenKernel(Scorer):
    """A hash kernel for use: read-only, quantized."""

    cdef readonly int bits
    cdef readonly double scale
    cdef readonly Py_ssize_t size
    cdef readonly object values     # int8, int16 or float32 [size + labels]
    cdef const void *_values

    def __cinit__(self, values, Py_ssize_t labels, int bits, double scale):
        kind = {8: np.int8, 16: np.int16, 32: np.float32}.get(bits)
        if kind is None:
            raise ValueError(f"{bits} bits are not a kernel this version reads")
        check_scale(scale, bits)
        self.values = np.ascontiguousarray(values, dtype=kind)
        self.size = self.values.size - labels
        if labels < 1 or self.values.ndim != 1 or self.size < 256 or self.size & (self.size - 1):
            raise ValueError(f"{self.values.size} weights are not a power of two and {labels} labels")
        if bits == 32:
            check_weights(self.values)
        self.labels = labels
        self.bits = bits
        self.scale = scale
        cdef const unsigned char[::1] raw = self.values.view(np.uint8)
        self._values = &raw[0]

    def arrays(self):
        """What a model file stores."""
        return {"values": self.values}

    def header(self):
        """The small numbers that belong to the array."""
        return {"kind": "kernel", "labels": self.labels, "bits": self.bits, "scale": self.scale}

    def __reduce__(self):
        return FrozenKernel, (self.values, self.labels, self.bits, self.scale)

    cdef void add(self, const key_t *keys, Py_ssize_t n, score_t *scores) noexcept nogil:
        cdef Py_ssize_t batch, first, k, j, m, width = self.bits // 8, lines = (self.labels * width + 63) // 64 + 1
        cdef uint64_t at, mask = <uint64_t> self.size - 1
        cdef const char *base = <const char *> self._values
        cdef float scale = <float> self.scale
        for batch in range((n + BATCH - 1) // BATCH):
            first = batch * BATCH
            m = min(<Py_ssize_t> BATCH, n - first)
            for k in range(m):
                for j in range(lines):
                    prefetch(base + (keys[first + k] & mask) * <uint64_t> width + 64 * j)
            for k in range(m):
                if keys[first + k] == 0:
                    continue
                at = keys[first + k] & mask
                if self.bits == 8:
                    add_8(scores, <const int8_t *> base + at, self.labels, scale)
                elif self.bits == 16:
                    add_16(scores, <const int16_t *> base + at, self.labels, scale)
                else:
                    add_32(scores, <const float *> base + at, self.labels)


def freeze_kernel(values, Py_ssize_t labels, int bits=16):
    """Weights as ``HashKernel.export`` gives them → a FrozenKernel."""
    if bits == 32:
        return FrozenKernel(values, labels, 32, 1.0)
    scale = power_of_two_scale(float(np.max(np.abs(values), initial=0.0)), bits)
    kind = np.int8 if bits == 8 else np.int16
    return FrozenKernel(np.rint(np.asarray(values) / scale).astype(kind), labels, bits, scale)
