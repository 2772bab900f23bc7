"""The jackknifed training data of ``transition-weave``: candidate words, tags and lemmas."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from plait.data.document import Sentence
from plait.learn.jackknife import jackknife
from plait.learn.task import TrainingTask
from plait.transition.candidate_words import CandidateWords, over_paths
from plait.transition.features import TransitionFeatures
from plait.transition.options import TransitionWeaveOptions
from plait.transition.reader import SentenceReader
from plait.transition.seen_words import SeenWords
from plait.transition.weave import SEGMENTER_SYSTEM
from plait.trees.candidates import RankedTags, ranked
from plait.trees.inner_tagger import ProbabilisticTagger, Tags
from plait.trees.training.inner_tagger import fit_tagger, jackknifed
from plait.trees.training.morphology import jackknifed_lemmas


class Reading(NamedTuple):
    """Candidate words of a training sentence, and which of them are its own."""

    words: CandidateWords
    own: list[int]

    @classmethod
    def given(cls, sentence: Sentence) -> Reading:
        """Its words, without competitors."""
        return cls(CandidateWords.given(sentence.forms), list(range(len(sentence))))


def _lattice(segmenter: Any, sentence: Sentence, min_probability: float) -> Reading:
    """A sentence as the segmenter reads its text."""
    counts = [last - first + 1 for first, last, _, _ in sentence.surface_tokens()]
    passage, lattice = segmenter.lattice_of(sentence, min_probability)
    words = CandidateWords.of(passage.text, lattice, segmenter.words_of)
    found = words.find(passage.spans, counts)
    if found is None or [words.forms[k] for k in found] != sentence.forms:
        # a multiword token that the segmenter does not know as such: the sentence teaches tags and trees alone
        return Reading.given(sentence)
    return Reading(words, found)


def training_lattices(
    task: TrainingTask, train: Sequence[Sentence], segmenter: Any, options: TransitionWeaveOptions
) -> list[Reading]:
    """The candidate words of the training data, to segmenters that have not seen it."""
    min_probability = options.word_probability
    if len(train) < 2:
        return [_lattice(segmenter, sentence, min_probability) for sentence in train]

    def fit(seen: list[Sentence]) -> Callable[[list[Sentence]], list[Reading]]:
        fold = fit_tagger(SEGMENTER_SYSTEM, dataclasses.replace(task, train=seen, dev=()), segmenter.options)
        return lambda held_out: [_lattice(fold, sentence, min_probability) for sentence in held_out]

    return jackknife(train, train, options.folds, fit, task.track)


def words_of_training(
    task: TrainingTask,
    train: Sequence[Sentence],
    segmenter: Any,
    features: TransitionFeatures,
    options: TransitionWeaveOptions,
) -> tuple[SeenWords | None, Sequence[SeenWords | None]]:
    """The words of the training data, and for each sentence those of the folds it is not in; None: nobody asks."""
    if not features.sees_seen_words:
        return None, [None] * len(train)
    texts = [(segmenter.passage_of(sentence).text, sentence.forms) for sentence in train]
    every = SeenWords.of(texts)
    if len(train) < 2:
        return every, [every] * len(train)

    def fit(seen: list[tuple[str, list[str]]]) -> Callable[[list[tuple[str, list[str]]]], list[SeenWords]]:
        of_fold = SeenWords.of(seen)
        return lambda held_out: [of_fold] * len(held_out)

    return every, jackknife(texts, train, options.folds, fit, task.track)


def training_tags(
    task: TrainingTask,
    train: Sequence[Sentence],
    readings: Sequence[Sequence[Reading]],
    reader: SentenceReader,
) -> list[list[RankedTags]]:
    """The tags of these candidate words, likewise."""
    own = [sentence.copy() for sentence in train]  # a sentence may be there twice, and be read differently
    of_sentence = {id(sentence): reading for sentence, reading in zip(own, readings, strict=True)}

    def predict(fold: ProbabilisticTagger, sentence: Sentence, numbers: Tags) -> list[RankedTags]:
        return [ranked(over_paths(r.words, fold.tag_probabilities), numbers) for r in of_sentence[id(sentence)]]

    if len(train) < 2:
        every = np.arange(len(reader.tagger.tags), dtype=np.uint16)
        return [predict(reader.tagger, sentence, every) for sentence in own]
    return jackknifed(task, own, reader.tagger, reader.options.folds, predict, calibrate=True)


def training_lemmas(
    task: TrainingTask,
    train: Sequence[Sentence],
    readings: Sequence[Sequence[Reading]],
    tags: Sequence[Sequence[RankedTags]],
    reader: SentenceReader,
) -> Sequence[Sequence[Sentence | None]]:
    """The lemmas of these candidate words under their most probable tags, likewise; None where nothing sees them."""
    lemmatizer = reader.morphology.lemmatizer
    if lemmatizer is None:
        return [[None] * len(of_sentence) for of_sentence in readings]
    found = []
    for of_kind, tags_of_kind in zip(zip(*readings, strict=True), zip(*tags, strict=True), strict=True):
        pairs = zip(of_kind, tags_of_kind, strict=True)
        tagged = [reader.tagged(Sentence(reading.words.forms), ranks.tags[:, 0]) for reading, ranks in pairs]
        if len(train) < 2:
            found.append([reader.morphology.analysed(words) for words in tagged])
        else:
            found.append(jackknifed_lemmas(task, train, tagged, lemmatizer, reader.options.folds))
    return list(zip(*found, strict=True))
