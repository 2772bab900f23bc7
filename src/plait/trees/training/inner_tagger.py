"""Training of the tagger inside a parser, and jackknifing: tags of the training data as on new text."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from plait.data.document import Sentence
from plait.data.tags import TagColumns
from plait.learn.jackknife import jackknife
from plait.learn.task import TrainingTask
from plait.system import find_system, find_trainer
from plait.trees.candidates import RankedTags, ranked
from plait.trees.inner_tagger import AUTO, TAGGERS, InnerTagger, ProbabilisticTagger, Probabilities, Tags

COMPETING_TAGS = 16  # of a word, in a perceptron tagger of a large tag set

P = TypeVar("P")
T = TypeVar("T", bound=InnerTagger)


def tagger_options(name: str, parser: Any, **chosen: Any) -> Any:
    """The options of a tagger, from those of the parser around it; ``chosen`` takes precedence.

    A tagger uses its own default templates unless others are specified.
    """
    kind: Any = find_system(name).Options
    told = {"epochs": "tagger_epochs", "tag": "tag", "templates": "tagger_templates"}
    shared = {name: getattr(parser, told[name]) for name in told if name not in chosen}
    if shared.get("templates") == getattr(type(parser), "tagger_templates", ""):
        del shared["templates"]
    if hasattr(kind, "tidy"):  # the parser knows tags as the data has them
        shared["tidy"] = False
    if hasattr(kind, "prune"):
        stored = {"bits": parser.bits, "prune": parser.prune, "slack": parser.slack}
    else:  # nothing watches over a CRF of 8 bits
        stored = {"optimizer": "adagrad", "bits": max(16, parser.bits)}
    return kind(**{**shared, **stored, **chosen})


def inner_tagger(kind: str, parser: Any, **chosen: Any) -> tuple[str, Any]:
    """Name and options of the tagger selected by a parser's option ``tagger``; ``chosen`` takes precedence.

    By default a morph-tagger: it is more accurate than the others, whether there are 20 tags or 1,000, and its
    marginals are exact.
    """
    name = TAGGERS["morph" if kind == AUTO else kind]
    if name == TAGGERS["morph"]:
        chosen |= {"megabytes": parser.tagger_megabytes}
    elif name == TAGGERS["perceptron"]:
        chosen |= {"limit": COMPETING_TAGS}
    return name, tagger_options(name, parser, **chosen)


def fit_tagger(name: str, task: TrainingTask, options: Any) -> Any:
    """The tagger for use; it is quick to train and needs no checkpoint, and its progress is not reported."""
    return find_trainer(name)(dataclasses.replace(task.quietly(), checkpoint=None, resume=False), options)


def jackknifed_numbers(task: TrainingTask, train: Sequence[Sentence], tagger: InnerTagger, folds: int) -> list[Tags]:
    """The best tag of each word of the training data, by taggers like this one that have not seen the sentence."""

    def predict(fold: InnerTagger, sentence: Sentence, numbers: Tags) -> Tags:
        return numbers[fold.tag_numbers(sentence.forms)]

    return jackknifed(task, train, tagger, folds, predict)


def jackknifed_probabilities(
    task: TrainingTask, train: Sequence[Sentence], tagger: ProbabilisticTagger, folds: int
) -> list[Probabilities]:
    """The probabilities of all tags of each word, likewise; 0 for a tag that the other folds do not have."""

    def predict(fold: ProbabilisticTagger, sentence: Sentence, numbers: Tags) -> Probabilities:
        p = np.zeros((len(sentence), len(tagger.tags)))
        p[:, numbers] = fold.tag_probabilities(sentence.forms)
        return p

    return jackknifed(task, train, tagger, folds, predict, calibrate=True)


def jackknifed_candidates(
    task: TrainingTask, train: Sequence[Sentence], tagger: ProbabilisticTagger, folds: int
) -> list[RankedTags]:
    """The most probable tags of each word, likewise."""

    def predict(fold: ProbabilisticTagger, sentence: Sentence, numbers: Tags) -> RankedTags:
        return ranked(fold.tag_probabilities(sentence.forms), numbers)

    return jackknifed(task, train, tagger, folds, predict, calibrate=True)


class _Untagged:
    """The tagger trained on sentences without any tags, which may occur as a fold: it predicts no tags."""

    def __init__(self, columns: TagColumns) -> None:
        self.tags = (columns.open_tag,)

    def tag_numbers(self, forms: Sequence[str]) -> Tags:
        return np.zeros(len(forms), dtype=np.uint16)

    def tag_probabilities(self, forms: Sequence[str]) -> Probabilities:
        return np.ones((len(forms), 1))


def jackknifed(
    task: TrainingTask,
    train: Sequence[Sentence],
    tagger: T,
    folds: int,
    predict: Callable[[T, Sentence, Tags], P],
    *,
    calibrate: bool = False,
) -> list[P]:
    """Predictions from the tagger of a fold, the sentence, and the numbers of that tagger's tags among all tags.

    With ``calibrate`` a tagger whose probabilities depend on a temperature gets the mean of the temperatures that fit
    the held-out sentences.
    """
    number = {tag: i for i, tag in enumerate(tagger.tags)}
    temperatures: list[float] = []

    def fit(seen: list[Sentence]) -> Callable[[list[Sentence]], list[P]]:
        if any(tagger.columns.given(sentence) for sentence in seen):
            fold = fit_tagger(tagger.name, dataclasses.replace(task, train=seen, dev=()), tagger.options)
        else:
            fold = _Untagged(tagger.columns)
        numbers = np.array([number[tag] for tag in fold.tags], dtype=np.uint16)

        def of_held_out(held_out: list[Sentence]) -> list[P]:
            if calibrate and hasattr(fold, "calibrate"):
                temperatures.append(fold.calibrate(held_out))
            return [predict(fold, sentence, numbers) for sentence in held_out]

        return of_held_out

    found = jackknife(train, train, folds, fit, task.track)
    if temperatures:
        tagger.temperature = float(np.mean(temperatures))  # type: ignore[attr-defined]
    return found
