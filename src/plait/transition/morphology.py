"""Morphology for templates of transitions: what a tagger of FEATS says of each word, before the search begins.

Full morphological tags are many and rare, so choosing them in the search (``--tag upos+feats``) costs accuracy in the
part of speech. Here a tagger of its own chooses them, and templates see them whole (``feats``) and in the parts that
tell who governs whom: ``case``, ``verb`` (verb form, mood, voice, aspect, tense), ``agr`` (number, person, gender).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from plait.chain.perceptron_tagger import PerceptronTagger, PerceptronTaggerOptions
from plait.core._hashing import text_hash
from plait.data.document import UNSPECIFIED, Sentence
from plait.data.tags import TagColumns
from plait.errors import DataError
from plait.system import TrainingTask
from plait.transition.candidates import Numbers, fit_tagger, jackknifed_tags

MORPHOLOGY_COLUMNS = ("feats", "case", "verb", "agr")
PARTS = {
    "case": ("Case",),
    "verb": ("VerbForm", "Mood", "Voice", "Aspect", "Tense"),
    "agr": ("Number", "Person", "Gender"),
}
COLUMN = TagColumns("feats")


class Morphology:
    """A tagger of FEATS, and its tags as atoms."""

    def __init__(self, tagger: PerceptronTagger) -> None:
        self.tagger = tagger
        self._rows = feats_atoms(tagger.tags)
        self._number = {tag: i for i, tag in enumerate(tagger.tags)}

    @classmethod
    def fit(
        cls, task: TrainingTask, train: Sequence[Sentence], options: PerceptronTaggerOptions, folds: int, gold: bool
    ) -> tuple[Morphology, list[Numbers]]:
        """Train it; with what it says of the training data, jackknifed, or with the treebank's own."""
        if not any(COLUMN.given(sentence) for sentence in train):
            raise DataError("the training data has no FEATS for --morphology to learn; leave that option out")
        tagger = fit_tagger(task, options)
        assert isinstance(tagger, PerceptronTagger)
        found = cls(tagger)
        if gold or len(train) < 2:
            return found, [np.array([found._number[f] for f in s.feats], dtype=np.uint16) for s in train]
        ranked = jackknifed_tags(task, train, options, tagger, folds)
        return found, [row.tags[:, 0].astype(np.uint16) for row in ranked]

    def numbers(self, sentence: Sentence, *, keep: bool = False) -> Numbers:
        """The tag of each word; ``keep``: those that the sentence has stay, where they are known."""
        found = self.tagger.tag_numbers(sentence.forms)
        if keep:
            for i, feats in enumerate(sentence.feats):
                if feats != UNSPECIFIED:
                    found[i] = self._number.get(feats, found[i])
        return found

    def atoms(self, numbers: Numbers) -> npt.NDArray[np.uint64]:
        """[words][MORPHOLOGY_COLUMNS]."""
        return self._rows[numbers]

    def write(self, sentence: Sentence, numbers: Numbers) -> None:
        """Put the tags where they belong."""
        COLUMN.write(sentence, [self.tagger.tags[n] for n in numbers.tolist()])


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
