"""Morphology for templates of transitions: what a tagger of FEATS says of each word, before the search begins.

Full morphological tags are many and rare, so choosing them in the search (``--tag upos+feats``) costs accuracy in the
part of speech. Here a tagger of its own chooses them, and templates see them whole (``feats``) and in the parts that
tell who governs whom: ``case``, ``verb`` (verb form, mood, voice, aspect, tense), ``agr`` (number, person, gender).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from plait.core._hashing import text_hash
from plait.data.document import UNSPECIFIED, Sentence
from plait.data.tags import TagColumns
from plait.trees.inner_tagger import InnerTagger, Tags

MORPHOLOGY_COLUMNS = ("feats", "case", "verb", "agr")
PARTS = {
    "case": ("Case",),
    "verb": ("VerbForm", "Mood", "Voice", "Aspect", "Tense"),
    "agr": ("Number", "Person", "Gender"),
}
FEATS = TagColumns("feats")


class Morphology:
    """A tagger of FEATS, and its tags as atoms."""

    def __init__(self, tagger: InnerTagger) -> None:
        self.tagger = tagger
        self._rows = feats_atoms(tagger.tags)
        self._number = {tag: i for i, tag in enumerate(tagger.tags)}

    def numbers(self, sentence: Sentence, *, gold: bool = False, keep: bool = False) -> Tags:
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

    def atoms(self, numbers: Tags) -> npt.NDArray[np.uint64]:
        """[words][MORPHOLOGY_COLUMNS]."""
        return self._rows[numbers]

    def write(self, sentence: Sentence, numbers: Tags) -> None:
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
