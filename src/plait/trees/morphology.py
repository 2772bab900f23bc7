"""Morphology inside a parser: FEATS and lemmas for templates, predicted by separate systems.

Both are systems of the registry, by name, and part of the parser's model file. A parser whose tags include FEATS needs
only the lemmatizer.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from plait.arrays import AnyArray, UInt64Array
from plait.core._hashing import text_hash
from plait.data.document import Sentence
from plait.data.tags import JOINT
from plait.errors import OptionError
from plait.features.feats import LEMMA, FeatsAtoms, is_of_feats, unknown_features
from plait.features.templates import Template, load_templates, united
from plait.system import Parts, System, find_system
from plait.system.modelparts import joined_parts, nested_parts, open_nested
from plait.system.request import PLAIN

TAGGER, LEMMATIZER = "morph-tagger", "lemmatizer"
PARTS = {"morphology": TAGGER, "lemmatizer": LEMMATIZER}  # their names in a model file
KEEP = dataclasses.replace(PLAIN, constrain=True)


MORPHOLOGY_HELP = (
    "predict FEATS and lemmas before parsing, with internal systems, and use case, agreement and lemmas; auto: if "
    "FEATS are informative"
)
MORPHOLOGY_CHOICES = ("auto", "on", "off")


class SeenMorphology(NamedTuple):
    """The morphology available to templates: all FEATS (None without a tagger), and whether there are lemmas."""

    feats: tuple[str, ...] | None = None
    lemmas: bool = False

    def extended(
        self, templates: tuple[Template, ...], table: str, of_feats: str, of_lemmas: str
    ) -> tuple[Template, ...]:
        """Templates, and the sets of a table that look at FEATS and at lemmas where there are any."""
        if self.feats is not None:
            templates = united(templates, load_templates(of_feats, table))
        return united(templates, load_templates(of_lemmas, table)) if self.lemmas else templates


NO_MORPHOLOGY = SeenMorphology()


def check_morphology(
    used: Iterable[str], feats: Sequence[str] | None, *, agreement: bool, lemmas: bool
) -> tuple[str, ...]:
    """The columns of FEATS among those that templates use; an OptionError for what is not there.

    ``feats`` are all FEATS there are, None without any; ``lemmas``: whether there are lemmas.
    """
    of_feats = tuple(sorted(filter(is_of_feats, used)))
    for what, missing in (
        ("FEATS", feats is None and (of_feats or agreement)),
        ("lemmas", not lemmas and LEMMA in used),
    ):
        if missing:
            raise OptionError(f"the feature templates use {what}; train with --morphology on, on data that has them")
    if unknown := unknown_features(of_feats, feats or ()):
        raise OptionError(f"the feature templates use {', '.join(unknown)}, a feature that the data does not have")
    return of_feats


class MorphologyColumns:
    """The columns of analysed words for templates: FEATS and lemmas, then agreement slots.

    >>> columns = MorphologyColumns(["w", "feat:Case", "lemma"], SeenMorphology(("Case=Nom",), True), agreement=True)
    >>> columns.columns, columns.slots
    (('feat:Case', 'lemma'), ('Case',))
    """

    def __init__(self, used: Iterable[str], seen: SeenMorphology, *, agreement: bool) -> None:
        used = set(used)
        feats = check_morphology(used, seen.feats, agreement=agreement, lemmas=seen.lemmas)
        self._feats = FeatsAtoms(feats, seen.feats or (), agreement=agreement)
        self._lemmas = LEMMA in used
        self.columns = (*feats, *((LEMMA,) if self._lemmas else ()))
        self.slots = self._feats.slots
        self.width = len(self.columns) + len(self.slots)

    def atoms(self, analysed: Sentence) -> UInt64Array:
        """[words][columns and slots], 0 for missing values."""
        rows, feats = self._feats.rows(analysed.feats), len(self._feats.columns)
        if not self._lemmas:
            return rows
        return np.hstack([rows[:, :feats], lemma_atoms(analysed), rows[:, feats:]])


@dataclasses.dataclass(frozen=True)
class Morphology:
    """A tagger of FEATS and a lemmatizer, either of which may be missing."""

    tagger: System | None = None
    lemmatizer: System | None = None

    @cached_property
    def predicts(self) -> tuple[str, ...]:
        """The columns that it fills."""
        return (*(("feats",) if self.tagger is not None else ()), *(("lemmas",) if self.lemmatizer is not None else ()))

    @property
    def seen(self) -> SeenMorphology:
        """The morphology available to templates."""
        tagger: Any = self.tagger
        feats = None
        if tagger is not None:
            at = tagger.columns.columns.index("feats")
            feats = tuple(tag.split(JOINT)[at] for tag in tagger.tags)
        return SeenMorphology(feats, self.lemmatizer is not None)

    def analysed(self, sentence: Sentence, *, keep: bool = False) -> Sentence:
        """A copy with FEATS and lemmas; ``keep``: those of the sentence are kept.

        The lemmatizer uses the tags predicted by the tagger, or without one those of the sentence.
        """
        found = sentence.copy()
        for system in (self.tagger, self.lemmatizer):
            if system is not None and keep:
                system.annotate_with(found, KEEP)
            elif system is not None:
                system.annotate(found)
        return found

    def write(self, sentence: Sentence, analysed: Sentence) -> None:
        """Copy the predicted columns to the sentence."""
        for column in self.predicts:
            setattr(sentence, column, list(getattr(analysed, column)))

    def parts(self) -> Parts:
        """Both systems, for the model file of the parser."""
        both = zip(PARTS, (self.tagger, self.lemmatizer), strict=True)
        return joined_parts(*(nested_parts(part, system) for part, system in both if system is not None))

    @property
    def training(self) -> dict[str, Any]:
        """The training records, by part."""
        both = zip(PARTS, (self.tagger, self.lemmatizer), strict=True)
        return {part: system.training for part, system in both if system is not None}


NO_SYSTEMS = Morphology()


def open_morphology(header: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> Morphology:
    """The inverse of ``Morphology.parts``; the systems that the model file has."""
    found = [
        open_nested(part, find_system(name), header, arrays) if part in header else None for part, name in PARTS.items()
    ]
    return Morphology(*found)


def lemma_atoms(sentence: Sentence) -> UInt64Array:
    """[words][1]: the lemmas, 0 where there is none."""
    atoms = [0 if lemma == "_" else text_hash(lemma) for lemma in sentence.lemmas]
    return np.array(atoms, dtype=np.uint64).reshape(-1, 1)
