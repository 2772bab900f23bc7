"""What a lemmatizer has seen in training: words with the scripts that it chooses for them, and lemmas."""

import numpy as np

from plait.core._arrays cimport first_from, number_t
from plait.core._hashing cimport finish, hash_text, mix
from plait.core._rows cimport prefetch
from plait.morphology._word_tag cimport COLUMNS, WordTag


def checked_hashes(hashes, dtype, fault):
    """Hashes from a model file, which must be ascending."""
    if hashes.dtype != dtype or hashes.ndim != 1 or not (hashes[1:] > hashes[:max(len(hashes) - 1, 0)]).all():
        raise ValueError(fault)
    return np.ascontiguousarray(hashes)


cdef tuple bucket_starts(const number_t[::1] hashes):
    """Where the hashes with each combination of first bits start, and by how much to shift a hash to get these bits.

    Hashes are spread evenly, so that few share their first bits.
    """
    cdef Py_ssize_t b, at = 0, n = hashes.shape[0], bits = max(n.bit_length(), 1), shift = 8 * sizeof(number_t) - bits
    out = np.empty((1 << bits) + 1, dtype=np.uint32)
    cdef uint32_t[::1] starts = out
    for b in range(1 << bits):
        while at < n and <Py_ssize_t> (hashes[at] >> shift) < b:
            at += 1
        starts[b] = <uint32_t> at
    starts[1 << bits] = <uint32_t> n
    return out, shift


cdef class KnownWords:
    """The scripts that the model chooses for the words of its training data, so that these need not be scored.

    A word is a number: 48 bits of the hash of its form and tag, then 16 bits for the number of its script.
    """

    def __cinit__(self, words):
        self.words = checked_hashes(words, np.uint64, "the known words are damaged")
        self._words = self.words
        self.starts, self.shift = bucket_starts[uint64_t](self._words)

    @classmethod
    def of(cls, words):
        """From (form, tag, number of the script)."""
        found = {word_hash(form, tag) | number for form, tag, number in words if number < NUMBERS}
        return cls(np.array(sorted(found), dtype=np.uint64))

    def __len__(self):
        return len(self.words)

    def scripts(self):
        """The numbers of all scripts of words."""
        return self.words & np.uint64(NUMBERS - 1)

    cdef Py_ssize_t script_of(self, str form, WordTag tag) except? -2:
        cdef uint64_t value = word_hash(form, tag), bucket = value >> self.shift
        cdef Py_ssize_t at = first_from[uint64_t](self._words, value, self.starts[bucket], self.starts[bucket + 1])
        if at < self._words.shape[0] and self._words[at] - value < NUMBERS:
            return <Py_ssize_t> (self._words[at] - value)
        return -1

    def find(self, str form not None, WordTag tag not None):
        """The number of the script of a word; -1 if it is not known."""
        return self.script_of(form, tag)


cdef uint64_t word_hash(str form, WordTag tag):
    """With space for the number of a script."""
    cdef uint64_t h = hash_text(form, 0, len(form))
    cdef Py_ssize_t k
    for k in range(COLUMNS):
        h = mix(h, tag.atoms[k])
    return finish(h) & ~(<uint64_t> NUMBERS - 1)


cdef class KnownLemmas:
    """What training has seen, as 32-bit hashes: lemmas alone, lemmas with a part of speech, and forms with lemmas.

    >>> known = KnownLemmas.of([("dogs", "NOUN", "dog")])
    >>> known.levels("dogs", ["dog", "dogs"], "NOUN"), known.levels("dog", ["dog"], "VERB")
    (([3, 1], [2, 3]), ([2], [1]))
    """

    def __cinit__(self, hashes):
        self.hashes = checked_hashes(hashes, np.uint32, "the known lemmas are damaged")
        self._hashes = self.hashes
        self.starts, self.shift = bucket_starts[uint32_t](self._hashes)

    def __len__(self):
        return len(self.hashes)

    @classmethod
    def of(cls, words):
        """From (form, UPOS, lemma)."""
        found = set()
        for form, upos, lemma in words:
            found.add(known_hash(LEMMA, lemma, ""))
            found.add(known_hash(TAGGED, lemma, upos))
            found.add(known_hash(PAIR, form.lower(), lemma.lower()))
        return cls(np.array(sorted(found), dtype=np.uint32))

    cdef void expect(self, uint32_t value) noexcept nogil:
        """Prefetch what ``has`` looks at first."""
        prefetch(&self.starts[value >> self.shift])

    cdef bint has(self, uint32_t value) noexcept nogil:
        cdef uint32_t bucket = value >> self.shift
        cdef Py_ssize_t at = first_from[uint32_t](self._hashes, value, self.starts[bucket], self.starts[bucket + 1])
        return at < self._hashes.shape[0] and self._hashes[at] == value

    def levels(self, str form not None, list lemmas not None, str upos not None):
        """For each lemma, whether it is known, and whether it is known as a lemma of this form.

        The first: 3 with this part of speech, 2 with another, 1 unknown. The second: 2 yes, 3 no but another of these
        lemmas is, 1 the form is new.
        """
        cdef list known = [], seen = []
        cdef str lemma, lower = form.lower()
        cdef bint some = False
        for lemma in lemmas:
            if not self.has(known_hash(LEMMA, lemma, "")):
                known.append(1)
            else:
                known.append(3 if self.has(known_hash(TAGGED, lemma, upos)) else 2)
            if self.has(known_hash(PAIR, lower, lemma.lower())):
                seen.append(2)
                some = True
            else:
                seen.append(3)
        return known, seen if some else [1] * len(seen)


cdef uint64_t EMPTY = hash_text("", 0, 0)


cdef uint32_t known_hash(uint64_t kind, str a, str b):
    return joined_hash(kind, hash_text(a, 0, len(a)), hash_text(b, 0, len(b)))
