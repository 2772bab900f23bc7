"""Consistent tags: the XPOS that occur with each UPOS in the training data.

A parser predicts UPOS and a separate tagger XPOS; independently, they sometimes contradict each other (VERB with JJ).
So the tagger runs second, and chooses among the tags that occur with the UPOS of the word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plait.data.document import UNSPECIFIED, Sentence
from plait.data.tags import TagColumns

COARSE = "upos"


class Agreement:
    """The tags of a tagger that occur with each UPOS.

    >>> s = Sentence(["dogs", "bark"], upos=["NOUN", "VERB"], xpos=["NNS", "VBP"])
    >>> agreement = Agreement.learn([s], TagColumns("xpos"), ["NNS", "VBP"])
    >>> agreement.allowed(["NOUN", "X"])
    [('NNS',), ()]
    """

    def __init__(self, finer: Mapping[str, Sequence[str]]) -> None:
        self.finer = {coarse: tuple(tags) for coarse, tags in finer.items()}

    @classmethod
    def learn(cls, sentences: Iterable[Sentence], columns: TagColumns, tags: Sequence[str]) -> Agreement | None:
        """The pairs that occur in some sentences, for the tags of the tagger; None if no word has both."""
        known, found = set(tags), dict[str, set[str]]()
        for sentence in sentences:
            for coarse, tag in zip(sentence.upos, columns.read(sentence), strict=True):
                if coarse != UNSPECIFIED and tag in known:
                    found.setdefault(coarse, set()).add(tag)
        return cls({coarse: sorted(found[coarse]) for coarse in sorted(found)}) if found else None

    def allowed(self, coarse: Iterable[str]) -> list[tuple[str, ...]]:
        """The tags allowed for each word; none if its UPOS was not seen in training, that is any tag."""
        return [self.finer.get(tag, ()) for tag in coarse]

    def header(self) -> dict[str, list[str]]:
        """The table for a model file."""
        return {coarse: list(tags) for coarse, tags in self.finer.items()}

    @classmethod
    def from_header(cls, record: Any, tags: Sequence[str]) -> Agreement:
        """The inverse of ``header``; ValueError where it does not fit the tagger's tags."""
        known = set(tags)
        if not isinstance(record, dict) or not record:
            raise ValueError("its agreement table is malformed")
        for coarse, finer in record.items():
            if not isinstance(finer, list) or not finer or not all(isinstance(t, str) and t in known for t in finer):
                raise ValueError(f"its agreement table has unknown tags for {coarse!r}")
        return cls(record)
