"""The templates of structured tags, and the atoms that they look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core._hashing import text_hash
from plait.features._words import WORD_COLUMNS, word_atoms
from plait.features.sequence import place_atom
from plait.features.templates import Template, compile_templates
from plait.features.word_resources import RESOURCE_COLUMNS, WordResources

LOWER_COLUMNS = tuple(f"l{name}" for name in WORD_COLUMNS if name.startswith(("pre", "suf")))
OWN_COLUMNS = ("k",)
COLUMNS = (*WORD_COLUMNS, *LOWER_COLUMNS, *OWN_COLUMNS, *RESOURCE_COLUMNS)
GIVEN = ("t", "tagged", "begins", "ends", "p")  # columns of other families, which stay empty here

Atoms = npt.NDArray[np.uint64]
COMMON = 3  # a word seen so often tells its neighbours which tags it had


class WordClasses:
    """The tags of common words, as one symbol for each set; damage is a ValueError."""

    def __init__(self, words: Atoms, symbols: Atoms) -> None:
        sound = words.ndim == 1 and words.dtype == symbols.dtype == np.uint64 and words.shape == symbols.shape
        if not sound or not (words[:-1] < words[1:]).all():
            raise ValueError("the classes of words are damaged")
        self.words = words  # hashes, ascending
        self.symbols = symbols

    @classmethod
    def build(cls, sentences: Iterable[tuple[Sequence[str], Sequence[str]]]) -> WordClasses:
        """From (forms, tags): the tags that make up a tenth and more of a word's, in the order of their frequency."""
        seen: dict[str, Counter[str]] = {}
        for forms, tags in sentences:
            for form, tag in zip(forms, tags, strict=True):
                seen.setdefault(form, Counter())[tag] += 1
        found = []
        for form, counts in seen.items():
            total = counts.total()
            if total >= COMMON:
                ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
                found.append((text_hash(form), text_hash("\t".join(t for t, c in ranked if 10 * c >= total))))
        found.sort()
        return cls(*(np.array([pair[k] for pair in found], dtype=np.uint64) for k in (0, 1)))

    def symbols_of(self, words: Atoms, others: Atoms) -> Atoms:
        """The symbols of some words, given by their form atoms; ``others`` for those that are not common."""
        if len(self.words) == 0:
            return others
        at = np.minimum(np.searchsorted(self.words, words), len(self.words) - 1)
        return np.where(self.words[at] == words, self.symbols[at], others)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What a model file stores."""
        return {"words": self.words, "symbols": self.symbols}


class MorphFeatures:
    """A template set split into those that look at the word alone (``form``) and the others (``context``)."""

    def __init__(self, templates: Sequence[Template], classes: WordClasses, resources: WordResources) -> None:
        self.templates = tuple(templates)
        self.classes = classes
        self.resources = resources
        known = tuple(column for column in COLUMNS if column not in GIVEN)
        places = {atom: place_atom(atom, known) for template in templates for atom in template.atoms}
        used = {column for column, _ in places.values()}
        resources.check(used)
        self.form_templates = tuple(t for t in templates if all(places[atom][1] == 0 for atom in t.atoms))
        self.context_templates = tuple(t for t in templates if t not in self.form_templates)
        # a word's columns: of the form itself, of its lower case, of the treebank, of word resources
        plain = dict.fromkeys(("w", "shape", "suf3", *(c for c in WORD_COLUMNS if c in used)))
        lower = [column for column in LOWER_COLUMNS if column in used]
        self.columns = (*plain, *lower, "k", *(column for column in RESOURCE_COLUMNS if column in used))
        self._plain, self._lower = list(plain), [column[1:] for column in lower]
        # the form, and what the context looks at: they alone are kept for every word of a sentence
        near = {"w", *(places[atom][0] for template in self.context_templates for atom in template.atoms)}
        self.near_columns = np.array([k for k, column in enumerate(self.columns) if column in near], dtype=np.int32)
        self.near = len(near)
        self.pad = max((abs(offset) for _, offset in places.values()), default=0)

        around = [self.columns[k] for k in self.near_columns]

        def near_place(atom: str) -> int:
            column, offset = places[atom]
            return offset * self.near + around.index(column)

        self.form = compile_templates(self.form_templates, lambda atom: self.columns.index(places[atom][0]))
        self.context = compile_templates(self.context_templates, near_place)

    @property
    def lexical(self) -> list[bool]:
        """Which templates, form before context, know the word itself: they are hidden where it is to be unknown."""
        marks = ("w", "low", "lsuf6", "lsuf7", "lsuf8", "lsuf9", "lsuf10", "lpre6", "lpre5", "bits")
        return [
            any(place_atom(atom, COLUMNS) in {(mark, 0) for mark in marks} for atom in template.atoms)
            for template in (*self.form_templates, *self.context_templates)
        ]

    def form_atoms(self, forms: Sequence[str]) -> Atoms:
        """[forms][columns]: what the columns say of these words, whatever stands around them."""
        return self._complete(forms, 0)

    def boundary(self) -> tuple[Atoms, Atoms]:
        """The rows before and after a sentence."""
        both = self._complete([], 1)
        return both[0], both[1]

    def _complete(self, forms: Sequence[str], pad: int) -> Atoms:
        own, lower = len(self._plain), len(self._plain) + len(self._lower)
        out = word_atoms(forms, self._plain, pad, len(self.columns) - own)
        out[:, own:lower] = word_atoms([form.lower() for form in forms], self._lower, pad)
        out[:, lower] = self.classes.symbols_of(out[:, 0], out[:, 1] ^ out[:, 2])  # of a rare word: shape and ending
        if self.resources:
            self.resources.fill(out[pad : pad + len(forms)], self.columns, forms)
        return out
