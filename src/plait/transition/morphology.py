"""Morphology for templates of transitions: what a tagger of FEATS says of each word, before the search begins.

Full morphological tags are many and rare, so choosing them in the search (``--tag upos+feats``) costs accuracy in the
part of speech. Here a tagger of its own chooses them, and templates see them whole (``feats``) and in the parts that
tell who governs whom: ``case``, ``verb`` (verb form, mood, voice, aspect, tense), ``agr`` (number, person, gender).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from plait.chain.options import PerceptronTaggerOptions
from plait.chain.perceptron_tagger import PerceptronTagger
from plait.core._hashing import text_hash
from plait.data.document import UNSPECIFIED, Sentence
from plait.data.tags import TagColumns
from plait.errors import DataError
from plait.learn.jackknife import jackknife
from plait.learn.task import TrainingTask
from plait.transition.candidates import Numbers, fit_tagger

MORPHOLOGY_COLUMNS = ("feats", "case", "verb", "agr")
PARTS = {
    "case": ("Case",),
    "verb": ("VerbForm", "Mood", "Voice", "Aspect", "Tense"),
    "agr": ("Number", "Person", "Gender"),
}
FEATS = TagColumns("feats")


def check_feats(train: Sequence[Sentence]) -> None:
    """A DataError where there is nothing to learn from."""
    if not any(FEATS.given(sentence) for sentence in train):
        raise DataError("the training data has no FEATS for --morphology to learn; leave that option out")


class Morphology:
    """A tagger of FEATS, and its tags as atoms."""

    def __init__(self, tagger: PerceptronTagger) -> None:
        self.tagger = tagger
        self._rows = feats_atoms(tagger.tags)
        self._number = {tag: i for i, tag in enumerate(tagger.tags)}

    @classmethod
    def fit(cls, task: TrainingTask, options: PerceptronTaggerOptions) -> Morphology:
        """Train it; dev data without FEATS says nothing of it."""
        dev = [sentence for sentence in task.dev if FEATS.given(sentence)]
        tagger = fit_tagger(dataclasses.replace(task, dev=dev), options)
        assert isinstance(tagger, PerceptronTagger)
        return cls(tagger)

    def jackknifed(self, task: TrainingTask, train: Sequence[Sentence], folds: int) -> list[Numbers]:
        """What taggers like this one say of the training data, which they have not seen."""
        if len(train) < 2:
            return [self.numbers(sentence, gold=True) for sentence in train]

        def fit(seen: list[Sentence]) -> Callable[[list[Sentence]], list[Numbers]]:
            if not any(FEATS.given(sentence) for sentence in seen):
                nothing = self._number[UNSPECIFIED]
                return lambda held_out: [np.full(len(s), nothing, dtype=np.uint16) for s in held_out]
            other = type(self).fit(dataclasses.replace(task, train=seen, dev=()), self.tagger.options).tagger
            known = np.array([self._number[tag] for tag in other.tags], dtype=np.uint16)
            return lambda held_out: [known[other.tag_numbers(sentence.forms)] for sentence in held_out]

        return jackknife(train, folds, fit, task.track)

    def numbers(self, sentence: Sentence, *, gold: bool = False, keep: bool = False) -> Numbers:
        """The tag of each word.

        ``gold``: those of the sentence if it has any, "_" as well; ``keep``: what it gives stays. Both only where they
        are known from training.
        """
        found = self.tagger.tag_numbers(sentence.forms)
        whole = gold and FEATS.given(sentence)
        for i, feats in enumerate(sentence.feats if whole or keep else ()):
            if whole or feats != UNSPECIFIED:
                found[i] = self._number.get(feats, found[i])
        return found

    def atoms(self, numbers: Numbers) -> npt.NDArray[np.uint64]:
        """[words][MORPHOLOGY_COLUMNS]."""
        return self._rows[numbers]

    def write(self, sentence: Sentence, numbers: Numbers) -> None:
        """Put the tags where they belong."""
        FEATS.write(sentence, [self.tagger.tags[n] for n in numbers.tolist()])


def feats_atoms(tags: Sequence[str]) -> npt.NDArray[np.uint64]:
    """[tags][MORPHOLOGY_COLUMNS], 0 where a tag says nothing of that.

    >>> (feats_atoms(["Case=Erg|Number[abs]=Sing", "_"]) != 0).tolist()
    [[True, True, False, True], [False, False, False, False]]
    """
    found = np.zeros((len(tags), len(MORPHOLOGY_COLUMNS)), dtype=np.uint64)
    for row, tag in zip(found, tags, strict=True):
        if tag == UNSPECIFIED:
            continue
        row[0] = text_hash(tag)
        values = sorted(tag.split("|"))
        for k, names in enumerate(PARTS.values(), 1):
            # Number[psor]=Plur is of Number
            part = [value for value in values if value.partition("=")[0].partition("[")[0] in names]
            row[k] = text_hash("|".join(part)) if part else 0
    return found
