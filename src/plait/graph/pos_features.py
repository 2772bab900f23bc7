"""POS features of the joint model: tag unigrams and bigrams over words, scored for candidate tags."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from plait.arrays import Float32Array, UInt16Array, UInt64Array
from plait.core._delta import Delta
from plait.core._weights import Scorer
from plait.errors import OptionError
from plait.features._lexicon import AffixTags
from plait.features._tagging import tag_delta, tag_scores
from plait.features._words import WORD_SETS
from plait.features.sequence import SequenceTemplates, place_atom
from plait.features.templates import Template, load_templates, spread
from plait.features.word_resources import KNOWN_COLUMNS, NO_RESOURCES, WordResources
from plait.graph.nodes import Candidates

SIDES = {"begins": "pre1", "ends": "suf1"}  # tag sets of characters, and the column that has the character


class PosFeatures:
    """Templates of a tagging table; t-1 is the tag in the chart, t-2 the tagger's best.

    ``affixes`` are the tag sets of first and last characters, for templates that look at them (``begins``, ``ends``).
    """

    def __init__(
        self, templates: Sequence[Template], resources: WordResources = NO_RESOURCES, affixes: Sequence[AffixTags] = ()
    ) -> None:
        self.templates = tuple(templates)
        self.affixes = tuple(affixes) if sees_affixes(templates) else ()
        # a template over the characters of a word fires once for each of them
        variants = [variant for template in templates for variant in spread(template, WORD_SETS)]
        more = [*SIDES, *SIDES.values()] if self.affixes else ()
        self.sequence = SequenceTemplates(variants, resources, more, least_pad=1)
        if any(offset not in (-1, -2) for offset in self.sequence.tag_offsets):
            raise OptionError("a POS template uses a tag other than t-1 and t-2; the chart supports no others")
        self.pad = self.sequence.pad

    def atoms(self, forms: Sequence[str], best: npt.NDArray[np.integer]) -> UInt64Array:
        """The padded matrix of a sentence with the tagger's best tags."""
        atoms = self.sequence.atoms(forms)
        for (side, source), table in zip(SIDES.items(), self.affixes, strict=False):
            table.fill(atoms, self.sequence.columns.index(source), self.sequence.columns.index(side))
        atoms[self.pad : self.pad + len(forms), self.sequence.tag_column] = best.astype(np.uint64) + 1
        return atoms

    def scores(self, weights: Scorer, atoms: UInt64Array, candidates: Candidates) -> tuple[Float32Array, Float32Array]:
        """(pu, pb) for the chart."""
        parts = self.sequence.static, self.sequence.dynamic
        return tag_scores(weights, *parts, atoms, self.pad, self.sequence.tag_column, candidates.starts, candidates.tag)

    def delta(self, atoms: UInt64Array, gold: UInt16Array, predicted: UInt16Array) -> Delta:
        """Δf of two taggings."""
        parts = self.sequence.static, self.sequence.dynamic
        return tag_delta(*parts, atoms, self.pad, self.sequence.tag_column, gold, predicted)


def pos_templates(name: str, resources: WordResources) -> tuple[Template, ...]:
    """A set of the tables ``graph-pos`` and ``tagging``, and those that look at the resources there are."""
    return resources.extended(load_templates(name, "graph-pos", "tagging"), "chain", "perceptron")


def sees_affixes(templates: Iterable[Template]) -> bool:
    """Whether some template looks at the tag sets of first or last characters."""
    return any(
        place_atom(atom, KNOWN_COLUMNS)[0] in SIDES for t in templates for atom in t.atoms if atom not in WORD_SETS
    )
