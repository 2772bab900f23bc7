"""Which predicted word corresponds to which gold word: one to one when the words agree, by their characters otherwise.

The alignment is the one of the CoNLL 2018 shared task (Zeman et al. 2018). Words are paired when they cover the same
characters. Around multiword tokens, whose words share their characters, the smallest stretch of text that no
multiword token of either side leaves is taken, and the words inside are paired by a longest common subsequence of
their forms, upper and lower case alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from plait.arrays import BoolArray, Int64Array
from plait.data.document import Document, Sentence
from plait.data.provenance import predicted_columns
from plait.errors import DataError
from plait.evaluation.words import ROOT, UNPAIRED, Spans, Words, encode

SCORED = ("upos", "xpos", "feats", "lemmas", "heads", "deprels", "chunk")  # the columns that measures look at


@dataclass(frozen=True)
class Pairing:
    """Gold and predicted words side by side."""

    gold: Words
    predicted: Words
    partner: Int64Array  # [gold words], the predicted word that stands for each, or UNPAIRED
    same_words: bool  # sentences and words agree, so that every word has its partner

    @cached_property
    def paired(self) -> BoolArray:
        """[gold words], has the word a partner?"""
        return np.asarray(self.partner != UNPAIRED)

    @cached_property
    def copied(self) -> frozenset[str]:
        """The columns of the prediction that its model copied from the input and that are not scored."""
        found = self.predicted.predicted_columns
        if found is None:
            return frozenset()
        return frozenset(c for c in SCORED if c not in found and self.gold.has(c) and self.predicted.has(c))

    @cached_property
    def reverse(self) -> Int64Array:
        """[predicted words], the gold word that each stands for, or UNPAIRED."""
        reverse = np.full(len(self.predicted), UNPAIRED, np.int64)
        reverse[self.partner[self.paired]] = np.flatnonzero(self.paired)
        return reverse

    @cached_property
    def home(self) -> Int64Array:
        """[predicted words], the gold sentence in whose text each begins."""
        if self.same_words:
            return self.gold.sentence
        return self.sentence_at(self.predicted.spans.starts)

    def sentence_at(self, places: list[int]) -> Int64Array:
        """The gold sentence in whose text each place is."""
        begins = np.array([start for start, _ in self.gold.spans.sentences], np.int64)
        return np.searchsorted(begins, np.array(places, np.int64), side="right") - 1

    @cached_property
    def head_right(self) -> BoolArray:
        """[gold words], is the partner attached to the partner of the gold head?"""
        heads = self.gold.heads
        wanted = np.where(heads >= 0, self.partner[np.maximum(heads, 0)], np.where(heads == ROOT, ROOT, UNPAIRED))
        return np.asarray(self.of_partner(self.predicted.heads, UNPAIRED - 1) == wanted)

    def of_partner(self, values: Int64Array, missing: int = -1) -> Int64Array:
        """[gold words], the value of each word's partner, or ``missing``."""
        if len(values) == 0:
            return np.full(len(self.gold), missing, np.int64)
        return np.where(self.paired, values[np.maximum(self.partner, 0)], missing)

    def equal(self, codes: tuple[Int64Array, Int64Array]) -> BoolArray:
        """[gold words], has the partner the same code? (codes of gold and predicted, none of them negative)"""
        return np.asarray(self.of_partner(codes[1]) == codes[0])

    def codes(self, column: str, key: Callable[[str], str] | None = None) -> tuple[Int64Array, Int64Array]:
        """A column of both sides as numbers, equal where the values (or what ``key`` makes of them) are equal."""
        return encode(self.gold.column(column), self.predicted.column(column), key)

    def given(self, column: str) -> BoolArray:
        """[gold words], is there a gold value in a column? Where words differ all of them count, as in CoNLL 2018."""
        return self.gold.given(column) if self.same_words else np.ones(len(self.gold), np.bool_)

    def same(self, column: str, key: Callable[[str], str] | None = None) -> BoolArray:
        """[gold words], has the partner the same value in a column?"""
        return self.equal(self.codes(column, key))


def copied_by_any(pairings: Iterable[Pairing]) -> frozenset[str]:
    """The columns that at least one system copied."""
    return frozenset(column for pairing in pairings for column in pairing.copied)


def pair(gold: Document | Iterable[Sentence], predicted: Document | Iterable[Sentence]) -> Pairing:
    """Pair the words one to one when both sides have the same sentences of the same words, otherwise by characters."""
    gold_words, predicted_words = _words(gold), _words(predicted)
    if _same_words(gold_words, predicted_words):
        return Pairing(gold_words, predicted_words, np.arange(len(gold_words)), True)
    return _aligned(gold_words, predicted_words)


def align(gold: Document | Iterable[Sentence], predicted: Document | Iterable[Sentence]) -> Pairing:
    """Pair the words by their characters, whatever the sentences are."""
    return _aligned(_words(gold), _words(predicted))


def pair_all(gold: Document, predictions: Sequence[Document]) -> list[Pairing]:
    """Pair each prediction with gold, all by characters if the words of any differ, so that scores are comparable.

    A DataError if gold has no sentences.
    """
    if not len(gold):
        raise DataError("gold has no sentences; a comparison needs at least one")
    pairings = [pair(gold, predicted) for predicted in predictions]
    if len({pairing.same_words for pairing in pairings}) > 1:
        pairings = [align(gold, predicted) for predicted in predictions]
    return pairings


def _words(source: Document | Iterable[Sentence]) -> Words:
    document = source if isinstance(source, Document) else Document(source)
    return Words(document.sentences, document.name, predicted_columns(document))


def _same_words(gold: Words, predicted: Words) -> bool:
    return len(gold.sentences) == len(predicted.sentences) and all(
        g.forms == p.forms for g, p in zip(gold.sentences, predicted.sentences, strict=True)
    )


def _aligned(gold: Words, predicted: Words) -> Pairing:
    if gold.spans.text != predicted.spans.text:
        raise DataError(_difference(gold, predicted))
    return Pairing(gold, predicted, _Aligner(gold, predicted).run(), False)


class _Aligner:
    """Aligns both sequences of words; i is the next gold word, j the next predicted one."""

    def __init__(self, gold: Words, predicted: Words) -> None:
        self.gold, self.predicted = gold.spans, predicted.spans
        self.gold_forms, self.predicted_forms = gold.forms, predicted.forms
        self.partner = np.full(len(gold), UNPAIRED, np.int64)

    def run(self) -> Int64Array:
        """The partner of every gold word."""
        gold, predicted, partner = self.gold, self.predicted, self.partner
        n, m = len(gold.starts), len(predicted.starts)
        i = j = 0
        while i < n and j < m:
            if gold.multiword[i] or predicted.multiword[j]:
                i, j = self._multiword_stretch(i, j)
            elif gold.starts[i] == predicted.starts[j] and gold.ends[i] == predicted.ends[j]:
                partner[i] = j
                i, j = i + 1, j + 1
            elif gold.starts[i] <= predicted.starts[j]:
                i += 1
            else:
                j += 1
        return partner

    def _multiword_stretch(self, i: int, j: int) -> tuple[int, int]:
        """Pair the words of the smallest stretch that holds the multiword token at i or j; return what follows it."""
        gold, predicted = self.gold, self.predicted
        # a plain word that began before the multiword token is outside of the stretch
        if gold.multiword[i]:
            end = gold.ends[i]
            j += not predicted.multiword[j] and predicted.starts[j] < gold.starts[i]
        else:
            end = predicted.ends[j]
            i += gold.starts[i] < predicted.starts[j]
        first_i, first_j = i, j
        # in the order of the text; like the official scorer, a plain word that sticks out of the stretch comes along
        # when the other side has still words inside
        n, m = len(gold.starts), len(predicted.starts)
        while _is_inside(gold, i, end) or _is_inside(predicted, j, end):
            if i < n and (j >= m or gold.starts[i] <= predicted.starts[j]):
                end = max(end, gold.ends[i]) if gold.multiword[i] else end
                i += 1
            else:
                end = max(end, predicted.ends[j]) if predicted.multiword[j] else end
                j += 1
        self._pair_by_form(first_i, i, first_j, j)
        return i, j

    def _pair_by_form(self, i: int, last_i: int, j: int, last_j: int) -> None:
        """Pair along a longest common subsequence of the lower-cased forms i to last_i and j to last_j."""
        a = [form.lower() for form in self.gold_forms[i:last_i]]
        b = [form.lower() for form in self.predicted_forms[j:last_j]]
        # longest[x][y] = longest common subsequence of a[x:] and b[y:]
        longest = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
        for x in range(len(a) - 1, -1, -1):
            for y in range(len(b) - 1, -1, -1):
                longest[x][y] = 1 + longest[x + 1][y + 1] if a[x] == b[y] else max(longest[x + 1][y], longest[x][y + 1])
        x = y = 0
        while x < len(a) and y < len(b):
            if a[x] == b[y]:
                self.partner[i + x] = j + y
                x, y = x + 1, y + 1
            elif longest[x + 1][y] >= longest[x][y + 1]:
                x += 1
            else:
                y += 1


def _is_inside(spans: Spans, i: int, end: int) -> bool:
    """Whether word i belongs to the stretch up to ``end``: multiword tokens that begin in it extend it."""
    if i >= len(spans.starts):
        return False
    return spans.starts[i] < end if spans.multiword[i] else spans.ends[i] <= end


def _difference(gold: Words, predicted: Words) -> str:
    """The first place where the texts differ, shown from both sides."""
    a, b = gold.spans.text, predicted.spans.text
    shorter = min(len(a), len(b))
    at = next((i for i in range(shorter) if a[i] != b[i]), shorter)
    return (
        f"gold and predicted have different texts: {_called('gold', gold)} has {_excerpt(gold, at)}, "
        f"{_called('predicted', predicted)} has {_excerpt(predicted, at)}; "
        "expected the same characters, spaces aside; evaluate the analysis of the same text"
    )


def _called(side: str, words: Words) -> str:
    return side if words.name is None else f"{side} {words.name}"


def _excerpt(words: Words, at: int) -> str:
    """The text around a place and the sentence and word it belongs to."""
    text = words.spans.text
    if at >= len(text):
        tail = f" after {'…' + text[-15:]!r}" if text else ""
        return f"nothing more{tail}, at its end ({len(words.sentences)} sentences)"
    word = next(i for i, end in enumerate(words.spans.ends) if end > at)
    number = int(words.sentence[word])
    name = words.sentences[number].sent_id
    named = f' "{name}"' if name is not None else ""
    shown = ("…" if at > 10 else "") + text[max(0, at - 10) : at + 15] + ("…" if at + 15 < len(text) else "")
    return f"{shown!r} in sentence {number + 1}{named}, word {word - int(words.first[number]) + 1}"
