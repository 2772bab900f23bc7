"""The trained model of a lemmatizer: from a form and a tag to its candidate lemmas, with probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.core._templates import Templates
from plait.core._weights import Scorer
from plait.morphology._lemma_scoring import KnownLemmas, LemmaScorer, spelling_codes
from plait.morphology.lemma_candidates import Candidate, Scripts
from plait.morphology.lemma_exceptions import Exceptions
from plait.morphology.lemma_features import LemmaTemplates, Tag, casing_class, tag_atoms

GROUPS = ("edits", "lemmas")  # the weight tables
MAX_CACHED_TAGS = 1 << 12  # treebanks have fewer


@dataclass(eq=False, repr=False)
class LemmaModel:
    """p(lemma | form, tag) over the lemmas that edit scripts make of the form; exceptions have probability 1."""

    scripts: Scripts
    form_templates: LemmaTemplates
    lemma_templates: LemmaTemplates
    tables: Mapping[str, Scorer]
    known: KnownLemmas
    exceptions: Exceptions

    def __post_init__(self) -> None:
        form_templates, lemma_templates = _with_columns(self.form_templates), _with_columns(self.lemma_templates)
        edits, casings = self.scripts.edits, self.scripts.casings
        self._scorer = LemmaScorer(
            self.tables["edits"], self.tables["lemmas"], form_templates, lemma_templates, self.known, edits, casings
        )
        self._tags: dict[Tag, npt.NDArray[np.uint64]] = {}

    def best(self, form: str, tag: Tag) -> tuple[str, float]:
        """The lemma of a word and its probability."""
        remembered = self.exceptions.find(form, tag)
        return (remembered, 1.0) if remembered is not None else self.chosen(form, tag)

    def chosen(self, form: str, tag: Tag) -> tuple[str, float]:
        """The same without the exceptions; the form itself if no script applies."""
        candidates = self.scripts.candidates(form)
        if len(candidates) < 2:
            return (candidates[0][1] if candidates else form), 1.0
        return self._scorer.best(form, candidates, casing_class(form), self._tag_atoms(tag), tag[0])

    def probabilities(self, form: str, tag: Tag) -> dict[str, float]:
        """Every lemma that a script makes of the form; several scripts may make the same one."""
        candidates, scores = self.scored(form, tag)
        weight = np.exp(scores - scores.max(initial=-np.inf))
        found: dict[str, float] = {}
        for (_, lemma), p in zip(candidates, (weight / weight.sum()).tolist(), strict=True):
            found[lemma] = found.get(lemma, 0.0) + p
        return found

    def scored(self, form: str, tag: Tag) -> tuple[list[Candidate], npt.NDArray[np.float64]]:
        """The candidates of a form and their scores."""
        candidates = self.scripts.candidates(form)
        scores = self._scorer.scores(form, candidates, casing_class(form), self._tag_atoms(tag), tag[0])
        return candidates, scores

    def _tag_atoms(self, tag: Tag) -> npt.NDArray[np.uint64]:
        atoms = self._tags.get(tag)
        if atoms is None:
            if len(self._tags) >= MAX_CACHED_TAGS:
                self._tags.clear()
            atoms = self._tags[tag] = tag_atoms(tag)
        return atoms


def _with_columns(templates: LemmaTemplates) -> tuple[Templates, npt.NDArray[np.int32], int, int]:
    """Templates with their columns, as compiled code takes them."""
    codes = spelling_codes(templates.spelling)
    return templates.compiled, codes, templates.tag - templates.own, len(templates.columns)
