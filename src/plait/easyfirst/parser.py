"""``easyfirst-parser``: the most confident attachment first (Goldberg & Elhadad 2010; Ma et al. 2012, 2013)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from plait.data.document import Sentence
from plait.easyfirst.features import Features
from plait.easyfirst.options import TAGGER, EasyFirstParserOptions
from plait.easyfirst.system import ARCS, EasyFirstSystem
from plait.features.templates import stored_templates, template_texts
from plait.system import Arrays, Parts
from plait.system.modelparts import joined_parts, open_group, table_parts
from plait.system.request import Request
from plait.trees.arc_labels import ArcLabels
from plait.trees.inner_tagger import InnerTagger, Tags, given_numbers, open_tagger, tagger_parts
from plait.trees.morphology import open_morphology


@dataclass(eq=False, repr=False)
class EasyFirstParser(EasyFirstSystem):
    """An easy-first dependency parser: the most confident attachment first, with an internal tagger."""

    name = "easyfirst-parser"
    Options = EasyFirstParserOptions
    lexicon: None
    labels: ArcLabels
    tagger: InnerTagger

    def _tags_of(self, sentence: Sentence) -> Tags:
        """The tags for the templates: with ``gold_tags`` those of the input, otherwise the tagger's, written to it."""
        if self.options.gold_tags and self.columns.given(sentence):
            return given_numbers(self.tagger, sentence)
        tags = self.tagger.tag_numbers(sentence.forms)
        self.columns.write(sentence, [self.tagger.tags[t] for t in tags.tolist()])
        return tags

    def _constrained_tags_of(self, sentence: Sentence, request: Request) -> Tags:
        self.tagger.annotate_with(sentence, request)
        return given_numbers(self.tagger, sentence)

    def parts(self) -> Parts:
        """Labels, templates and weights, and the whole tagger."""
        header = self.labels.short_header() | {"templates": template_texts(self.features.parsing)}
        nested = tagger_parts("tagger", self.tagger), self.morphology.parts()
        return joined_parts((header, {}), table_parts(self.weights), *nested)

    @classmethod
    def _open(cls, options: Any, header: Mapping[str, Any], arrays: Arrays) -> Self:
        labels = ArcLabels.from_short_header(header)
        weights = {ARCS: open_group(ARCS, header, arrays, 2 + 2 * len(labels.names))}
        tagger = open_tagger("tagger", header, arrays, TAGGER)
        if tagger.name == TAGGER:  # the only one that there was when files did not name it
            options = dataclasses.replace(options, tagger="easyfirst")
        # the tagger has the resources that the parser looks at
        morphology = open_morphology(header, arrays)
        templates = stored_templates(header["templates"])
        features = Features((), templates, options.center, tagger.resources, morphology.seen)
        return cls(options, features, weights, None, labels, tagger, morphology=morphology)
