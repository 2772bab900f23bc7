"""Scores of ``transition-weave`` on the raw text of a development set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plait.data.document import Sentence
from plait.data.tags import TagColumns
from plait.learn.outcome import Outcome
from plait.system.request import Request
from plait.transition.weave import SearchInput, TransitionWeave, surface_tokens

SINGLE_SENTENCE = Request(single_sentence=True)
ABSENT = "-"  # the value of each column for a gold word that was not found; not a tag, label or head


class HeldOut:
    """The development set with its candidate words, and the scores of a search on it."""

    def __init__(
        self, dev: Sequence[Sentence], segmenter: Any, columns: TagColumns, min_probability: float, trees: bool
    ) -> None:
        self.columns = columns
        self.measures = ("tlas", "las", "uas", "tags", "words") if trees else ("tags", "words")
        self.decides = self.measures[0]
        self.sentences: list[tuple[Sentence, list[Any], str, Any]] = []
        self.readings: list[SearchInput] = []
        words = known = 0
        for sentence in dev:
            passage = segmenter.passage_of(sentence)
            ((_, text, lattices),) = segmenter.lattices(passage.text, SINGLE_SENTENCE, min_probability)
            candidates = {(word.start, word.end) for lattice in lattices for word in lattice.words}
            words += len(passage.spans)
            known += sum(span in candidates for span in passage.spans)
            self.sentences.append((sentence, _keys(passage.spans, sentence), text, lattices[0]))
        self.recall = 100.0 * known / max(words, 1)

    def measure(self, system: TransitionWeave) -> Outcome:
        """Gold words count as found where the search has just this word."""
        outcome = Outcome(*self.measures)
        outcome.notes["candidates"] = self.recall  # more words cannot be found
        if not self.readings:  # the same in every epoch
            self.readings = [system.read(text, lattice) for _, _, text, lattice in self.sentences]
        for (sentence, keys, text, _), lattice in zip(self.sentences, self.readings, strict=True):
            ((read, analysis),) = system.analyses(lattice, 1)
            spans = surface_tokens(read, analysis)
            (found,) = system.segmenter.build(text, 0, [spans])
            system.write(found, read, analysis)
            own = _keys(spans, found)
            place = {key: k for k, key in enumerate(own)}
            where = [place.get(key) for key in keys]

            def column(values: Sequence[Any], where: Sequence[int | None] = where) -> list[Any]:
                return [ABSENT if k is None else values[k] for k in where]

            outcome.add(
                words=(keys, column(own)),
                tags=(self.columns.read(sentence), column(self.columns.read(found))),
                heads=(_head_keys(keys, sentence.heads), column(_head_keys(own, found.heads))),
                labels=(sentence.deprels, column(found.deprels)),
            )
        return outcome


def _keys(spans: Sequence[tuple[int, int]], sentence: Sentence) -> list[Any]:
    """A key that identifies each word of a text: offsets, and the number within its surface token."""
    return [
        (span, k)
        for span, (first, last, _, _) in zip(spans, sentence.surface_tokens(), strict=True)
        for k in range(last - first + 1)
    ]


def _head_keys(keys: Sequence[Any], heads: Sequence[int]) -> list[Any]:
    return [keys[head - 1] if head > 0 else head for head in heads]
