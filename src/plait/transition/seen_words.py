"""How often a string was a word in the training data, beside how often it stood in its text.

A segmenter that looks at characters does not know the words it has seen as such, and the weights of a word's form are
learnt only where the word had competitors. So a word that was unambiguous throughout the training data would be as good
as unknown at its first ambiguous occurrence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from plait.arrays import AnyArray, UInt8Array, UInt64Array
from plait.features._words import word_atoms

SEEN_COLUMNS = ("seen", "bound")  # the class of how often it was a word, and that of how often where it stood
LONGEST = 5  # characters of a string that is looked for in the text; a longer word stands where it is one
OFTEN = (3, 8)  # times that a string stood in the text without ever being a word
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
NEW = 1  # the class of what was not seen, in either column
MOST_SEEN = 8  # classes of counts: none, 1, 2 to 3, 4 to 7, ... 64 and more
MOST_BOUND = NEW + len(OFTEN) + len(SHARES) + 1


@dataclass(frozen=True, eq=False, repr=False)
class SeenWords:
    """Classes of the strings of a treebank, by their hashes.

    >>> seen = SeenWords.of([("大学生活", ["大学", "生活"]), ("大学生", ["大", "学生"])])
    >>> seen.atoms(["大学", "学", "北京"]).tolist()
    [[2, 7], [1, 1], [1, 1]]
    """

    keys: UInt64Array  # sorted
    classes: UInt8Array  # [keys][SEEN_COLUMNS]

    @classmethod
    def of(cls, texts: Iterable[tuple[str, Sequence[str]]]) -> Self:
        """From texts with their words."""
        words: Counter[str] = Counter()
        strings: Counter[str] = Counter()
        for text, forms in texts:
            words.update(forms)
            for length in range(1, LONGEST + 1):
                strings.update(text[k : k + length] for k in range(len(text) - length + 1))
        found = {form: (seen_class(count), bound_class(count, strings[form])) for form, count in words.items()}
        for string, count in strings.items():
            if count >= OFTEN[0] and string not in words:
                found[string] = NEW, bound_class(0, count)
        keys = _keys([*found])
        order = np.argsort(keys)
        return cls(keys[order], np.array([*found.values()], dtype=np.uint8).reshape(-1, 2)[order])

    def atoms(self, forms: Sequence[str]) -> UInt8Array:
        """[forms][SEEN_COLUMNS]."""
        found = np.full((len(forms), len(SEEN_COLUMNS)), NEW, dtype=np.uint8)
        if len(self.keys):
            wanted = _keys(forms)
            places = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
            known = self.keys[places] == wanted
            found[known] = self.classes[places[known]]
        return found

    def arrays(self) -> dict[str, AnyArray]:
        """What a model file stores."""
        return {"keys": self.keys, "classes": self.classes}

    @classmethod
    def from_arrays(cls, keys: AnyArray, classes: AnyArray) -> Self:
        """The inverse; damage is a ValueError."""
        if keys.dtype != np.uint64 or classes.dtype != np.uint8 or classes.shape != (len(keys), len(SEEN_COLUMNS)):
            raise ValueError("seen words of another shape")
        if (keys[1:] <= keys[:-1]).any():
            raise ValueError("seen words that are not sorted")
        return cls(keys, classes)


def _keys(strings: Sequence[str]) -> UInt64Array:
    return word_atoms(strings, ("w",), 0)[:, 0]


def seen_class(count: int) -> int:
    """The class of how often a string was a word."""
    return min(NEW + count.bit_length(), MOST_SEEN)


def bound_class(count: int, strings: int) -> int:
    """The class of how often a string was a word, of the times that it stood in the text.

    >>> [bound_class(*counts) for counts in [(0, 2), (0, 3), (0, 99), (1, 20), (1, 2), (9, 9)]]
    [1, 2, 3, 4, 7, 10]
    """
    if count == 0:
        return NEW + sum(strings >= least for least in OFTEN)
    return NEW + len(OFTEN) + 1 + sum(count >= share * strings for share in SHARES)
