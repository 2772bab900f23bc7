"""The templates of structured tags, and the atoms that they look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from plait.arrays import AnyArray, UInt8Array, UInt64Array
from plait.core._hashing import text_hash
from plait.features._words import WORD_COLUMNS, word_atoms
from plait.features.sequence import place_atom
from plait.features.templates import Template, compile_templates
from plait.features.word_resources import RESOURCE_COLUMNS, WordResources
from plait.morphology._forms import FormAtoms
from plait.morphology._nearest import fill_classes

LOWER_COLUMNS = tuple(f"l{name}" for name in WORD_COLUMNS if name.startswith(("pre", "suf")))
WORD_KINDS = {"verb": ("VERB", "AUX"), "prep": ("ADP",), "stop": ("PUNCT", "SCONJ")}
NEAREST_COLUMNS = (*WORD_KINDS, "lverb", "rverb", "lprep")  # see _nearest.pxd
TREEBANK_COLUMNS = ("k", *NEAREST_COLUMNS)
ENDING_COLUMNS = ("w", "shape", "suf3")
COLUMNS = (*WORD_COLUMNS, *LOWER_COLUMNS, *TREEBANK_COLUMNS, *RESOURCE_COLUMNS)
UNUSED_COLUMNS = ("t", "tagged", "begins", "ends", "p")  # columns of other systems, which stay empty here

MIN_COUNT = 3  # words seen less often are classified by their shape and ending


class WordClasses:
    """The tags of common words, as one symbol for each set, and which words are usually verbs, prepositions and ends of
    clauses. Rare words are classified by shape and ending; damage is a ValueError.
    """

    def __init__(self, words: UInt64Array, symbols: UInt64Array, kinds: UInt8Array) -> None:
        sound = words.ndim == 1 and words.dtype == symbols.dtype == np.uint64 and words.shape == symbols.shape
        sound = sound and kinds.dtype == np.uint8 and kinds.shape == words.shape
        if not sound or not (words[:-1] < words[1:]).all() or (kinds > len(WORD_KINDS)).any():
            raise ValueError("the classes of words are damaged")
        self.words = words  # hashes of common forms, or of shapes with endings; ascending
        self.symbols = symbols
        self.kinds = kinds  # of WORD_KINDS, from 1; 0: none of them

    @classmethod
    def build(cls, sentences: Iterable[tuple[Sequence[str], Sequence[str]]]) -> WordClasses:
        """From (forms, tags): the tags that make up at least a tenth of a word's occurrences, most frequent first."""
        seen: dict[str, Counter[str]] = {}
        for forms, tags in sentences:
            for form, tag in zip(forms, tags, strict=True):
                seen.setdefault(form, Counter())[tag] += 1
        found: dict[int, tuple[int, int]] = {}
        endings: dict[int, Counter[str]] = {}
        atoms = word_atoms(list(seen), ENDING_COLUMNS, 0).tolist()
        for (word, shape, ending), counts in zip(atoms, seen.values(), strict=True):
            total = counts.total()
            if total >= MIN_COUNT:
                ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
                symbol = text_hash("\t".join(tag for tag, count in ranked if 10 * count >= total))
                found[word] = symbol, _kind(counts)
            else:
                endings.setdefault(shape ^ ending, Counter()).update(counts)
        for symbol, counts in endings.items():
            if counts.total() >= MIN_COUNT and _kind(counts):
                found.setdefault(symbol, (symbol, _kind(counts)))
        rows = sorted((word, *row) for word, row in found.items())
        words, symbols, kinds = zip(*rows, strict=True) if rows else ((), (), ())
        return cls(np.array(words, np.uint64), np.array(symbols, np.uint64), np.array(kinds, np.uint8))

    def fill(self, atoms: UInt64Array, column: int) -> None:
        """Write classes and kinds of words into a matrix, from this column on; see ``fill_classes``."""
        fill_classes(atoms, column, self.words, self.symbols, self.kinds)

    def arrays(self) -> dict[str, AnyArray]:
        """What a model file stores."""
        return {"words": self.words, "symbols": self.symbols, "kinds": self.kinds}


def _kind(counts: Counter[str]) -> int:
    """The number of the kind to which at least two thirds of the occurrences belong; 0: none."""
    for number, tags in enumerate(WORD_KINDS.values(), 1):
        if 3 * sum(counts[tag] for tag in tags) >= 2 * counts.total():
            return number
    return 0


class MorphFeatures:
    """A template set split into those that look at the word alone (``form``) and the others (``context``)."""

    def __init__(self, templates: Sequence[Template], classes: WordClasses, resources: WordResources) -> None:
        self.templates = tuple(templates)
        self.classes = classes
        self.resources = resources
        known = tuple(column for column in COLUMNS if column not in UNUSED_COLUMNS)
        places = {atom: place_atom(atom, known) for template in templates for atom in template.atoms}
        used = {column for column, _ in places.values()}
        resources.check(used)
        around_it = {atom for atom, (column, offset) in places.items() if offset or column in NEAREST_COLUMNS[3:]}
        self.form_templates = tuple(t for t in templates if around_it.isdisjoint(t.atoms))
        self.context_templates = tuple(t for t in templates if t not in self.form_templates)
        # a word's columns: of the form itself, of its lower case, of the treebank, of word resources
        plain = dict.fromkeys((*ENDING_COLUMNS, *(c for c in WORD_COLUMNS if c in used)))
        lower = [column for column in LOWER_COLUMNS if column in used]
        self.columns = (*plain, *lower, *TREEBANK_COLUMNS, *(column for column in RESOURCE_COLUMNS if column in used))
        self._plain, self._lower = list(plain), [column[1:] for column in lower]
        # the form and the columns that context templates use: only these are kept for every word of a sentence
        near = {"w", *(places[atom][0] for template in self.context_templates for atom in template.atoms)}
        uses_nearest = not near.isdisjoint(NEAREST_COLUMNS[3:])
        near |= set(NEAREST_COLUMNS) if uses_nearest else set()
        self.context_columns = np.array([k for k, column in enumerate(self.columns) if column in near], dtype=np.int32)
        self.context_width = len(near)
        self.pad = max((abs(offset) for _, offset in places.values()), default=0)

        around = [self.columns[k] for k in self.context_columns]
        self.nearest_columns = np.array(
            [around.index(c) if uses_nearest else -1 for c in NEAREST_COLUMNS], dtype=np.int32
        )

        def near_place(atom: str) -> int:
            column, offset = places[atom]
            return offset * self.context_width + around.index(column)

        own = len(self.columns) - len(plain) - len(lower)
        self.form_rows = FormAtoms(self._plain, self._lower, classes.words, classes.symbols, classes.kinds, own)
        self.form = compile_templates(self.form_templates, lambda atom: self.columns.index(places[atom][0]))
        self.context = compile_templates(self.context_templates, near_place)

    @property
    def lexical(self) -> list[bool]:
        """Which templates, form before context, look at the word itself: they do not fire for hidden words."""
        marks = ("w", "low", "lsuf6", "lsuf7", "lsuf8", "lsuf9", "lsuf10", "lpre6", "lpre5", "bits")
        return [
            any(place_atom(atom, COLUMNS) in {(mark, 0) for mark in marks} for atom in template.atoms)
            for template in (*self.form_templates, *self.context_templates)
        ]

    def form_atoms(self, forms: Sequence[str]) -> UInt64Array:
        """[forms][columns]: the atoms of these words, independent of their context."""
        out = self.form_rows.table(forms)
        if self.resources:
            self.resources.fill(out, self.columns, forms)
        return out

    def boundary(self) -> tuple[UInt64Array, UInt64Array]:
        """The rows before and after a sentence."""
        own, lower = len(self._plain), len(self._plain) + len(self._lower)
        both = word_atoms([], self._plain, 1, len(self.columns) - own)
        both[:, own:lower] = word_atoms([], self._lower, 1)
        self.classes.fill(both, lower)
        return both[0], both[1]
