"""The trained lemmatizer without its door: from a form and a tag to the lemmas it may have, with probabilities."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from plait.core._weights import Scorer
from plait.morphology._lemma_scoring import KnownLemmas, score_candidates
from plait.morphology.lemma_candidates import Scripts
from plait.morphology.lemma_features import LemmaTemplates, Tag, spell_form, spell_lemmas, tag_atoms
from plait.morphology.lemma_memory import Exceptions

GROUPS = ("edits", "lemmas")  # the weight tables
KEPT = 1 << 12  # tags whose atoms are remembered; treebanks have fewer


class LemmaModel:
    """p(lemma | form, tag) over what the edit scripts make of the form; what is an exception is certain."""

    def __init__(
        self,
        scripts: Scripts,
        of_form: LemmaTemplates,
        of_lemma: LemmaTemplates,
        tables: Mapping[str, Scorer],
        known: KnownLemmas,
        exceptions: Exceptions,
    ) -> None:
        self.scripts = scripts
        self.of_form = of_form
        self.of_lemma = of_lemma
        self.tables = dict(tables)
        self.known = known
        self.exceptions = exceptions
        self._tags: dict[Tag, npt.NDArray[np.uint64]] = {}

    def best(self, form: str, tag: Tag) -> tuple[str, float]:
        """The lemma of a word and its probability."""
        remembered = self.exceptions.find(form, tag)
        return (remembered, 1.0) if remembered is not None else self.chosen(form, tag)

    def chosen(self, form: str, tag: Tag) -> tuple[str, float]:
        """The same without the exceptions; the form itself where no script applies."""
        found = self.probabilities(form, tag)
        lemma = max(found, key=found.__getitem__, default=form)
        return lemma, found.get(lemma, 1.0)

    def probabilities(self, form: str, tag: Tag) -> dict[str, float]:
        """Every lemma that a script makes of the form; several scripts may make the same."""
        candidates, scores = self.scored(form, tag)
        if len(candidates) < 2:
            return {lemma: 1.0 for _, lemma in candidates}
        weight = np.exp(scores - scores.max())
        found: dict[str, float] = {}
        for (_, lemma), p in zip(candidates, (weight / weight.sum()).tolist(), strict=True):
            found[lemma] = found.get(lemma, 0.0) + p
        return found

    def scored(self, form: str, tag: Tag) -> tuple[list[tuple[int, str]], npt.NDArray[np.float64]]:
        """The candidates of a form and their scores; a single one has none to compare with."""
        candidates = self.scripts.candidates(form)
        if len(candidates) < 2:
            return candidates, np.zeros(len(candidates))
        atoms = self._tag_atoms(tag)
        numbers = np.array([number for number, _ in candidates])
        made = [lemma for _, lemma in candidates]
        of_form, of_lemma, upos = spell_form(form, self.of_form), spell_lemmas(made, form, self.of_lemma), tag[0]
        of_form[self.of_form.tag :] = atoms
        of_lemma[:, self.of_lemma.tag :] = atoms
        own = self.of_lemma.own
        of_lemma[:, own : own + 2] = np.array(self.known.levels(form, made, upos)).T
        scores = score_candidates(
            self.tables["edits"], self.tables["lemmas"], self.of_form.compiled, self.of_lemma.compiled,
            of_form, of_lemma, self.scripts.edits[numbers], self.scripts.casings[numbers],
        )  # fmt: skip
        return candidates, scores

    def _tag_atoms(self, tag: Tag) -> npt.NDArray[np.uint64]:
        atoms = self._tags.get(tag)
        if atoms is None:
            if len(self._tags) >= KEPT:
                self._tags.clear()
            atoms = self._tags[tag] = tag_atoms(tag)
        return atoms
