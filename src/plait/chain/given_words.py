"""Tagging words that are given: by the labels of the segmenter, or by the tagger of its second stage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from plait.chain.multiword import JOIN
from plait.chain.rawtext import given_passage
from plait.chain.segments import Token
from plait.chain.word_search import WordSearch
from plait.chain.word_tagger import WordTagger
from plait.data.document import Sentence
from plait.data.tags import TagColumns
from plait.system.request import Request


class Tagging(NamedTuple):
    """The tags of a sentence, their probabilities if requested, and the score of the tagging."""

    tags: list[str]
    probabilities: list[float]
    score: float


@dataclass(frozen=True, eq=False, repr=False)
class GivenWordTagger:
    """Finds the tags of sentences whose words are given."""

    search: WordSearch
    tagger: WordTagger | None
    types: Sequence[str]
    columns: TagColumns
    spaces: bool  # between words

    def ranked(self, sentence: Sentence, request: Request) -> Iterator[Tagging]:
        """The taggings of a sentence, best first."""
        passage = given_passage(sentence, spaces=self.spaces)
        counts = [last - first + 1 for first, last, _, _ in sentence.surface_tokens()]
        allowed = allowed_types(sentence, self.types, self.columns, constrain=request.constrain)
        if self.tagger is not None:
            tokens = [Token(a, b, "", False) for a, b in passage.spans]
            atoms = self.tagger.atoms(passage.text, tokens)
            mask = self.tagger.mask(tokens, dict(zip(passage.spans, allowed, strict=True)))
            crf = self.tagger.crf
        else:
            atoms, mask, places = self.search.given_words(passage.text, passage.spans)
            for (first, last), numbers in zip(places, allowed, strict=True):
                if numbers:
                    self.search.labels.allow_types(mask, first, last, {self.types[k] for k in numbers})
            crf = self.search.crf
        for marks, types, score in crf.ranked(atoms, mask):
            probabilities: list[float] = []
            if self.tagger is not None:
                tagged = self.tagger.typed(tokens, types)
                if request.scores:
                    probabilities = crf.probabilities(atoms, mask)[1]["t"][np.arange(len(types)), types].tolist()
            else:
                tagged = self.search.labels.decode(marks, types)
                if request.scores:
                    probabilities = self.search.probabilities(tagged, marks, types, atoms, mask)
            tags: list[str] = []
            for token, count in zip(tagged, counts, strict=True):
                parts = token.type.split(JOIN)
                tags += parts if len(parts) == count else [parts[min(k, len(parts) - 1)] for k in range(count)]
            of_words = [p for p, count in zip(probabilities, counts, strict=False) for _ in range(count)]
            yield Tagging(tags, of_words, score)


def allowed_types(sentence: Sentence, types: Sequence[str], columns: TagColumns, *, constrain: bool) -> list[list[int]]:
    """For each surface token the numbers of the types it may have; an empty list if it may have any.

    A type has one tag for each word. With ``constrain`` it must also agree with the given tags of the words; a tag that
    no type agrees with is ignored.

    >>> s = Sentence(["a", "b"], upos=["NOUN", "_"])
    >>> allowed_types(s, ["NOUN", "VERB", "NOUN\\nVERB"], TagColumns("upos"), constrain=True)
    [[0], [0, 1]]
    """
    parts = [type.split(JOIN) for type in types]
    tags = sorted({tag for part in parts for tag in part})
    agreeing = [{tags[k] for k in found} for found in columns.agreeing(sentence, tags)] if constrain else None
    by_length: dict[int, list[int]] = {}
    for number, part in enumerate(parts):
        by_length.setdefault(len(part), []).append(number)
    found: list[list[int]] = []
    for first, last, _, _ in sentence.surface_tokens():
        allowed = by_length.get(last - first + 1, [])
        for k in range(last - first + 1 if agreeing is not None else 0):
            assert agreeing is not None
            narrower = [number for number in allowed if parts[number][k] in agreeing[first - 1 + k]]
            allowed = narrower or allowed
        found.append(allowed)
    return found
