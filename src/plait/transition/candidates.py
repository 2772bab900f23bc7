"""Candidate tags: the k best of the tagger within α of its best, with how far behind they are.

A score is the probability of the tag under a CRF tagger, so α and the bins of 0.05 (Bohnet & Nivre 2012) are
differences of probabilities.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.chain.crf_tagger import CrfTagger, CrfTaggerOptions
from plait.data.document import Sentence
from plait.learn.jackknife import jackknife
from plait.system import TrainingTask

BIN = 0.05

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


def best_tags(probabilities: npt.NDArray[np.float64], k: int, alpha: float) -> Candidates:
    """Up to k tags of each word, none more than alpha below its best; equal ones in the order of the tag set.

    >>> c = best_tags(np.array([[0.2, 0.7, 0.1], [0.0, 1.0, 0.0]]), 2, 0.5)
    >>> c.tags.tolist(), c.counts.tolist(), c.bins.tolist()
    ([[1, 0], [1, 0]], [2, 1], [[0, 10], [0, 0]])
    """
    k = min(k, probabilities.shape[1])
    # 32 bits, and whole bins from a number a hair larger, so that 0.7 − 0.2 falls where it should on any machine
    order = np.argsort(-probabilities.astype(np.float32), axis=1, kind="stable")[:, :k]
    scores = np.take_along_axis(probabilities, order, axis=1)
    behind = np.maximum(scores[:, :1] - scores, 0.0)
    counts = np.maximum((behind <= alpha + 1e-9).sum(axis=1), 1)
    bins = np.floor(behind / BIN + 1e-6)
    bins[np.arange(k)[None, :] >= counts[:, None]] = 0
    return Candidates(order.astype(np.uint16), counts.astype(np.uint16), bins.astype(np.uint16))


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


def fit_tagger(task: TrainingTask, options: CrfTaggerOptions) -> CrfTagger:
    """The tagger inside a parser; it needs no checkpoint of its own, and its epochs are not reported."""
    return CrfTagger.fit(_quietly(task), options)


def jackknifed_probabilities(
    task: TrainingTask, train: Sequence[Sentence], options: CrfTaggerOptions, tags: Sequence[str], folds: int
) -> list[npt.NDArray[np.float64]]:
    """Tag probabilities of the training data, by taggers that have not seen it; a tag they do not know has 0."""
    number = {tag: i for i, tag in enumerate(tags)}

    def fit(seen: list[Sentence]) -> Callable[[list[Sentence]], list[npt.NDArray[np.float64]]]:
        tagger = CrfTagger.fit(dataclasses.replace(_quietly(task), train=seen, dev=()), options)
        columns = [number[tag] for tag in tagger.tags]

        def predict(held_out: list[Sentence]) -> list[npt.NDArray[np.float64]]:
            found = []
            for sentence in held_out:
                all_tags = np.zeros((len(sentence), len(tags)))
                all_tags[:, columns] = tagger.tag_probabilities(sentence.forms)
                found.append(all_tags)
            return found

        return predict

    return jackknife(train, folds, fit, task.track)


def _quietly(task: TrainingTask) -> TrainingTask:
    return dataclasses.replace(
        task, checkpoint=None, resume=False, on_epoch=lambda record: None, track=lambda items, label: items
    )
