"""Which columns a tagger predicts: ``upos``, ``xpos``, ``feats``, or several joined by ``+`` as one tag."""

from __future__ import annotations

from collections.abc import Sequence

from plait.data.document import UNSPECIFIED, Sentence
from plait.data.feats import tidy_feats
from plait.errors import OptionError

TAG_COLUMNS = ("upos", "xpos", "feats")
_COLUMNS = (*TAG_COLUMNS, "lemmas", "deprels")
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

    def agreeing(self, sentence: Sentence, tags: Sequence[str]) -> list[list[int]]:
        """For each word the numbers of the tags that agree with what it has; none where it has nothing, or no tag does.

        The order of features does not matter. Where no tag agrees in all columns, UPOS counts before XPOS, and that
        before FEATS: what a tag set does not have should not undo the rest.

        >>> s = Sentence(["a", "b", "c"], upos=["NOUN", "_", "NOUN"], feats=["_", "_", "Case=New"])
        >>> TagColumns("upos+feats").agreeing(s, ["NOUN\\tCase=Nom", "NOUN\\t_", "VERB\\t_"])
        [[0, 1], [], [0, 1]]
        """
        parts = [tag.split(JOINT) if len(self.columns) > 1 else [tag] for tag in tags]
        columns: list[list[str]] = [getattr(sentence, column) for column in self.columns]
        if "feats" in self.columns:
            at = self.columns.index("feats")
            columns[at] = [tidy_feats(feats) for feats in columns[at]]
            for part in parts:
                part[at] = tidy_feats(part[at])
        rows: list[tuple[str, ...]] = list(zip(*columns, strict=True))
        known: dict[tuple[str, ...], list[int]] = {(UNSPECIFIED,) * len(self.columns): []}
        for row in rows:
            if row not in known:
                wanted = [(k, value) for k, value in enumerate(row) if value != UNSPECIFIED]
                wanted.sort(key=lambda pair: _COLUMNS.index(self.columns[pair[0]]))
                known[row] = []
                while wanted and not known[row]:
                    known[row] = [i for i, part in enumerate(parts) if all(part[k] == value for k, value in wanted)]
                    wanted.pop()
        return [known[row] for row in rows]

    @property
    def open_tag(self) -> str:
        """The tag of a word that has nothing in any of the columns."""
        return JOINT.join([UNSPECIFIED] * len(self.columns))

    def filled(self, sentences: Sequence[Sentence], share: float = 0.0) -> set[str]:
        """The columns in which more than this share of the words has a value."""
        values = {column: [v for s in sentences for v in getattr(s, column)] for column in self.columns}
        return {c for c, found in values.items() if len(found) - found.count(UNSPECIFIED) > share * len(found)}

    def given(self, sentence: Sentence) -> bool:
        """Whether the sentence carries such tags at all."""
        return any(value != UNSPECIFIED for c in self.columns for value in getattr(sentence, c))


def filled_columns(sentences: Sequence[Sentence]) -> list[str]:
    """The columns among UPOS, XPOS and FEATS that hold anything."""
    return [column for column in TAG_COLUMNS if any(map(TagColumns(column).given, sentences))]


def shown_tag(tag: str) -> str:
    """A joined tag as a person reads it."""
    return tag.replace(JOINT, " ")
