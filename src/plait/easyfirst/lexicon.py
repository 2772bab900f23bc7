"""The tag lexicon of a search: tags of words and of their affixes in the training data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from plait.arrays import AnyArray
from plait.data.tags import TagColumns
from plait.features._lexicon import AffixTags, TagDictionary, build_affix_tags, build_dictionary
from plait.system import Parts
from plait.system.modelparts import lexicon_arrays, open_affixes, open_dictionary, open_tags
from plait.trees.inner_tagger import Tags, numbers_of


@dataclass(frozen=True)
class TagLexicon:
    """The tags, those of frequent words, and those of the first and last characters of words."""

    tags: tuple[str, ...]
    dictionary: TagDictionary
    affixes: tuple[AffixTags, AffixTags]

    @classmethod
    def build(cls, tags: Sequence[str], gold: Sequence[tuple[Sequence[str], Sequence[int]]], threshold: int) -> Self:
        """From (forms, tag numbers) of the training sentences."""
        affixes = build_affix_tags(gold, False), build_affix_tags(gold, True)
        return cls(tuple(tags), build_dictionary(gold, len(tags), threshold), affixes)

    def numbers(self, tags: Sequence[str]) -> Tags:
        """Tags as numbers; unknown tags get the number after the last."""
        return numbers_of(tags, self.tags)

    def parts(self) -> Parts:
        """For the model file."""
        return {"tags": list(self.tags)}, lexicon_arrays(self.dictionary, self.affixes)

    @classmethod
    def from_parts(cls, tag: str, header: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> Self:
        """The inverse of ``parts``, for the columns that ``tag`` names."""
        tags = tuple(open_tags(header["tags"], TagColumns(tag)))
        return cls(tags, open_dictionary(len(tags), arrays), open_affixes(arrays))
