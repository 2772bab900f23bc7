"""A read-only table from words to small numbers, with five bytes per word and without the words themselves.

The high bits of a word's hash select a bucket, and 16 of its low bits identify it there. A word that is not in the
table is mistaken for one that is with a probability of about (words in a bucket) / 65,536, some 0.00005; words in the
table are always found. Two of them that cannot be distinguished (some 10 pairs in 350,000 words) share the number of
the first.
"""

import numpy as np

from cpython.unicode cimport PyUnicode_READ_CHAR

from plait.core._hashing cimport finish, hash_text, mix
from plait.core._types cimport uint64_t

cdef Py_ssize_t PER_BUCKET = 4
cdef uint64_t SEED = 0x9e3779b97f4a7c15      # as of hash_text


cdef class WordTable:
    """Words by hash → a number below 65,536. The arrays of a model file are checked; invalid ones are a ValueError."""

    cdef readonly object starts, prints, values
    cdef const unsigned int[::1] _starts
    cdef const unsigned short[::1] _prints, _values
    cdef int shift
    cdef readonly Py_ssize_t longest        # characters of the longest word

    def __cinit__(self, starts, prints, values, Py_ssize_t longest):
        self.starts, self.prints, self.values, self.longest = starts, prints, values, longest
        self._starts, self._prints, self._values = starts, prints, values
        cdef Py_ssize_t buckets = self._starts.shape[0] - 1
        sound = buckets >= 1 and buckets & (buckets - 1) == 0 and len(values) == len(prints) and 0 <= longest <= 1024
        sound = sound and starts[0] == 0 and starts[-1] == len(prints) and (starts[1:] >= starts[:-1]).all()
        if not sound:
            raise ValueError("the lexicon is damaged")
        self.shift = 65 - int(buckets).bit_length()

    def __len__(self):
        return self._prints.shape[0]

    cdef int find(self, uint64_t word) noexcept nogil:
        """The word's number; −1 when it is not there."""
        cdef uint64_t bucket = word >> self.shift if self.shift < 64 else 0
        cdef unsigned int k
        cdef unsigned short wanted = <unsigned short> (word & 0xffff)
        for k in range(self._starts[bucket], self._starts[bucket + 1]):
            if self._prints[k] == wanted:
                return self._values[k]
        return -1

    def get(self, str word not None):
        """The word's number; −1 when it is not there."""
        return self.find(hash_text(word, 0, len(word)))

    def hashed(self, const uint64_t[:] words not None):
        """[words]: the numbers of words given by their hashes, −1 for those not in the table."""
        cdef Py_ssize_t i
        found = np.empty(words.shape[0], dtype=np.int32)
        cdef int[::1] out = found
        for i in range(words.shape[0]):
            out[i] = self.find(words[i])
        return found

    def words(self, forms not None):
        """[words]: the numbers of some words, −1 for those not in the table."""
        cdef Py_ssize_t i, n = len(forms)
        found = np.empty(n, dtype=np.int32)
        cdef int[::1] out = found
        cdef str form
        for i in range(n):
            form = forms[i]
            out[i] = self.find(hash_text(form, 0, len(form)))
        return found

    def suffixes(self, forms not None, Py_ssize_t shortest):
        """[words][number, length] of the longest proper suffix in the table, (−1, 0) if there is none."""
        cdef Py_ssize_t i, k, n = len(forms), size
        found = np.empty((n, 2), dtype=np.int32)
        cdef int[:, ::1] out = found
        cdef int value
        cdef str form
        for i in range(n):
            form = forms[i]
            size = len(form)
            out[i, 0], out[i, 1] = -1, 0
            for k in range(max(1, size - self.longest), size - shortest + 1):
                value = self.find(hash_text(form, k, size))
                if value >= 0:
                    out[i, 0], out[i, 1] = value, <int> (size - k)
                    break
        return found

    def matches(self, str text not None, starts not None, ends not None):
        """[units][(length, number) of the longest word that begins there, that lies across, that ends there].

        Units are spans of the text; a word is a run of two or more adjacent units, and its length is counted in units.
        (0, −1) if there is none.
        """
        cdef const long long[::1] first = np.asarray(starts, dtype=np.int64)
        cdef const long long[::1] last = np.asarray(ends, dtype=np.int64)
        cdef Py_ssize_t i, j, k, at, n = first.shape[0]
        found = np.zeros((n, 3, 2), dtype=np.int32)
        found[:, :, 1] = -1
        cdef int[:, :, ::1] out = found
        cdef uint64_t h
        cdef int value, length
        for i in range(n):
            h = SEED
            at = first[i]
            for j in range(i, n):
                if j > i and first[j] != last[j - 1] or last[j] - first[i] > self.longest:
                    break
                while at < last[j]:
                    h = mix(h, <uint64_t> PyUnicode_READ_CHAR(text, at))
                    at += 1
                if j == i:
                    continue
                value = self.find(finish(h))
                if value < 0:
                    continue
                length = <int> (j - i + 1)
                out[i, 0, 0], out[i, 0, 1] = length, value      # longer ones come later
                if length > out[j, 2, 0]:
                    out[j, 2, 0], out[j, 2, 1] = length, value
                for k in range(i + 1, j):
                    if length > out[k, 1, 0]:
                        out[k, 1, 0], out[k, 1, 1] = length, value
        return found


def build_table(words not None, values not None):
    """A table of words and their numbers; of words that cannot be distinguished the first one counts."""
    hashes = np.array([hash_text(word, 0, len(word)) for word in words], dtype=np.uint64).reshape(-1)
    return build_from_hashes(hashes, values, max(map(len, words), default=0))


def build_from_hashes(hashes not None, values not None, Py_ssize_t longest=0):
    """The same from the hashes of words; ``longest`` is the length of the longest word, for ``matches``."""
    cdef Py_ssize_t n = len(hashes), buckets = 1
    cdef int shift = 64
    while buckets * PER_BUCKET < n:
        buckets *= 2
        shift -= 1
    numbers = np.asarray(values, dtype=np.uint16).reshape(-1)
    bucket = (hashes >> np.uint64(shift)).astype(np.int64) if shift < 64 else np.zeros(n, dtype=np.int64)
    prints = (hashes & np.uint64(0xffff)).astype(np.uint16)
    order = np.lexsort((prints, bucket))
    bucket, prints, numbers = bucket[order], prints[order], numbers[order]
    keep = np.ones(n, dtype=bool)
    if n > 1:
        keep[1:] = (bucket[1:] != bucket[:-1]) | (prints[1:] != prints[:-1])
    starts = np.searchsorted(bucket[keep], np.arange(buckets + 1)).astype(np.uint32)
    return WordTable(starts, np.ascontiguousarray(prints[keep]), np.ascontiguousarray(numbers[keep]), longest)
