"""``easyfirst-joint``: tags and arcs in one search, the most confident first (Ma et al. 2012, Section 2.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from plait.arrays import AnyArray
from plait.data.document import Sentence
from plait.easyfirst.features import Features
from plait.easyfirst.lexicon import TagLexicon
from plait.easyfirst.options import EasyFirstJointOptions
from plait.easyfirst.system import ARCS, TAGS, Atoms, EasyFirstSystem
from plait.easyfirst.tagger import EasyFirstTagger
from plait.features.templates import stored_templates, template_texts
from plait.features.word_resources import WordResources
from plait.system import Arrays, Parts
from plait.system.modelparts import (
    drop_shared_clusters,
    joined_parts,
    nested_parts,
    open_group,
    open_nested,
    table_parts,
    with_shared_clusters,
)
from plait.trees.arc_labels import ArcLabels
from plait.trees.morphology import Morphology, open_morphology


def guides(morphology: Morphology, options: EasyFirstJointOptions) -> bool:
    """Whether the tagger for FEATS also predicts the tags in question, so that templates can use them."""
    return morphology.tagger is not None and options.tag in morphology.tagger.predicts


@dataclass(eq=False, repr=False)
class EasyFirstJoint(EasyFirstSystem):
    """An easy-first joint tagger and parser: tags and attachments in order of confidence (Ma et al. 2012)."""

    name = "easyfirst-joint"
    Options = EasyFirstJointOptions
    lexicon: TagLexicon
    labels: ArcLabels
    guide: EasyFirstTagger | None

    def _atoms(self, forms: Sequence[str], analysed: Sentence | None) -> Atoms:
        atoms = super()._atoms(forms, analysed)
        if self.guide is not None:
            self.features.guide(atoms, self.guide.tag_numbers(forms))
        elif analysed is not None and self.features.is_guided:
            self.features.guide(atoms, self.lexicon.numbers(self.columns.read(analysed)))
        return atoms

    def parts(self) -> Parts:
        """Tags, labels, templates, dictionary and both tables."""
        header = self.labels.short_header() | {
            "tag_templates": template_texts(self.features.tagging),
            "templates": template_texts(self.features.parsing),
        }
        arrays: dict[str, AnyArray] = {}
        if self.guide is not None:
            inner, inner_arrays = nested_parts("guide", self.guide)
            header |= inner
            arrays = drop_shared_clusters("guide", inner_arrays)
        others = self.lexicon.parts(), self.features.resources.parts(), self.morphology.parts()
        return joined_parts((header, arrays), table_parts(self.weights), *others)

    @classmethod
    def _open(cls, options: Any, header: Mapping[str, Any], arrays: Arrays) -> Self:
        lexicon = TagLexicon.from_parts(options.tag, header, arrays)
        labels = ArcLabels.from_short_header(header)
        weights = {
            TAGS: open_group(TAGS, header, arrays, len(lexicon.tags)),
            ARCS: open_group(ARCS, header, arrays, 2 + 2 * len(labels.names)),
        }
        templates = stored_templates(header["tag_templates"]), stored_templates(header["templates"])
        morphology = open_morphology(header, arrays)
        resources = WordResources.from_parts(header, arrays)
        features = Features(*templates, options.center, resources, morphology.seen)
        guide = None
        if "guide" in header:
            guide = open_nested("guide", EasyFirstTagger, header, with_shared_clusters("guide", arrays))
        if features.is_guided != (guide is not None or guides(morphology, options)):
            raise ValueError("the templates and the model disagree on whether there is a guide")
        return cls(options, features, weights, lexicon, labels, guide, morphology=morphology)
