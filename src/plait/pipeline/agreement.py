"""Which finer tags go with which coarser ones: XPOS under UPOS, as the training data has them.

A parser decides UPOS and a tagger of its own XPOS; each alone, they contradict each other now and then (VERB with JJ).
So the tagger decides second, and among the tags that occur with the UPOS of the word.
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
        """The pairs of some sentences, of tags that the tagger has; None where the two are never given together."""
        known, found = set(tags), dict[str, set[str]]()
        for sentence in sentences:
            for coarse, tag in zip(sentence.upos, columns.read(sentence), strict=True):
                if coarse != UNSPECIFIED and tag in known:
                    found.setdefault(coarse, set()).add(tag)
        return cls({coarse: sorted(found[coarse]) for coarse in sorted(found)}) if found else None

    def allowed(self, coarse: Iterable[str]) -> list[tuple[str, ...]]:
        """The tags that may be chosen for each word; none where any may, since its UPOS was never seen."""
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
