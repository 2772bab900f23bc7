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
from plait.morphology._forms import FormAtoms
from plait.morphology._reach import fill_classes

LOWER_COLUMNS = tuple(f"l{name}" for name in WORD_COLUMNS if name.startswith(("pre", "suf")))
KINDS = {"verb": ("VERB", "AUX"), "prep": ("ADP",), "stop": ("PUNCT", "SCONJ")}
REACH_COLUMNS = (*KINDS, "lverb", "rverb", "lprep")  # see _reach.pxd
OWN_COLUMNS = ("k", *REACH_COLUMNS)
ENDING = ("w", "shape", "suf3")
COLUMNS = (*WORD_COLUMNS, *LOWER_COLUMNS, *OWN_COLUMNS, *RESOURCE_COLUMNS)
GIVEN = ("t", "tagged", "begins", "ends", "p")  # columns of other families, which stay empty here

Atoms = npt.NDArray[np.uint64]
COMMON = 3  # a word seen so often tells its neighbours which tags it had


class WordClasses:
    """The tags of common words, as one symbol for each set, and which words are usually verbs, prepositions and ends of
    clauses. Rare words go by their shape and ending; damage is a ValueError.
    """

    def __init__(self, words: Atoms, symbols: Atoms, kinds: npt.NDArray[np.uint8]) -> None:
        sound = words.ndim == 1 and words.dtype == symbols.dtype == np.uint64 and words.shape == symbols.shape
        sound = sound and kinds.dtype == np.uint8 and kinds.shape == words.shape
        if not sound or not (words[:-1] < words[1:]).all() or (kinds > len(KINDS)).any():
            raise ValueError("the classes of words are damaged")
        self.words = words  # hashes of common forms, or of shapes with endings; ascending
        self.symbols = symbols
        self.kinds = kinds  # of KINDS, from 1; 0: none of them

    @classmethod
    def build(cls, sentences: Iterable[tuple[Sequence[str], Sequence[str]]]) -> WordClasses:
        """From (forms, tags): the tags that make up a tenth and more of a word's, in the order of their frequency."""
        seen: dict[str, Counter[str]] = {}
        for forms, tags in sentences:
            for form, tag in zip(forms, tags, strict=True):
                seen.setdefault(form, Counter())[tag] += 1
        found: dict[int, tuple[int, int]] = {}
        endings: dict[int, Counter[str]] = {}
        atoms = word_atoms(list(seen), ENDING, 0).tolist()
        for (word, shape, ending), counts in zip(atoms, seen.values(), strict=True):
            total = counts.total()
            if total >= COMMON:
                ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
                symbol = text_hash("\t".join(tag for tag, count in ranked if 10 * count >= total))
                found[word] = symbol, _kind(counts)
            else:
                endings.setdefault(shape ^ ending, Counter()).update(counts)
        for symbol, counts in endings.items():
            if counts.total() >= COMMON and _kind(counts):
                found.setdefault(symbol, (symbol, _kind(counts)))
        rows = sorted((word, *row) for word, row in found.items())
        words, symbols, kinds = zip(*rows, strict=True) if rows else ((), (), ())
        return cls(np.array(words, np.uint64), np.array(symbols, np.uint64), np.array(kinds, np.uint8))

    def fill(self, atoms: Atoms, column: int) -> None:
        """Write classes and kinds of words into a matrix, from this column on; see ``fill_classes``."""
        fill_classes(atoms, column, self.words, self.symbols, self.kinds)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What a model file stores."""
        return {"words": self.words, "symbols": self.symbols, "kinds": self.kinds}


def _kind(counts: Counter[str]) -> int:
    """The number of the kind to which two thirds of some occurrences belong; 0: to none."""
    for number, tags in enumerate(KINDS.values(), 1):
        if 3 * sum(counts[tag] for tag in tags) >= 2 * counts.total():
            return number
    return 0


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
        around_it = {atom for atom, (column, offset) in places.items() if offset or column in REACH_COLUMNS[3:]}
        self.form_templates = tuple(t for t in templates if around_it.isdisjoint(t.atoms))
        self.context_templates = tuple(t for t in templates if t not in self.form_templates)
        # a word's columns: of the form itself, of its lower case, of the treebank, of word resources
        plain = dict.fromkeys((*ENDING, *(c for c in WORD_COLUMNS if c in used)))
        lower = [column for column in LOWER_COLUMNS if column in used]
        self.columns = (*plain, *lower, *OWN_COLUMNS, *(column for column in RESOURCE_COLUMNS if column in used))
        self._plain, self._lower = list(plain), [column[1:] for column in lower]
        # the form, and what the context looks at: they alone are kept for every word of a sentence
        near = {"w", *(places[atom][0] for template in self.context_templates for atom in template.atoms)}
        reaches = not near.isdisjoint(REACH_COLUMNS[3:])
        near |= set(REACH_COLUMNS) if reaches else set()
        self.near_columns = np.array([k for k, column in enumerate(self.columns) if column in near], dtype=np.int32)
        self.near = len(near)
        self.pad = max((abs(offset) for _, offset in places.values()), default=0)

        around = [self.columns[k] for k in self.near_columns]
        self.reach = np.array([around.index(c) if reaches else -1 for c in REACH_COLUMNS], dtype=np.int32)

        def near_place(atom: str) -> int:
            column, offset = places[atom]
            return offset * self.near + around.index(column)

        own = len(self.columns) - len(plain) - len(lower)
        self.rows = FormAtoms(self._plain, self._lower, classes.words, classes.symbols, classes.kinds, own)
        self.form = compile_templates(self.form_templates, lambda atom: self.columns.index(places[atom][0]))
        self.context = compile_templates(self.context_templates, near_place)

    @property
    def lexical(self) -> list[bool]:
        """Which templates, form before context, know the word itself: they are hidden for unknown words."""
        marks = ("w", "low", "lsuf6", "lsuf7", "lsuf8", "lsuf9", "lsuf10", "lpre6", "lpre5", "bits")
        return [
            any(place_atom(atom, COLUMNS) in {(mark, 0) for mark in marks} for atom in template.atoms)
            for template in (*self.form_templates, *self.context_templates)
        ]

    def form_atoms(self, forms: Sequence[str]) -> Atoms:
        """[forms][columns]: what the columns say of these words, whatever stands around them."""
        out = self.rows.table(forms)
        if self.resources:
            self.resources.fill(out, self.columns, forms)
        return out

    def boundary(self) -> tuple[Atoms, Atoms]:
        """The rows before and after a sentence."""
        own, lower = len(self._plain), len(self._plain) + len(self._lower)
        both = word_atoms([], self._plain, 1, len(self.columns) - own)
        both[:, own:lower] = word_atoms([], self._lower, 1)
        self.classes.fill(both, lower)
        return both[0], both[1]
