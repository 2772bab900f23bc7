"""A tag dictionary: frequent words are restricted to the tags seen in training, all others may have any tag."""

from collections import Counter

from libc.stdlib cimport free

import numpy as np

from plait.core._hashing import text_hash

from plait.core._arrays cimport allocated, place


cdef class TagDictionary:
    """Sorted arrays, as stored in a model file; invalid ones are a ValueError."""

    def __cinit__(self, Py_ssize_t tags, words, starts, known):
        cdef Py_ssize_t k
        self.tags = tags
        self.words, self.starts, self.known = words, starts, known
        self._words, self._starts, self._known = words, starts, known
        self.check()
        self.everything = <label_t *> allocated((tags + 1) * sizeof(label_t))
        for k in range(tags):
            self.everything[k] = <label_t> k

    def __dealloc__(self):
        free(self.everything)

    def __len__(self):
        return self._words.shape[0]

    def check(self):
        """Check that words are ascending, and the tags of each ascending, valid and at least one."""
        words, starts, known = self.words, self.starts, self.known
        sound = len(starts) == len(words) + 1 and starts[0] == 0 and starts[-1] == len(known)
        sound = sound and (starts[1:] > starts[:-1]).all() and (words[1:] > words[:-1]).all()
        if sound:
            ascending = known[1:] > known[:-1]
            ascending[starts[1:-1] - 1] = True      # from the last tag of a word to the first of the next
            sound = ascending.all() and (known < self.tags).all()
        if not sound:
            raise ValueError("the tag dictionary is damaged")

    def arrays(self):
        """What a model file stores."""
        return {"words": self.words, "starts": self.starts, "known": self.known}

    cdef Py_ssize_t candidates(self, atom_t word, const label_t **tags) noexcept nogil:
        cdef Py_ssize_t at = place[uint64_t](self._words, word)
        if at >= 0:
            tags[0] = <const label_t *> &self._known[self._starts[at]]
            return self._starts[at + 1] - self._starts[at]
        tags[0] = self.everything
        return self.tags

    def tags_of(self, str form not None):
        """The numbers of the tags allowed for a word."""
        cdef const label_t *tags = NULL
        cdef Py_ssize_t count = self.candidates(text_hash(form), &tags), k
        return [tags[k] for k in range(count)]


def build_dictionary(sentences, Py_ssize_t tags, Py_ssize_t threshold):
    """The known tags of every word seen more than ``threshold`` times; sentences are (forms, tag numbers).

    >>> d = build_dictionary([(["a", "a", "b"], [0, 1, 2])], 3, 1)
    >>> d.tags_of("a"), d.tags_of("b")
    ([0, 1], [0, 1, 2])
    """
    count = Counter()
    seen = {}
    for forms, numbers in sentences:
        count.update(forms)
        for form, number in zip(forms, numbers):
            seen.setdefault(form, set()).add(number)
    frequent = sorted((text_hash(form), sorted(seen[form])) for form, times in count.items() if times > threshold)
    return TagDictionary(
        tags,
        np.array([word for word, _ in frequent], dtype=np.uint64),
        np.cumsum([0] + [len(known) for _, known in frequent], dtype=np.int64),
        np.array([number for _, known in frequent for number in known], dtype=np.uint16),
    )


cdef class AffixTags:
    """The set of tags seen with words that begin, or end, with a character, as one symbol: TS of Zhang & Clark."""

    def __cinit__(self, characters, symbols):
        self.characters, self.symbols = characters, symbols
        self._characters, self._symbols = characters, symbols
        if len(characters) != len(symbols) or not (characters[1:] > characters[:-1]).all():
            raise ValueError("the tag sets of characters are damaged")

    def arrays(self):
        """What a model file stores."""
        return {"characters": self.characters, "symbols": self.symbols}

    def fill(self, uint64_t[:, ::1] atoms not None, Py_ssize_t source, Py_ssize_t target):
        """Write the symbol of the character in one column into another; unseen characters share one symbol."""
        cdef Py_ssize_t i, at
        for i in range(atoms.shape[0]):
            at = place[uint64_t](self._characters, atoms[i, source])
            atoms[i, target] = self._symbols[at] if at >= 0 else 1


def build_affix_tags(sentences, bint last):
    """Tag sets by the first (or last) character of words of two characters and more."""
    seen = {}
    for forms, numbers in sentences:
        for form, number in zip(forms, numbers):
            if len(form) > 1:
                seen.setdefault(form[len(form) - 1] if last else form[0], set()).add(number)
    found = sorted((text_hash(c), text_hash(" ".join(map(str, sorted(numbers))))) for c, numbers in seen.items())
    return AffixTags(np.array([c for c, _ in found], dtype=np.uint64), np.array([s for _, s in found], dtype=np.uint64))
