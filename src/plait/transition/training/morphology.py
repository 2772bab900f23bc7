"""Training of the tagger of FEATS whose tags the templates of transitions see."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from plait.data.document import Sentence
from plait.errors import DataError
from plait.learn.task import TrainingTask
from plait.transition.morphology import FEATS, Morphology
from plait.transition.options import TransitionOptions
from plait.trees.inner_tagger import Tags
from plait.trees.training.inner_tagger import COMPETING_TAGS, fit_tagger, jackknifed_numbers, tagger_options

FOLDS = 5  # at most, for a tagger of so many tags takes its time


def check_feats(train: Sequence[Sentence]) -> None:
    """A DataError where there is nothing to learn from."""
    if not any(FEATS.given(sentence) for sentence in train):
        raise DataError("the training data has no FEATS; remove --morphology")


def fit_morphology(
    task: TrainingTask, train: Sequence[Sentence], options: TransitionOptions
) -> tuple[Morphology | None, Sequence[Tags | None]]:
    """The tagger of FEATS, if there is to be one, and the FEATS of the training data as on new text."""
    if not options.morphology:
        return None, [None] * len(train)
    dev = [sentence for sentence in task.dev if FEATS.given(sentence)]  # other sentences say nothing of it
    chosen: Any = tagger_options("perceptron-tagger", options, tag="feats", templates="general", limit=COMPETING_TAGS)
    morphology = Morphology(fit_tagger("perceptron-tagger", dataclasses.replace(task, dev=dev), chosen))
    if options.takes_gold_tags() or len(train) < 2:
        return morphology, [morphology.numbers(sentence, gold=True) for sentence in train]
    return morphology, jackknifed_numbers(task, train, morphology.tagger, min(options.folds, FOLDS))
