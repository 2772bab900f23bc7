"""``perceptron-tagger``: a first-order tagger decoded by Viterbi and trained online (Collins 2002).

The simplest complete system, and a baseline for the others: exact search over tag bigrams, rich features of the words,
a dictionary that restricts frequent words to the tags seen in training.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from plait.arrays import Float64Array, UInt16Array
from plait.chain._tagger import ChainTagger
from plait.chain.options import PerceptronTaggerOptions
from plait.core._weights import Scorer
from plait.data.document import Sentence
from plait.data.given import GivenAnnotation
from plait.data.tags import TagColumns
from plait.errors import OptionError
from plait.features._lexicon import TagDictionary
from plait.features.sequence import SequenceTemplates
from plait.features.templates import Template, stored_templates, template_texts
from plait.features.word_resources import NO_RESOURCES, WordResources
from plait.system import Arrays, Parts, System
from plait.system.modelparts import joined_parts, lexicon_arrays, open_dictionary, open_group, open_tags, table_parts
from plait.system.request import Request

GROUP = "tags"  # the only feature group
TEMPERATURES = np.geomspace(1e-3, 1e3, 241)  # tried by ``calibrate``: steps of 6 %


@dataclass(eq=False, repr=False)
class PerceptronTagger(System):
    """A first-order tagger with Viterbi decoding, trained with an averaged perceptron (Collins 2002)."""

    name = "perceptron-tagger"
    supports = frozenset({"constrain"})
    Options = PerceptronTaggerOptions

    tags: tuple[str, ...]
    features: SequenceTemplates
    weights: Scorer
    dictionary: TagDictionary
    temperature: float = 1.0

    def __post_init__(self) -> None:
        self.resources = self.features.resources
        self._decoder = chain_tagger(self.weights, self.features, self.dictionary, self.options.limit)

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """Tag one sentence; with ``request.constrain`` the tags that the sentence has are kept."""
        request.refuse(self.name, "dictionary", "scores")
        if len(sentence) == 0:
            return
        given = GivenAnnotation(sentence, self.predicts) if request.constrain else None
        allowed = self.columns.agreeing(sentence, self.tags) if request.constrain else None
        best, sentence.score = self._decoder.decode(self.features.atoms(sentence.forms), allowed)
        self.columns.write(sentence, [self.tags[t] for t in best.tolist()])
        if given is not None:
            given.restore(sentence)  # a tag that the model does not know could not bind it

    def tag_numbers(self, forms: Sequence[str]) -> UInt16Array:
        """The tags of some words, as numbers."""
        return self._decoder.decode(self.features.atoms(forms))[0]

    def tag_probabilities(self, forms: Sequence[str]) -> Float64Array:
        """[words][tags]: tag probabilities, from the best sequences through each tag; see ``calibrate``."""
        tags, counts, behind = self._decoder.max_marginals(self.features.atoms(forms))
        found = np.zeros((len(forms), len(self.tags)))
        for row, numbers, count, scores in zip(found, tags, counts.tolist(), behind, strict=True):
            weight = np.exp(scores[:count] / self.temperature)
            row[numbers[:count]] = weight / weight.sum()
        return found

    def calibrate(self, held_out: Iterable[Sentence]) -> float:
        """Set the temperature that maximizes the probability of the tags of held-out sentences."""
        rows: list[Float64Array] = []  # of each word how far its tags are behind the right one
        number = {tag: i for i, tag in enumerate(self.tags)}
        for sentence in held_out:
            tags, counts, behind = self._decoder.max_marginals(self.features.atoms(sentence.forms))
            for tag, known, count, scores in zip(self.columns.read(sentence), tags, counts, behind, strict=True):
                found = np.flatnonzero(known[:count] == number.get(tag, -1))
                if len(found):
                    rows.append(scores[:count] - scores[found[0]])
        if rows:
            starts = np.cumsum([0, *map(len, rows[:-1])])
            gaps = np.concatenate(rows)

            def surprise(temperature: float) -> float:
                return float(np.log(np.add.reduceat(np.exp(np.minimum(gaps / temperature, 500.0)), starts)).sum())

            self.temperature = float(min(TEMPERATURES, key=surprise))
        return self.temperature

    def parts(self) -> Parts:
        """Tags, templates, dictionary and weights."""
        header = {
            "tags": list(self.tags),
            "templates": template_texts(self.features.templates),
            "temperature": self.temperature,
        }
        own = header, lexicon_arrays(self.dictionary, ())
        return joined_parts(own, table_parts({GROUP: self.weights}), self.features.resources.parts())

    @classmethod
    def _open(cls, options: Any, header: Mapping[str, Any], arrays: Arrays) -> Self:
        tags = open_tags(header["tags"], TagColumns(options.tag))
        templates = stored_templates(header["templates"])
        weights = open_group(GROUP, header, arrays, len(tags))
        dictionary = open_dictionary(len(tags), arrays)
        temperature = float(header.get("temperature", 1.0))
        if not 0.0 < temperature < float("inf"):
            raise ValueError(f"a temperature of {temperature}")
        features = tagging_features(templates, WordResources.from_parts(header, arrays))
        return cls(options, tuple(tags), features, weights, dictionary, temperature)


def tagging_features(templates: Sequence[Template], resources: WordResources = NO_RESOURCES) -> SequenceTemplates:
    """Templates for a first-order chain; longer tag contexts are an OptionError."""
    features = SequenceTemplates(templates, resources)
    if any(offset != -1 for offset in features.tag_offsets):
        raise OptionError("a template uses a tag other than t-1; this tagger supports no others")
    return features


def chain_tagger(weights: Scorer, features: SequenceTemplates, dictionary: TagDictionary, limit: int) -> ChainTagger:
    """A decoder for these features under these weights."""
    columns, pad = len(features.columns), features.pad
    return ChainTagger(weights, features.static, features.dynamic, columns, pad, features.tag_column, dictionary, limit)
