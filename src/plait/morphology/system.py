"""``morph-tagger``: UPOS, XPOS and FEATS as one structured tag, decided by a CRF on a pruned lattice.

Müller, Schmid & Schütze (2013): weights belong to the parts of tags as well as to whole tags, and the candidates of a
word are pruned by the probabilities of a model of lower order, so that a thousand tags stay fast; search and sums are
exact over the remaining candidates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from plait.arrays import AnyArray, Float64Array, UInt16Array
from plait.core.tables import under
from plait.data.document import Sentence
from plait.data.feats import tidy_feats
from plait.data.given import GivenAnnotation
from plait.data.tags import TagColumns
from plait.errors import OptionError
from plait.features.word_resources import WordResources
from plait.morphology.model import Allowed, MorphModel
from plait.morphology.options import MorphOptions
from plait.system.base import Arrays, Parts, System
from plait.system.request import Request


@dataclass(eq=False, repr=False)
class MorphTagger(System):
    """A CRF over structured tags: exact probabilities and n-best lists on a pruned lattice."""

    name = "morph-tagger"
    supports = frozenset({"scores", "constrain"})
    Options = MorphOptions

    models: Sequence[MorphModel]  # one for all columns, or one for each

    def __post_init__(self) -> None:
        self.columns = TagColumns("+".join(model.columns.spec for model in self.models))

    @property
    def tags(self) -> tuple[str, ...]:
        """The tag set of a model that decides all columns together."""
        return self._joint.tags

    @property
    def resources(self) -> WordResources:
        """Clusters and lexicon that its templates look at."""
        return self.models[0].features.resources

    @property
    def _joint(self) -> MorphModel:
        if len(self.models) > 1:
            raise OptionError(f"{self.name} was trained with --apart: its columns have separate tag sets")
        return self.models[0]

    def annotate(self, sentence: Sentence) -> None:
        """Tag one sentence; without a request a tenth faster."""
        sentence.score = 0.0
        for model in self.models:
            columns, score = model.decoder.best_values(sentence.forms, model.column_values)
            _write(sentence, model, columns)
            sentence.score += score

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """The same; with ``request.scores`` every token gets the probability of its tag.

        With ``request.constrain`` given values stay, and the rest is predicted to agree with them.
        """
        request.refuse(self.name, "dictionary")
        given = GivenAnnotation(sentence, self.predicts) if request.constrain else None
        bounds = [self.allowed(sentence, model, request) for model in self.models]
        sentence.score = 0.0
        scores = np.ones(len(sentence))
        for model, allowed in zip(self.models, bounds, strict=True):
            tags, score = model.best(sentence.forms, allowed)
            _write(sentence, model, model.values_of(tags))
            sentence.score += score
            if request.scores:
                probabilities = model.probabilities(sentence.forms, allowed)
                scores *= [of_word.get(tag, 0.0) for of_word, tag in zip(probabilities, tags, strict=True)]
        if given is not None:
            given.restore(sentence)
        if request.scores:
            sentence.scores = scores.tolist()

    def allowed(self, sentence: Sentence, model: MorphModel, request: Request) -> Allowed | None:
        """For each word the tags that agree with the given annotation, or those that the request allows."""
        if not request.constrain and request.allowed is None:
            return None
        bound: list[Sequence[int]] = [()] * len(sentence)
        if request.allowed is not None:
            bound = [model.numbers(names) for names in request.allowed]
        if request.constrain:
            seen = sentence.copy()
            if self.options.tidy:
                seen.feats = [tidy_feats(feats) for feats in seen.feats]
            for i, agreeing in enumerate(model.columns.agreeing(seen, model.tags)):
                if agreeing:  # given annotation takes precedence over allowed tags
                    bound[i] = [tag for tag in agreeing if tag in bound[i]] or agreeing
        return bound

    def _ranked(self, sentence: Sentence, count: int, request: Request) -> Iterator[Sentence]:
        for tags, score in self._joint.ranked(sentence.forms):
            twin = sentence.copy()
            _write(twin, self._joint, self._joint.values_of(tags))
            twin.score = score
            yield twin

    def tag_probabilities(self, forms: Sequence[str]) -> Float64Array:
        """[words][tags]: the probability of every tag of every word; 0 for those that were pruned."""
        model = self._joint
        found = np.zeros((len(forms), len(model.tags)))
        _, starts, tags, probabilities = model.decoder.marginals(forms)
        found[np.repeat(np.arange(len(forms)), np.diff(starts)), tags] = probabilities
        return found

    def tag_numbers(self, forms: Sequence[str]) -> UInt16Array:
        """The tags of some words, as numbers."""
        found: UInt16Array = self._joint.decoder.decode(forms)[0]
        return found

    def parts(self) -> Parts:
        """The models, numbered."""
        headers: list[dict[str, Any]] = []
        arrays: dict[str, AnyArray] = {}
        for k, model in enumerate(self.models):
            header, own = model.parts()
            headers.append(header)
            arrays |= {f"{k}.{name}": array for name, array in own.items()}
        return {"models": headers}, arrays

    @classmethod
    def _open(cls, options: Any, header: Mapping[str, Any], arrays: Arrays) -> Self:
        headers = header["models"]
        if not isinstance(headers, list) or not headers:
            raise ValueError("it contains no models")
        models = [
            MorphModel.from_parts(each, under(f"{k}.", arrays), options.order, options.threshold)
            for k, each in enumerate(headers)
        ]
        return cls(options, models)


def _write(sentence: Sentence, model: MorphModel, values: Sequence[list[str]]) -> None:
    """Write the columns of predicted tags."""
    for column, found in zip(model.columns.columns, values, strict=True):
        setattr(sentence, column, found)
