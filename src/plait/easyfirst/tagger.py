"""``easyfirst-tagger``: the most confident tag first; difficult words see the tags on both sides (Ma et al. 2012)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from plait.easyfirst.features import Features
from plait.easyfirst.lexicon import TagLexicon
from plait.easyfirst.options import EasyFirstTaggerOptions
from plait.easyfirst.system import TAGS, EasyFirstSystem
from plait.features.templates import stored_templates, template_texts
from plait.features.word_resources import WordResources
from plait.system import Arrays, Parts
from plait.system.modelparts import joined_parts, open_group, table_parts
from plait.trees.inner_tagger import Tags


@dataclass(eq=False, repr=False)
class EasyFirstTagger(EasyFirstSystem):
    """An easy-first tagger: the most confident decision first."""

    name = "easyfirst-tagger"
    Options = EasyFirstTaggerOptions

    lexicon: TagLexicon
    labels: None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.tags = self.lexicon.tags
        self.resources = self.features.resources

    def tag_numbers(self, forms: Sequence[str]) -> Tags:
        """The tags of some words, as numbers."""
        return self._decoder.decode(self._atoms(forms, None))[0]

    def parts(self) -> Parts:
        """Tags, templates, dictionary and weights."""
        header = {"templates": template_texts(self.features.tagging)}
        return joined_parts((header, {}), table_parts(self.weights), self.lexicon.parts(), self.resources.parts())

    @classmethod
    def _open(cls, options: Any, header: Mapping[str, Any], arrays: Arrays) -> Self:
        lexicon = TagLexicon.from_parts(options.tag, header, arrays)
        weights = {TAGS: open_group(TAGS, header, arrays, len(lexicon.tags))}
        features = Features(stored_templates(header["templates"]), resources=WordResources.from_parts(header, arrays))
        return cls(options, features, weights, lexicon)
