"""The trained model of a lemmatizer: from a form and a tag to its candidate lemmas, with probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from plait.arrays import Float64Array, Int32Array
from plait.core._weights import Scorer
from plait.data.feats import tidy_feats
from plait.morphology._known_words import KnownLemmas, KnownWords
from plait.morphology._lemma_finder import LemmaFinder
from plait.morphology._lemma_scoring import LemmaScorer, spelling_codes
from plait.morphology._word_tag import WordTag
from plait.morphology.lemma_candidates import Candidate, Scripts
from plait.morphology.lemma_exceptions import Exceptions
from plait.morphology.lemma_features import LemmaTemplates, Tag

GROUPS = ("edits", "lemmas")  # the weight tables


@dataclass(eq=False, repr=False)
class LemmaModel:
    """p(lemma | form, tag) over the lemmas that edit scripts make of the form; exceptions have probability 1."""

    scripts: Scripts
    form_templates: LemmaTemplates
    lemma_templates: LemmaTemplates
    tables: Mapping[str, Scorer]
    known: KnownLemmas
    exceptions: Exceptions
    words: KnownWords | None = None  # None: a model of an older version
    tidy: bool = True  # whether FEATS are looked up in order; older models know them as their treebank has them

    def __post_init__(self) -> None:
        forms, lemmas, scripts = self.form_templates, self.lemma_templates, self.scripts
        groups, of_tag = lemmas.groups()
        self._scorer = LemmaScorer(
            self.tables["edits"],
            self.tables["lemmas"],
            (forms.compiled, *_columns(forms)),
            (groups, *_columns(lemmas)),
            of_tag,
            scripts.index,
            self.known,
            scripts.edits,
            scripts.casings,
        )
        self.finder = self._make_finder()
        if self.words is not None and (self.words.scripts() >= len(scripts)).any():
            raise ValueError("a known word has no edit script")

    def _make_finder(self) -> LemmaFinder:
        return LemmaFinder(self._scorer, self.exceptions, self.words, tidy_feats if self.tidy else None)

    def lemma(self, form: str, tag: Tag) -> str:
        """The lemma of a word, the one of ``best``; words of the training data are not scored."""
        return self.finder.lemmas([form], *([value] for value in tag))[0]

    def best(self, form: str, tag: Tag) -> tuple[str, float]:
        """The lemma of a word and its probability."""
        remembered = self.exceptions.find(form, tag)
        return (remembered, 1.0) if remembered is not None else self.chosen(form, tag)

    def chosen(self, form: str, tag: Tag) -> tuple[str, float]:
        """The same without the exceptions; the form itself if no script applies."""
        return self._scorer.best(form, WordTag(*tag))

    def learn_words(self, words: Iterable[tuple[str, Tag]]) -> None:
        """Store which scripts these words have."""
        found = []
        for form, tag in words:
            if self.exceptions.find(form, tag) is None:
                lemma = self.chosen(form, tag)[0]
                numbers = [number for number, made in self.scripts.candidates(form) if made == lemma]
                found += [(form, WordTag(*tag), numbers[0])] if numbers else []
        self.words = KnownWords.of(found)
        self.finder = self._make_finder()

    def probabilities(self, form: str, tag: Tag) -> dict[str, float]:
        """Every lemma that a script makes of the form; several scripts may make the same one."""
        candidates, scores = self.scored(form, tag)
        weight = np.exp(scores - scores.max(initial=-np.inf))
        found: dict[str, float] = {}
        for (_, lemma), p in zip(candidates, (weight / weight.sum()).tolist(), strict=True):
            found[lemma] = found.get(lemma, 0.0) + p
        return found

    def scored(self, form: str, tag: Tag) -> tuple[list[Candidate], Float64Array]:
        """The candidates of a form and their scores."""
        return self._scorer.scored(form, WordTag(*tag))


def _columns(templates: LemmaTemplates) -> tuple[Int32Array, int, int]:
    """The columns of templates, as compiled code takes them."""
    return spelling_codes(templates.spelling), templates.tag - templates.own, len(templates.columns)
