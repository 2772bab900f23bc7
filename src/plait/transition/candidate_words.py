"""The candidate words of a sentence for the search: the lattice, and the neighbours of each word."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import exp, log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from plait.arrays import AnyArray, Int64Array, UInt64Array
from plait.core._hashing import text_hash
from plait.data.word_lattice import WordLattice
from plait.transition._lattice import Lattice
from plait.transition.seen_words import SEEN_COLUMNS, SeenWords

STEPS = 8  # of the logarithm of the odds, up and down from even odds
EDGE = text_hash("\n")  # the character beyond the first and the last


class Entry(NamedTuple):
    """One candidate word. All words of a multiword token have its offsets."""

    begin: tuple[int, int]  # unit, and number within the surface token
    end: tuple[int, int]
    form: str
    offsets: tuple[int, int]
    probability: float
    own: bool  # of the segmenter's best analysis
    continues: bool  # the surface token of the word before


@dataclass(frozen=True, eq=False, repr=False)
class CandidateWords:
    """Words that compete for the same characters, sorted by beginning and end; numbers count from 0 here."""

    text: str
    entries: tuple[Entry, ...]
    tags: Mapping[int, str] = field(default_factory=dict)  # that some of them must have

    @classmethod
    def of(cls, text: str, lattice: WordLattice, parts: Callable[[str], Sequence[str]]) -> CandidateWords:
        """From a segmenter's lattice over a text; ``parts`` are the words of a surface token."""
        entries: list[Entry] = []
        for word in lattice.words:
            offsets = word.start, word.end
            # white space inside a word is one space, as the sentence will have it
            surface = " ".join(text[word.start : word.end].split())
            forms = (surface,) if offsets in lattice.whole else parts(surface)
            for k, form in enumerate(forms):
                end = (word.last, 0) if k == len(forms) - 1 else (word.first, k + 1)
                own = offsets in lattice.best
                entries.append(Entry((word.first, k), end, form, offsets, word.probability, own, continues=k > 0))
        entries.sort(key=lambda entry: (entry.begin, entry.end))
        tags = {
            k: lattice.tags[entry.offsets]
            for k, entry in enumerate(entries)
            if entry.offsets in lattice.tags and text[slice(*entry.offsets)] == entry.form
        }
        return cls(text, tuple(entries), tags)

    @classmethod
    def given(cls, forms: Sequence[str]) -> CandidateWords:
        """Given words, without competitors."""
        entries = [
            Entry((k, 0), (k + 1, 0), form, (k, k + 1), 1.0, own=True, continues=False) for k, form in enumerate(forms)
        ]
        return cls(" " * len(forms), tuple(entries))

    @cached_property
    def forms(self) -> list[str]:
        """The forms of all candidates."""
        return [entry.form for entry in self.entries]

    @cached_property
    def _places(self) -> dict[tuple[int, int], int]:
        return {key: place for place, key in enumerate(sorted({entry.begin for entry in self.entries}))}

    @cached_property
    def begins(self) -> list[int]:
        """The position before each word."""
        return [self._places[entry.begin] for entry in self.entries]

    @cached_property
    def ends(self) -> list[int]:
        """The position behind each word."""
        return [self._places.get(entry.end, len(self._places)) for entry in self.entries]

    @cached_property
    def _onward(self) -> list[int]:
        """The best word that starts at each position: the segmenter's, or the most probable; −1 at the end."""
        return self._best_at(self.begins)

    @cached_property
    def _backward(self) -> list[int]:
        """The best word that ends at each position; −1 at the beginning."""
        return self._best_at(self.ends)

    def _best_at(self, positions: Sequence[int]) -> list[int]:
        best = [-1] * (len(self._places) + 1)
        ranks = [(entry.own, entry.probability) for entry in self.entries]
        for k, position in enumerate(positions):
            if best[position] < 0 or ranks[k] > ranks[best[position]]:
                best[position] = k
        return best

    @cached_property
    def lattice(self) -> Lattice:
        """For the search."""
        return Lattice(self.begins, self.ends, [k + 1 for k in self._onward[:-1]])

    def beside(self, by: int) -> Int64Array:
        """The word ``by`` positions from each word, following the segmenter's best path; −1: none."""
        best, positions = (self._onward, self.ends) if by > 0 else (self._backward, self.begins)
        step = [best[position] for position in positions]
        found = list(range(len(step)))
        for _ in range(abs(by)):
            found = [step[k] if k >= 0 else -1 for k in found]
        return np.array(found, dtype=np.int64)

    @cached_property
    def paths(self) -> list[list[int]]:
        """A few segmentations that together contain all candidates, the best one first, as input of a tagger."""
        found = [[word - 1 for word in self.lattice.path]]
        missing = set(range(len(self.entries))) - set(found[0])
        while missing:
            found.append(self._path_through(missing))
            missing -= set(found[-1])
        return found

    @cached_property
    def _small_logs(self) -> list[float]:
        """Logarithms of the probabilities, scaled so that the sum over a sentence is less than one word."""
        return [1e-3 * log(max(entry.probability, 1e-9)) for entry in self.entries]

    def _path_through(self, wanted: set[int]) -> list[int]:
        """The segmentation with most of the wanted words; ties are broken by probability."""
        length = len(self._places)
        values = [0.0] * (length + 1)
        choice = [-1] * length
        begins, ends, likely = self.begins, self.ends, self._small_logs
        for k in range(len(likely) - 1, -1, -1):
            at = begins[k]
            value = values[ends[k]] + (k in wanted) + likely[k]
            if choice[at] < 0 or value > values[at]:
                values[at], choice[at] = value, k
        path, at = [], 0
        while at < length:
            path.append(choice[at])
            at = self.ends[choice[at]]
        return path

    def only(self, chosen: Sequence[int]) -> CandidateWords:
        """Some of the words that follow one another, without their competitors."""
        tags = {place: self.tags[k] for place, k in enumerate(chosen) if k in self.tags}
        return CandidateWords(self.text, tuple(self.entries[k] for k in chosen), tags)

    def find(self, spans: Sequence[tuple[int, int]], counts: Sequence[int]) -> list[int] | None:
        """The numbers of the words of surface tokens, given by offsets and numbers of words; None if one is missing."""
        known: dict[tuple[int, int], list[int]] = {}
        for k, entry in enumerate(self.entries):
            known.setdefault(entry.offsets, []).append(k)
        found = [known.get(span, []) for span in spans]
        if [len(words) for words in found] != list(counts):
            return None
        return [k for words in found for k in words]

    def atoms(self, columns: Sequence[str], seen_words: SeenWords | None = None) -> UInt64Array:
        """[words][columns]: see ``LATTICE_COLUMNS``; those of ``SEEN_COLUMNS`` are for a model that has such words."""
        spans = np.array([entry.offsets for entry in self.entries], dtype=np.int64)
        first, last = spans[:, 0].min(), spans[:, 1].max()  # of the sentence; the text may hold more
        inside = [text_hash(character) for character in self.text[first:last]]
        around = np.array([EDGE, EDGE, *inside, EDGE, EDGE], dtype=np.uint64)
        begins, ends = (spans - first + 2).T
        seen: dict[str, Callable[[], npt.ArrayLike]] = {
            "prob": lambda: odds([entry.probability for entry in self.entries]),
            "own": lambda: [1 + entry.own for entry in self.entries],
            "before": lambda: around[begins - 1],
            "before2": lambda: around[begins - 2],
            "after": lambda: around[ends],
            "after2": lambda: around[ends + 1],
        }
        found = {column: seen[column]() for column in columns if column in seen}
        if seen_words is not None:
            found |= zip(SEEN_COLUMNS, seen_words.atoms(self.forms).T, strict=True)
        return np.stack([np.asarray(found[column], dtype=np.uint64) for column in columns], axis=1)


def over_paths(words: CandidateWords, tag: Callable[[Sequence[str]], AnyArray]) -> AnyArray:
    """A tagger's row for each candidate word, from the first path that contains it."""
    first, *others = words.paths
    rows = tag([words.entries[k].form for k in first])
    found = np.empty((len(words.entries), rows.shape[1]), dtype=rows.dtype)
    for path in reversed(others):  # so that the first path with a word is the last to say something of it
        found[path] = tag([words.entries[k].form for k in path])
    found[first] = rows
    return found


# probabilities at which the rounded logarithm of the odds grows
_BOUNDS = np.array([1.0 / (1.0 + exp(0.5 - step)) for step in range(1 - STEPS, STEPS + 1)])


def odds(probabilities: Sequence[float]) -> Int64Array:
    """The log odds in integer steps, from 1 on.

    >>> odds([0.0, 0.5, 0.9, 1.0]).tolist()
    [1, 9, 11, 17]
    """
    return 1 + np.searchsorted(_BOUNDS, probabilities)
