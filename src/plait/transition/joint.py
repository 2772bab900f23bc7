"""``transition-joint``: tags and labelled non-projective trees in one search (Bohnet & Nivre 2012).

SHIFT_p chooses among the k best tags of the tagger; what the tree makes of a tag decides with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from plait.features.clusters import with_clusters
from plait.features.templates import load_templates, united
from plait.learn.task import TrainingTask
from plait.options import option
from plait.transition.features import TransitionFeatures
from plait.transition.parser import TransitionOptions, TransitionParser


@dataclass(frozen=True)
class TransitionJointOptions(TransitionOptions):
    """The options of ``transition-joint``."""

    beam_tags: int = option(4, "further hypotheses, mostly other tags for the same trees (b2)", minimum=0, maximum=4096)
    tag_candidates: int = option(3, "maximum number of candidate tags per word (k)", minimum=2, maximum=64)
    alpha: float = option(0.8, "candidates are at most so much less probable than the best", minimum=0.0, maximum=1.0)
    tag_templates: str = option("default", "feature set for tags: BN12, default, or a table FILE or FILE:SET")


class TransitionJoint(TransitionParser):
    """A tagger and parser of any tree in one search (Bohnet & Nivre 2012)."""

    name = "transition-joint"
    Options: ClassVar[type] = TransitionJointOptions

    @classmethod
    def _tag_options(cls, options: Any) -> tuple[int, float, int]:
        return options.tag_candidates, options.alpha, options.beam_tags

    @classmethod
    def _features(cls, task: TrainingTask, options: Any) -> TransitionFeatures:
        plain = super()._features(task, options)
        tags = load_templates(options.tag_templates, "transition-tagging")
        tags = with_clusters(tags, plain.clusters, "tags", "transition-clusters")
        if options.morphology:
            tags = united(tags, load_templates("tags", "transition-morphology"))
        return TransitionFeatures(plain.arcs, tags, plain.graph, plain.clusters, options.morphology)

    @classmethod
    def _decides(cls) -> str:
        return "tlas"
