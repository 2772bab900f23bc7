"""``easyfirst-tagger``: the surest tag first, so that hard words see the tags on both sides (Ma et al. 2012, 2013)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from plait.core._weights import Scorer
from plait.data.document import Sentence
from plait.easyfirst.features import Features, read_templates, template_texts
from plait.easyfirst.lexicon import TagLexicon
from plait.easyfirst.options import EasyFirstTaggerOptions
from plait.easyfirst.system import TAGS, EasyFirstSystem
from plait.features.word_resources import WordResources
from plait.system import Parts
from plait.system.modelparts import open_group, report_damage, table_parts
from plait.trees.inner_tagger import Tags


class EasyFirstTagger(EasyFirstSystem):
    """An easy-first tagger: the most confident decision first."""

    name = "easyfirst-tagger"
    Options = EasyFirstTaggerOptions

    def __init__(
        self,
        options: EasyFirstTaggerOptions,
        features: Features,
        weights: Mapping[str, Scorer],
        lexicon: TagLexicon,
        training: dict[str, Any],
    ) -> None:
        super().__init__(options, features, weights, lexicon, None, training)
        self.tags = lexicon.tags
        self.resources = features.resources
        self._number = {tag: i for i, tag in enumerate(lexicon.tags)}

    def tag_numbers(self, forms: Sequence[str]) -> Tags:
        """The tags of some words, as numbers."""
        return self._decoder.decode(self._atoms(forms))[0]

    def given_numbers(self, sentence: Sentence) -> Tags:
        """The sentence's own tags as numbers; those never seen in training stand beyond the known ones."""
        unseen = len(self._number)
        return np.array([self._number.get(tag, unseen) for tag in self.columns.read(sentence)], dtype=np.uint16)

    def parts(self) -> Parts:
        """Tags, templates, dictionary and weights."""
        assert self.lexicon is not None
        header, arrays = table_parts(self.weights)
        lexicon_header, lexicon_arrays = self.lexicon.parts()
        header |= lexicon_header | {"templates": template_texts(self.features.tagging)}
        return header | self.resources.header(), arrays | self.resources.arrays() | lexicon_arrays

    @classmethod
    def from_parts(
        cls, options: EasyFirstTaggerOptions, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
    ) -> Self:
        """Put a tagger together from a model file."""
        with report_damage(cls.name):
            lexicon = TagLexicon.from_parts(options.tag, header, arrays)
            weights = {TAGS: open_group(TAGS, header, arrays, len(lexicon.tags))}
            features = Features(read_templates(header, "templates"), resources=WordResources.from_parts(header, arrays))
            return cls(options, features, weights, lexicon, dict(header.get("training", {})))
