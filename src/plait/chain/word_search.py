"""From a text to its words: decoding window by window, and lattices of candidate words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from plait.arrays import Float64Array, Int32Array, UInt64Array
from plait.chain import _tokens
from plait.chain.crf import Crf, Labelling, Mask
from plait.chain.segments import FREE, Rule, SegmentLabels, Token
from plait.chain.sentences import bounded, by_sentence
from plait.chain.units import JOINED, UnitReader, Units
from plait.chain.user_words import UserWords, make_word
from plait.chain.word_lattice import likely_spans, sentence_lattice
from plait.chain.word_tagger import WordTagger
from plait.data.word_lattice import Candidate, WordLattice
from plait.errors import OptionError
from plait.system.request import Request

LONGEST_LIKELY = 8  # units of a word that ``likely`` asks for
EDGE = 50  # units before the end of such a window that are decoded again with the next one
WINDOW = 4000  # units decoded at once; longer texts are cut at a sentence or word border


class Rerank(NamedTuple):
    """Shi and Wang (2007): the tagger, and the number of segmentations that are reranked."""

    tagger: WordTagger
    candidates: int


class CandidateCollector:
    """Collects the candidate words of a text that is decoded window by window."""

    def __init__(self, min_probability: float, kept: frozenset[tuple[int, int]]) -> None:
        self.min_probability = min_probability
        self.kept = kept  # (start, end) in characters
        self.found: list[Candidate] = []  # in order of their start
        self.fresh: list[Candidate] = []  # of the current window, in units counted from its start

    def settle(self, first: int, last: int) -> None:
        """Keep the candidates of a window from ``first`` on that end before ``last``."""
        moved = (c._replace(first=c.first + first, last=c.last + first) for c in self.fresh)
        self.found += [c for c in moved if c.last <= last]
        self.fresh = []


@dataclass(frozen=True, eq=False, repr=False)
class WordSearch:
    """Finds words, and their types if the labels have both."""

    labels: SegmentLabels
    crf: Crf
    reader: UnitReader
    inner: bool  # words may contain whitespace
    rerank: Rerank | None = None

    def lattices(
        self,
        text: str,
        words: UserWords,
        request: Request,
        min_probability: float,
        splits: Callable[[str], bool],
        kept: Collection[tuple[int, int]] = (),
    ) -> Iterator[WordLattice]:
        """The sentences of a text with all candidate words of at least this probability.

        Dictionary words that the segmenter chooses have no competitors, nor have tokens for which ``splits`` is true,
        that is multiword tokens. The spans ``kept``, (start, end), are candidates, however improbable: the tokens of a
        text that is one sentence.
        """
        collector = CandidateCollector(min_probability, frozenset(kept))
        units = self.reader.find(text, words.cuts)
        hidden = {at for span in collector.kept for at in span} - {*units.starts, *units.ends}
        if hidden:
            units = self.reader.find(text, words.cuts | hidden)
        tokens, _ = self._tokens(text, units, words, request, collector)
        if self.labels.finals and not request.single_sentence:
            tokens = bounded(tokens)
        begins, finishes = units.places
        chances = {(c.start, c.end): c for c in collector.found}
        at = 0
        for group in by_sentence(tokens):
            own = []
            for token in group:
                span = token.start, token.end
                place = Candidate(begins[token.start], finishes[token.end] + 1, *span, 1.0)
                own.append(chances.get(span, place))
            others = []
            while at < len(collector.found) and collector.found[at].first < own[-1].last:
                if not splits(text[collector.found[at].start : collector.found[at].end]):
                    others.append(collector.found[at])
                at += 1
            whole = frozenset(words.among(group))
            alone = whole | {(t.start, t.end) for t in group if splits(text[t.start : t.end])}
            tags = {(t.start, t.end): tag for t in group if (tag := words.tag_of(t))}
            yield sentence_lattice(own, others, alone)._replace(tags=tags, whole=whole)

    def tokens(self, text: str, words: UserWords, request: Request) -> tuple[list[Token], list[float]]:
        """Tokens in characters, and their probabilities on request."""
        return self._tokens(text, self.reader.find(text, words.cuts), words, request)

    def _tokens(
        self, text: str, units: Units, words: UserWords, request: Request, collector: CandidateCollector | None = None
    ) -> tuple[list[Token], list[float]]:
        """The same over some units; ``collector`` collects candidate words."""
        margin = EDGE + words.longest
        found: list[Token] = []
        probabilities: list[float] = []
        first, n = 0, len(units.starts)
        while first < n:
            request.on_step(0)
            last = min(n, first + WINDOW + words.longest)
            part = units.part(first, last)
            tokens, likely = self._decode(text, part, words, request, collector)
            if last < n:
                tokens, last = _complete(tokens, first, last, margin)
            if collector is not None:
                collector.settle(first, last)
            found += in_characters(tokens, part)
            probabilities += likely[: len(tokens)]
            first = last
        return found, probabilities

    def ranked(self, text: str) -> Iterator[tuple[list[Token], float]]:
        """Segmentations of a short text with the logarithms of their probabilities, best first.

        Under ``rerank`` the probabilities are those of words and tags, and there are no more than the candidates.
        """
        units = self.reader.find(text)
        if len(units.starts) > WINDOW:
            raise OptionError(
                f"n-best analyses are limited to {WINDOW} letter runs, numbers and other characters, and "
                f"this text has {len(units.starts)}; split it into sentences"
            )
        atoms = self._atoms(text, units)
        mask = self.labels.mask(self._rules(units))
        log_z = self.crf.probabilities(atoms, mask)[0]
        for (marks, types, _), score in self._candidates(text, units, atoms, mask):
            yield in_characters(self.labels.decode(marks, types), units), score - log_z

    def likely(self, text: str, min_probability: float) -> Iterator[tuple[int, int, float]]:
        """(start, end, probability) of the words of up to eight units that are at least so probable; in characters."""
        units = self.reader.find(text)
        finals = (False, True) if self.labels.finals else (False,)
        for first in range(0, len(units.starts), WINDOW):
            part = units.part(first, first + WINDOW)
            n = len(part.starts)
            spans = [(a, b) for a in range(n) for b in range(a + 1, min(n, a + LONGEST_LIKELY) + 1)]
            labellings = [
                (a, self.labels.path(Token(a, b, type, final)))
                for a, b in spans
                for type in self.labels.word_types
                for final in finals
            ]
            atoms, mask = self._atoms(text, part), self.labels.mask(self._rules(part))
            found = self.crf.probabilities(atoms, mask, labellings)[1]["spans"]
            for (a, b), probability in zip(spans, found.reshape(len(spans), -1).sum(axis=1).tolist(), strict=True):
                if probability >= min_probability:
                    yield part.starts[a], part.ends[b - 1], min(probability, 1.0)

    def given_words(
        self, text: str, spans: Sequence[tuple[int, int]]
    ) -> tuple[UInt64Array, Mask, list[tuple[int, int]]]:
        """Atoms of a text whose words are given as spans, what its units may be, and the spans in units."""
        units = self.reader.find(text, {at for span in spans for at in span})
        begins, finishes = units.places
        places = [(begins[a], finishes[b] + 1) for a, b in spans]
        rules: list[Rule] = [FREE] * len(units.starts)
        for first, last in places:
            rules[first:last] = self.labels.rules(Token(first, last, "", False))
        mask = self.labels.mask(rules)
        self.labels.forbid_sentence_ends(mask)
        return self._atoms(text, units), mask, places

    def probabilities(
        self, tokens: Sequence[Token], marks: Int32Array, types: Int32Array,
        atoms: UInt64Array, mask: Mask | None,
    ) -> list[float]:  # fmt: skip
        """The probabilities of the tokens of a labelling, as words of their type."""
        pairs = list(zip(marks.tolist(), types.tolist(), strict=True))
        labellings = [(t.start, pairs[t.start : t.end]) for t in tokens]
        if self.labels.finals:  # whether the sentence ends there is another question than whether it is a word
            labellings += [(t.start, self.labels.path(t._replace(final=not t.final))) for t in tokens]
        found = self.crf.probabilities(atoms, mask, labellings)[1]["spans"].reshape(-1, len(tokens))
        summed: list[float] = np.minimum(found.sum(axis=0), 1.0).tolist()
        return summed

    def _decode(
        self, text: str, units: Units, words: UserWords, request: Request, collector: CandidateCollector | None = None
    ) -> tuple[list[Token], list[float]]:
        """Tokens over the units of one window."""
        atoms = self._atoms(text, units)
        rules = self._rules(units)
        words.force(rules, units, self.labels)
        mask = self._mask(rules, single_sentence=request.single_sentence)
        bonuses = self.labels.bonuses(words.preferred(units)) if words.mode == "prefer" else None
        if self.rerank is not None and bonuses is None:
            (marks, types, _), _ = next(self._candidates(text, units, atoms, mask))
        else:
            marks, types, _ = self.crf.best(atoms, mask, bonuses)
        tokens = self.labels.decode(marks, types)
        if words.merged(rules, tokens, units, self.labels):
            mask = self._mask(rules, single_sentence=request.single_sentence)
            marks, types, _ = self.crf.best(atoms, mask)
            tokens = self.labels.decode(marks, types)
        if collector is not None and tokens:
            rules = self._rules(units)
            for token, place in zip(in_characters(tokens, units), tokens, strict=True):
                if words.has(token):
                    make_word(rules, self.labels, place.start, place.end, "")
            mask_of_candidates = self._mask(rules, single_sentence=request.single_sentence)
            collector.fresh = self._candidate_words(units, atoms, mask_of_candidates, tokens, collector)
        return tokens, self.probabilities(tokens, marks, types, atoms, mask) if request.scores and tokens else []

    def _candidate_words(
        self, units: Units, atoms: UInt64Array, mask: Mask | None, own: Sequence[Token], collector: CandidateCollector
    ) -> list[Candidate]:
        """The candidate words of a window, in units from its start: likely ones, its own tokens, and those kept."""
        begins, finishes = units.places
        kept = {(t.start, t.end) for t in own}
        kept.update((begins[a], finishes[b] + 1) for a, b in collector.kept)
        finals = (False, True) if self.labels.finals else (False,)
        spans: list[tuple[int, int]] = []

        def labellings(found: dict[str, Float64Array]) -> list[tuple[int, list[tuple[int, int]]]]:
            spans.extend(sorted(kept.union(likely_spans(self.labels.beginning(found), collector.min_probability))))
            patterns: dict[int, list[list[tuple[int, int]]]] = {}  # by length
            for length in {b - a for a, b in spans}:
                words = [Token(0, length, type, final) for type in self.labels.word_types for final in finals]
                patterns[length] = [self.labels.path(word) for word in words]
            return [(a, labels) for a, b in spans for labels in patterns[b - a]]

        chances = self.crf.span_probabilities(atoms, mask, labellings).reshape(len(spans), -1).sum(axis=1)
        return [
            Candidate(a, b, units.starts[a], units.ends[b - 1], min(chance, 1.0))
            for (a, b), chance in zip(spans, chances.tolist(), strict=True)
            if chance >= collector.min_probability or (a, b) in kept
        ]

    def _candidates(
        self, text: str, units: Units, atoms: UInt64Array, mask: Mask | None
    ) -> Iterator[tuple[Labelling, float]]:
        """Labellings and what they are ranked by, best first."""
        labellings = self.crf.ranked(atoms, mask)
        if self.rerank is None:
            yield from ((labelling, labelling[2]) for labelling in labellings)
            return
        known: dict[tuple[Token, ...], float] = {}  # most candidates share most sentences
        scored: list[tuple[Labelling, float]] = []
        for labelling in islice(labellings, self.rerank.candidates):
            tokens = in_characters(self.labels.decode(*labelling[:2]), units)
            scored.append((labelling, labelling[2] + self.rerank.tagger.log_probability(text, tokens, known)))
        yield from sorted(scored, key=lambda item: -item[1])

    def _atoms(self, text: str, units: Units) -> UInt64Array:
        return self.reader.atoms(text, units, self.crf.features)

    def _rules(self, units: Units) -> list[Rule]:
        """White space ends a word, unless the training data had words with spaces."""
        begins = (self.labels.beginnings, "")
        rules = [FREE if gap == JOINED or self.inner else begins for gap in units.gaps]
        if rules and self.labels.hard:  # the labels themselves let nothing else begin a sequence
            rules[0] = FREE
        return rules

    def _mask(self, rules: list[Rule], *, single_sentence: bool) -> Mask | None:
        if not single_sentence and all(rule == FREE for rule in rules):
            return None
        mask = self.labels.mask(rules)
        if single_sentence:
            self.labels.forbid_sentence_ends(mask)
        return mask


def in_characters(tokens: list[Token], units: Units) -> list[Token]:
    """Tokens over units as tokens over the characters of the text."""
    return _tokens.in_characters(tokens, units.starts, units.ends)


def _complete(tokens: list[Token], first: int, last: int, margin: int) -> tuple[list[Token], int]:
    """Of the tokens of a window that is not the last, those that no longer depend on what follows."""
    ends = [k for k, t in enumerate(tokens) if t.final and t.end < last - first - margin]
    keep = ends[-1] + 1 if ends else max(1, sum(t.end < last - first - margin for t in tokens))
    return tokens[:keep], first + tokens[keep - 1].end
