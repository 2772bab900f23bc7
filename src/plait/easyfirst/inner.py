"""The tagger inside another model: trained on the same data, jackknifed there so that its tags are as on new text."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from plait.data.document import Sentence
from plait.easyfirst.tagger import EasyFirstTagger, EasyFirstTaggerOptions
from plait.learn.jackknife import jackknife
from plait.learn.task import TrainingTask

Tags = npt.NDArray[np.uint16]


def fit_tagger(task: TrainingTask, options: EasyFirstTaggerOptions) -> EasyFirstTagger:
    """The tagger for use; it is quick to train and needs no checkpoint, and its epochs are not reported."""
    quiet = dataclasses.replace(task, checkpoint=None, resume=False, on_epoch=lambda record: None)
    return EasyFirstTagger.fit(quiet, options, named=False)


def gold_numbers(sentence: Sentence, tagger: EasyFirstTagger) -> Tags:
    """The sentence's own tags; those never seen in training stand beyond the known ones."""
    number = tagger.number
    return np.array([number.get(tag, len(number)) for tag in tagger.columns.read(sentence)], dtype=np.uint16)


def jackknifed_tags(task: TrainingTask, train: Sequence[Sentence], tagger: EasyFirstTagger, folds: int) -> list[Tags]:
    """Tags of the training data by taggers like this one that have not seen it (Ma et al.: ten folds)."""
    if len(train) < 2:
        return [gold_numbers(s, tagger) for s in train]

    def fit(seen: list[Sentence]) -> Callable[[list[Sentence]], list[Tags]]:
        other = fit_tagger(dataclasses.replace(task, train=seen, dev=()), tagger.options)
        known = np.array([tagger.number[tag] for tag in other.tags], dtype=np.uint16)
        return lambda held_out: [known[other.tag_numbers(sentence.forms)] for sentence in held_out]

    return jackknife(train, folds, fit, task.track)
