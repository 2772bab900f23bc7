"""Candidate tags: the k best of the tagger within α of its best, with how far behind they are.

A score is the probability of the tag, so α and the bins of 0.05 (Bohnet & Nivre 2012) are differences of probabilities.
Under a CRF it is exact. Since a CRF's cost grows with the square of the tags, large tag sets get a perceptron tagger,
in which a few tags compete for each word; its scores become probabilities by a temperature that fits held-out data.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.chain.crf_tagger import CrfTagger
from plait.chain.options import CrfTaggerOptions, PerceptronTaggerOptions
from plait.chain.perceptron_tagger import PerceptronTagger
from plait.chain.training.crf_tagger import fit_crf_tagger
from plait.chain.training.perceptron_tagger import fit_perceptron_tagger
from plait.data.document import Sentence
from plait.learn.jackknife import jackknife
from plait.learn.task import TrainingTask
from plait.system.modelparts import open_nested

BIN = 0.05
DEPTH = 64  # tags of a word that are remembered at most

Tagger = CrfTagger | PerceptronTagger
TaggerOptions = CrfTaggerOptions | PerceptronTaggerOptions

Numbers = npt.NDArray[np.uint16]


@dataclass(frozen=True)
class Candidates:
    """The tags that each word of a sentence may take, best first."""

    tags: Numbers  # [words][k]
    counts: Numbers  # [words]: how many there are, at least 1
    bins: Numbers  # [words][k]: score behind the best one, in steps of 0.05

    def choices(self, gold: Sequence[int]) -> list[int]:
        """Where each gold tag stands among the candidates; 0, the tagger's best, where it is none of them."""
        found = []
        for row, count, tag in zip(self.tags.tolist(), self.counts.tolist(), gold, strict=True):
            found.append(row.index(tag, 0, count) if tag in row[:count] else 0)
        return found


@dataclass(frozen=True)
class Ranked:
    """The most probable tags of each word of a sentence, best first."""

    tags: Numbers  # [words][DEPTH or fewer]
    probabilities: npt.NDArray[np.float64]

    def within(self, k: int, alpha: float) -> Candidates:
        """Up to k tags of each word, none more than alpha below its best."""
        tags, scores = self.tags[:, :k], self.probabilities[:, :k]
        behind = np.maximum(scores[:, :1] - scores, 0.0)
        counts = np.maximum((behind <= alpha + 1e-9).sum(axis=1), 1)
        # from a number a hair larger, so that 0.7 − 0.2 falls where it should on any machine
        bins = np.floor(behind / BIN + 1e-6)
        bins[np.arange(tags.shape[1])[None, :] >= counts[:, None]] = 0
        return Candidates(np.ascontiguousarray(tags), counts.astype(np.uint16), bins.astype(np.uint16))


def ranked(probabilities: npt.NDArray[np.float64], numbers: Numbers | None = None) -> Ranked:
    """The best tags of a [words][tags] table; equal ones in order. ``numbers`` are the tags of its columns."""
    # in 32 bits, so that what differs by rounding alone is equal on any machine
    order = np.argsort(-probabilities.astype(np.float32), axis=1, kind="stable")[:, :DEPTH]
    tags = order.astype(np.uint16) if numbers is None else numbers[order]
    return Ranked(tags, probabilities[np.arange(len(order))[:, None], order])


def best_tags(probabilities: npt.NDArray[np.float64], k: int, alpha: float) -> Candidates:
    """Up to k tags of each word, none more than alpha below its best; equal ones in the order of the tag set.

    >>> c = best_tags(np.array([[0.2, 0.7, 0.1], [0.0, 1.0, 0.0]]), 2, 0.5)
    >>> c.tags.tolist(), c.counts.tolist(), c.bins.tolist()
    ([[1, 0], [1, 0]], [2, 1], [[0, 10], [0, 0]])
    """
    return ranked(probabilities).within(k, alpha)


def restricted(probabilities: npt.NDArray[np.float64], agreeing: Sequence[Sequence[int]]) -> npt.NDArray[np.float64]:
    """The probabilities among the tags that agree with what a word is given; the others are far behind.

    >>> restricted(np.array([[0.2, 0.6, 0.2]]), [[0, 2]]).tolist()
    [[0.5, -9.0, 0.5]]
    """
    found = probabilities.copy()
    for row, tags in zip(found, agreeing, strict=True):
        if len(tags):
            kept = row[list(tags)]
            row[:] = -9.0
            row[list(tags)] = kept / kept.sum() if kept.sum() > 0 else 1.0 / len(tags)
    return found


def given_tags(numbers: Sequence[int]) -> Candidates:
    """One certain tag for each word."""
    tags = np.array(numbers, dtype=np.uint16).reshape(-1, 1)
    return Candidates(tags, np.ones(len(tags), dtype=np.uint16), np.zeros_like(tags))


def fit_tagger(task: TrainingTask, options: TaggerOptions) -> Tagger:
    """The tagger inside a parser; it needs no checkpoint of its own, and its epochs are not reported."""
    if isinstance(options, PerceptronTaggerOptions):
        return fit_perceptron_tagger(_quietly(task), options)
    return fit_crf_tagger(_quietly(task), options)


def open_tagger(header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Tagger:
    """The tagger inside a parser, out of a model file."""
    inside = header.get("tagger")
    of_perceptron = isinstance(inside, Mapping) and "tables" in inside
    if of_perceptron:
        return open_nested("tagger", PerceptronTagger, header, arrays)
    return open_nested("tagger", CrfTagger, header, arrays)


def jackknifed_tags(
    task: TrainingTask, train: Sequence[Sentence], options: TaggerOptions, tagger: Tagger, folds: int
) -> list[Ranked]:
    """The best tags of the training data, by taggers that have not seen it. Calibrates ``tagger`` as they were."""
    number = {tag: i for i, tag in enumerate(tagger.tags)}
    temperatures: list[float] = []

    def fit(seen: list[Sentence]) -> Callable[[list[Sentence]], list[Ranked]]:
        fold = fit_tagger(dataclasses.replace(task, train=seen, dev=()), options)
        numbers = np.array([number[tag] for tag in fold.tags], dtype=np.uint16)

        def predict(held_out: list[Sentence]) -> list[Ranked]:
            if isinstance(fold, PerceptronTagger):
                temperatures.append(fold.calibrate(held_out))
            return [ranked(fold.tag_probabilities(sentence.forms), numbers) for sentence in held_out]

        return predict

    found = jackknife(train, folds, fit, task.track)
    if isinstance(tagger, PerceptronTagger) and temperatures:
        tagger.temperature = float(np.mean(temperatures))
    return found


def _quietly(task: TrainingTask) -> TrainingTask:
    return dataclasses.replace(
        task, checkpoint=None, resume=False, on_epoch=lambda record: None, track=lambda items, label: items
    )
