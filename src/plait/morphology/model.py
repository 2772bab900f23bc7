"""A trained conditional random field over structured tags: best tags, n-best, probabilities, model file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self

from plait.arrays import UInt16Array
from plait.core._weights import Scorer
from plait.core.tables import prefixed, under
from plait.data.tags import TagColumns
from plait.features._lexicon import TagDictionary
from plait.features.templates import stored_templates, template_texts
from plait.features.word_resources import WordResources
from plait.morphology._decoder import LatticeDecoder
from plait.morphology._parts import TagParts
from plait.morphology.features import MorphFeatures, WordClasses
from plait.morphology.nbest import ranked_paths
from plait.morphology.tags import PartNames, tag_parts
from plait.system.base import Parts
from plait.system.modelfile import NEEDS_FORMAT
from plait.system.modelparts import (
    Arrays,
    joined_parts,
    lexicon_arrays,
    open_dictionary,
    open_group,
    open_tags,
    table_parts,
)

GROUPS = ("form", "context", "pairs", "tag_pairs")
ORDER_2_GROUPS = ("triples", "skips")  # additional groups of order 2
WHOLE = "whole"  # in older models: the weights of whole tags, which are now part of "form"
ONE_TABLE = 4  # the first format of model files without it

MAX_CACHED_TUPLES = 1000  # tuples of tag names whose numbers are cached

Allowed = Sequence[Sequence[int]]  # for each word the tags that it may have; empty: any

SEARCH_THRESHOLD = 0.02
MARGIN = 8.0
OLD_MARGIN = 12.0  # of models that do not store theirs


class Pruning(NamedTuple):
    """Which tags of a word are dropped before the search; stored, so that the analyses of a model do not change."""

    threshold: float  # less probable ones at order 0, for probabilities and in training
    search: float  # the same for the best tags and n-best lists
    margin: float  # those further than this behind the best one by their form alone

    @classmethod
    def of_new_model(cls, threshold: float, coarse_weight: float) -> Self:
        """The best tags need fewer candidates than probabilities; of 24,095 Basque tags about ten change.

        With a larger weight of the coarse model scores are further apart.
        """
        search = max(threshold, SEARCH_THRESHOLD) if threshold > 0 else 0.0
        return cls(threshold, search, MARGIN * max(1.0, 0.5 + coarse_weight))

    def header(self) -> dict[str, float]:
        """What a model stores, beside the option ``threshold``."""
        return {"search_threshold": self.search, "margin": self.margin}

    @classmethod
    def read(cls, header: Mapping[str, Any], threshold: float) -> Self:
        """The inverse of ``header``; older models lack some of it."""
        search, margin = header.get("search_threshold", threshold), header.get("margin", OLD_MARGIN)
        if not (isinstance(search, float) and threshold <= search <= 0.5):
            raise ValueError("the threshold of the search is not a number between that of the probabilities and 0.5")
        if not (isinstance(margin, float) and 1.0 <= margin <= 100.0):
            raise ValueError("the margin of the search is not a number between 1 and 100")
        return cls(threshold, search, margin)


class MorphModel:
    """The tags of some columns, decided together. Any number of threads may share it."""

    def __init__(
        self,
        names: PartNames,
        tags: Sequence[str],
        parts: TagParts,
        features: MorphFeatures,
        tables: Mapping[str, Scorer],
        dictionary: TagDictionary,
        open_tags: UInt16Array,
        order: int,
        pruning: Pruning,
    ) -> None:
        self.columns = names.columns
        self.tags = tuple(tags)
        self._numbers: dict[int, tuple[tuple[str, ...], tuple[int, ...]]] = {}
        self.number = {tag: i for i, tag in enumerate(self.tags)}
        self.names = names
        self.features = features
        self.tables = dict(tables)
        self.dictionary = dictionary
        self.open_tags = open_tags
        self.pruning = pruning
        self.decoder = LatticeDecoder(parts, features, self.tables, dictionary, open_tags, order, *pruning)
        self.values = [self.names.split(tag) for tag in self.tags]  # [tags][columns]
        self.column_values = list(zip(*self.values, strict=True))  # [columns][tags]

    def numbers(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """The numbers of some tags; the same object for the same tuple, since the decoder uses it as a cache key."""
        found = self._numbers.get(id(names))
        if found is None or found[0] is not names:
            if len(self._numbers) > MAX_CACHED_TUPLES:
                self._numbers.clear()
            found = self._numbers[id(names)] = names, tuple(self.number[name] for name in names)
        return found[1]

    def best(self, forms: Sequence[str], allowed: Allowed | None = None) -> tuple[list[int], float]:
        """The best tags, as numbers, and their score."""
        tags, score = self.decoder.decode(forms, allowed)
        return tags.tolist(), score

    def values_of(self, tags: Sequence[int]) -> list[list[str]]:
        """The columns of some tags."""
        return [[values[tag] for tag in tags] for values in self.column_values]

    def ranked(self, forms: Sequence[str], allowed: Allowed | None = None) -> Iterator[tuple[list[int], float]]:
        """All taggings of the pruned lattice, best first."""
        return ranked_paths(self.decoder.lattice(forms, allowed))

    def probabilities(self, forms: Sequence[str], allowed: Allowed | None = None) -> list[dict[int, float]]:
        """For each word the probability of every tag that was not pruned."""
        _, starts, tags, probabilities = self.decoder.marginals(forms, allowed)
        pairs = list(zip(tags.tolist(), probabilities.tolist(), strict=True))
        at = starts.tolist()
        return [dict(pairs[at[i] : at[i + 1]]) for i in range(len(at) - 1)]

    def parts(self) -> Parts:
        """Header entries and arrays for the model file."""
        header = {
            "tag": self.columns.spec,
            "tags": list(self.tags),
            "templates": template_texts(self.features.templates),
            **self.pruning.header(),
            **({} if WHOLE in self.tables else {NEEDS_FORMAT: ONE_TABLE}),
        }
        arrays = lexicon_arrays(self.dictionary, ()) | prefixed("classes.", self.features.classes.arrays())
        own = header, arrays | {"rare": self.open_tags}
        return joined_parts(table_parts(self.tables), own, self.features.resources.parts())

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Arrays, order: int, threshold: float) -> Self:
        """The inverse of ``parts``; what is unsound is a ValueError, KeyError, TypeError or OptionError."""
        columns = TagColumns(header["tag"])
        tags = open_tags(header["tags"], columns)
        features = MorphFeatures(
            stored_templates(header["templates"]),
            WordClasses(**under("classes.", arrays)),
            WordResources.from_parts(header, arrays),
        )
        names = PartNames(columns, tags)
        _, parts = tag_parts(names, tags)
        labels = {"form": parts.parts + parts.tags, "tag_pairs": parts.tags, "triples": parts.classes}
        groups = (*GROUPS, *ORDER_2_GROUPS) if order == 2 else GROUPS
        if WHOLE in header["tables"]:
            labels |= {"form": parts.parts, WHOLE: parts.tags}
            groups = (*groups, WHOLE)
        tables = {group: open_group(group, header, arrays, labels.get(group, parts.parts)) for group in groups}
        dictionary = open_dictionary(len(tags), arrays)
        pruning = Pruning.read(header, threshold)
        return cls(names, tags, parts, features, tables, dictionary, arrays["rare"], order, pruning)
