"""Which columns a tagger predicts: ``upos``, ``xpos``, ``feats``, or several joined by ``+`` as one tag."""

from __future__ import annotations

from collections.abc import Sequence

from plait.data.document import UNSPECIFIED, Sentence
from plait.errors import OptionError

_COLUMNS = ("upos", "xpos", "feats", "lemmas", "deprels")
_NAMES = {"lemma": "lemmas", "deprel": "deprels"}
JOINT = "\t"  # between the parts of one tag: no column of any format can contain it


class TagColumns:
    """Reads and writes the tags of a sentence.

    >>> s = Sentence(["Hunde"], upos=["NOUN"], feats=["Number=Plur"])
    >>> TagColumns("upos+feats").read(s)
    ['NOUN\\tNumber=Plur']
    """

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self.columns = tuple(_NAMES.get(part, part) for part in spec.split("+"))
        if not all(column in _COLUMNS for column in self.columns) or len(set(self.columns)) != len(self.columns):
            raise OptionError(f'tag is "{spec}"; expected upos, xpos, feats, or several of them joined by +')

    def read(self, sentence: Sentence) -> list[str]:
        """One tag per word."""
        if len(self.columns) == 1:
            column: list[str] = getattr(sentence, self.columns[0])
            return list(column)
        return [JOINT.join(parts) for parts in zip(*(getattr(sentence, c) for c in self.columns), strict=True)]

    def write(self, sentence: Sentence, tags: Sequence[str]) -> None:
        """Put predicted tags where they belong."""
        if len(self.columns) == 1:
            setattr(sentence, self.columns[0], list(tags))
            return
        for column, values in zip(self.columns, zip(*(t.split(JOINT) for t in tags), strict=True), strict=False):
            setattr(sentence, column, list(values))

    def given(self, sentence: Sentence) -> bool:
        """Whether the sentence carries such tags at all."""
        return any(value != UNSPECIFIED for c in self.columns for value in getattr(sentence, c))


def shown_tag(tag: str) -> str:
    """A joined tag as a person reads it."""
    return tag.replace(JOINT, " ")
