"""``crf-segmenter``: raw text of any script into sentences, words and tags (Qian et al. 2010, and its rivals)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from plait.chain.crf import Crf
from plait.chain.distinct import distinct
from plait.chain.given_types import allowed_types
from plait.chain.multiword import JOIN, Splitter
from plait.chain.options import TWO_STAGES, CrfSegmenterOptions
from plait.chain.rawtext import given_passage
from plait.chain.segments import SegmentLabels, Token
from plait.chain.sentences import SentenceBuilder, bounded
from plait.chain.units import SEGMENTER_COLUMNS, UnitReader
from plait.chain.user_words import UserWords
from plait.chain.word_search import Rerank, WordSearch
from plait.chain.word_tagger import Span, WordTagger
from plait.data.document import Sentence
from plait.data.given import Given
from plait.data.schemes import SCHEMES
from plait.data.tags import TagColumns
from plait.errors import ModelError, OptionError
from plait.features._words import WORD_COLUMNS
from plait.features.abbreviations import Abbreviations
from plait.features.word_lexicon import Lexicon
from plait.system import Parts, System
from plait.system.modelparts import check_lexicon_use, lexicon_table_arrays, open_lexicon_table, open_names
from plait.system.request import PLAIN, Request

FACTS = ("runs", "inner", "spaces")

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_LINE = re.compile(r"[\r\n\u2028\u2029]+")


class CrfSegmenter(System):
    """A CRF segmenter: raw text in any script to sentences, words and tags (Qian et al. 2010)."""

    name = "crf-segmenter"
    supports = frozenset({"scores", "constrain"})
    Options = CrfSegmenterOptions
    segments = True

    def __init__(
        self,
        options: CrfSegmenterOptions,
        types: Sequence[str],
        crf: Crf,
        tagger: Crf | None,
        splitter: Splitter,
        facts: Mapping[str, bool],
        training: dict[str, Any],
        abbreviations: Abbreviations | None = None,
        lexicon: Lexicon | None = None,
    ) -> None:
        self.options = options
        self.columns = TagColumns(options.tag)
        self.types = tuple(types)
        self.labels = segment_labels(options, types)
        self.crf = crf
        self.tagger = None if tagger is None else WordTagger(tagger)
        self.splitter = splitter
        self.facts = dict(facts)  # runs: letter runs are units; inner: words may hold spaces; spaces: the data had some
        self.training = training
        self.abbreviations = abbreviations or Abbreviations({})
        self.lexicon = lexicon
        reranks = options.structure == "rerank" and self.tagger is not None
        self.search = WordSearch(
            self.labels, crf, UnitReader(self.facts["runs"], self.abbreviations.numbers, lexicon),
            inner=self.facts["inner"],
            rerank=Rerank(self.tagger, options.candidates) if reranks and self.tagger is not None else None,
        )  # fmt: skip
        self.builder = SentenceBuilder(splitter, self.columns if self.predicts else None)

    @property
    def predicts(self) -> tuple[str, ...]:
        """The tag columns; words and sentences come with them."""
        return () if self.options.structure == "linear" else self.columns.columns

    def segment(self, text: str, request: Request = PLAIN) -> list[Sentence]:
        """Sentences of a raw text; offsets count from its beginning."""
        sentences: list[Sentence] = []
        stretches = [(0, len(text))] if request.whole and text.strip() else self._stretches(text)
        for start, end in stretches:
            tokens, chances = self._tokens(text[start:end], request)
            sentences += self.builder.build(text, start, tokens, chances if request.scores else None)
        return sentences

    def alternatives_of(self, text: str, count: int, request: Request = PLAIN) -> list[list[Sentence]]:
        """The ``count`` best analyses of a text that is one paragraph (or line), best first.

        A score is the logarithm of an analysis's probability; under ``pipeline`` of that of its words alone, which
        get their best tags, as always there.
        """
        found = list(self._stretches(text))
        if len(found) > 1:
            raise OptionError("n-best analyses are limited to one paragraph; split the text at blank lines")
        if not found:
            return [[]]
        start, end = found[0]
        piece = text[start:end]

        def analyses() -> Iterator[list[Sentence]]:
            for tokens, score in self.search.ranked(piece):
                request.watch(0)
                ended = self._bounded(tokens)
                tagged = ended if self.tagger is None else self.tagger.tag(piece, ended, {})[0]
                sentences = self.builder.build(text, start, tagged, None)
                for sentence in sentences:
                    sentence.score = score
                yield sentences

        return list(distinct(analyses(), lambda made: tuple(map(self._identity, made)), count))

    def alternatives(self, sentence: Sentence, count: int, request: Request = PLAIN) -> list[Sentence]:
        """The ``count`` best taggings of a sentence whose words are given, best first, each with its score."""
        if not self.predicts or not len(sentence):
            return [sentence.copy()]

        def twins() -> Iterator[Sentence]:
            for tags, _, score in self._taggings(sentence, PLAIN):
                request.watch(0)
                yield self._tagged_twin(sentence, tags, score)

        return list(distinct(twins(), self._identity, count))

    def likely_words(self, text: str, least: float) -> Iterator[tuple[int, int, float]]:
        """(start, end, probability) of every word that is at least so probable where it stands, in characters."""
        for start, end in self._stretches(text):
            for a, b, chance in self.search.likely(text[start:end], least):
                yield a + start, b + start, chance

    def _tagged_twin(self, sentence: Sentence, tags: list[str], score: float) -> Sentence:
        twin = sentence.copy()
        self.columns.write(twin, tags)
        twin.score = score
        return twin

    def _identity(self, sentence: Sentence) -> tuple[Any, ...]:
        """What makes an analysis another one."""
        offsets = None if sentence.offsets is None else tuple(sentence.offsets)
        return tuple(sentence.forms), offsets, tuple(self.columns.read(sentence)) if self.predicts else ()

    def _stretches(self, text: str) -> Iterator[tuple[int, int]]:
        """What is decoded at once: paragraphs, or lines where sentences are not learnt."""
        at = 0
        border = _BLANK_LINE if self.options.sentences else _LINE
        for match in [*border.finditer(text), None]:
            end = len(text) if match is None else match.start()
            if text[at:end].strip():
                yield at, end
            at = end if match is None else match.end()

    def _tokens(self, text: str, request: Request) -> tuple[list[Token], list[float]]:
        """Surface tokens in characters, and their probabilities on request."""
        words = UserWords(request.dictionary, text)
        found, chances = self.search.tokens(text, words, request)
        if not request.whole:
            found = self._bounded(found)
        if self.tagger is not None:
            found, tag_chances = self.tagger.tag(text, found, self._tagger_types(found, words), scores=request.scores)
            chances = [a * b for a, b in zip(chances, tag_chances, strict=False)]
        if request.dictionary is not None and self.predicts:
            found = [self._retyped(token, words) for token in found]
        return found, chances

    def _bounded(self, tokens: list[Token]) -> list[Token]:
        """Sentences of a bearable length; where every line is one, that is the user's word."""
        return bounded(tokens) if self.options.sentences else tokens

    def _tagger_types(self, tokens: Sequence[Token], words: UserWords) -> dict[Span, list[int]]:
        """The tags of the dictionary that the second stage knows, by token."""
        assert self.tagger is not None
        if words.dictionary is None:
            return {}
        number = {type: k for k, type in enumerate(self.tagger.types)}
        tags = [(token, words.tag_of(token)) for token in tokens]
        return {(token.start, token.end): [number[tag]] for token, tag in tags if tag in number}

    def _retyped(self, token: Token, words: UserWords) -> Token:
        """A tag that the model does not know could not bind it; it is written all the same."""
        tag = words.tag_of(token)
        if not tag or (words.mode == "prefer" and tag in self.types):
            return token
        return token._replace(type=tag)

    def annotate(self, sentence: Sentence) -> None:
        """Tag a sentence whose words are given: they stay as they are."""
        self.annotate_with(sentence, PLAIN)

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """The same; with ``request.scores`` the probability of each tag.

        With ``request.constrain`` the tags that the sentence has stay, and the others are found beside them.
        """
        request.refuse(self.name + " on given words", "dictionary")
        if not self.predicts or not len(sentence):
            return
        given = Given(sentence, self.predicts) if request.constrain else None
        tags, chances, _ = next(self._taggings(sentence, request))
        self.columns.write(sentence, tags)
        if given is not None:
            given.restore(sentence)
        if request.scores:
            sentence.scores = chances

    def _taggings(self, sentence: Sentence, request: Request) -> Iterator[tuple[list[str], list[float], float]]:
        """(tags, their probabilities on request, score) of the words of a sentence, best first."""
        passage = given_passage(sentence, spaces=self.facts["spaces"])
        counts = [last - first + 1 for first, last, _, _ in sentence.surface_tokens()]
        allowed = allowed_types(sentence, self.types, self.columns, constrain=request.constrain)
        if self.tagger is not None:
            tokens = [Token(a, b, "", False) for a, b in passage.spans]
            atoms = self.tagger.atoms(passage.text, tokens)
            bars = self.tagger.bars(tokens, dict(zip(passage.spans, allowed, strict=True)))
            crf = self.tagger.crf
        else:
            atoms, bars, places = self.search.given_words(passage.text, passage.spans)
            for (first, last), numbers in zip(places, allowed, strict=True):
                if numbers:
                    self.labels.bar_types(bars, first, last, {self.types[k] for k in numbers})
            crf = self.crf
        for marks, types, score in crf.ranked(atoms, bars):
            tagged = self.tagger.typed(tokens, types) if self.tagger is not None else self.labels.decode(marks, types)
            chances: list[float] = []
            if request.scores and self.tagger is not None:
                chances = crf.probabilities(atoms, bars)[1]["t"][np.arange(len(types)), types].tolist()
            elif request.scores:
                chances = self.search.chances(tagged, marks, types, atoms, bars)
            tags: list[str] = []
            for token, count in zip(tagged, counts, strict=True):
                parts = token.type.split(JOIN)
                tags += parts if len(parts) == count else [parts[min(k, len(parts) - 1)] for k in range(count)]
            yield tags, [p for p, count in zip(chances, counts, strict=False) for _ in range(count)], score

    def parts(self) -> Parts:
        """Types, splits, templates and weights."""
        header, arrays = self.crf.parts()
        entries: dict[str, Any] = {
            "crf": header,
            "types": list(self.types),
            "multiword": self.splitter.header(),
            "facts": self.facts,
        }
        if self.abbreviations.kinds:
            entries["abbreviations"] = self.abbreviations.header()
        if self.lexicon is not None:
            entries["lexicon"] = self.lexicon.header()
            arrays = {**arrays, **lexicon_table_arrays(self.lexicon)}
        if self.tagger is not None:
            entries["tagger"], more = self.tagger.crf.parts("tagger.")
            arrays = {**arrays, **more}
        return entries, arrays

    @classmethod
    def from_parts(
        cls, options: CrfSegmenterOptions, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
    ) -> Self:
        """Put a segmenter together from a model file."""
        try:
            crf = Crf.from_parts(header["crf"], arrays, SEGMENTER_COLUMNS)
            two = options.structure in TWO_STAGES
            tagger = Crf.from_parts(header["tagger"], arrays, WORD_COLUMNS, "tagger.") if two else None
            facts = {name: bool(header["facts"][name]) for name in FACTS}
            types = open_names(header["types"], "types")
            splitter = Splitter.from_header(header["multiword"])
            abbreviations = Abbreviations.from_header(header.get("abbreviations", {}))
            lexicon = open_lexicon_table(header, arrays)
            check_lexicon_use(lexicon, crf.features.columns)
            training = dict(header.get("training", {}))
            found = cls(options, types, crf, tagger, splitter, facts, training, abbreviations, lexicon)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ModelError(f"damaged {cls.name} model: {error}; train or download the model again") from error
        if (found.labels.space.marks, found.labels.space.types) != (crf.space.marks, crf.space.types):
            raise ModelError(
                f"damaged {cls.name} model: its labels do not match its types; train or download the model again"
            )
        return found


def segment_labels(options: CrfSegmenterOptions, types: Sequence[str]) -> SegmentLabels:
    """The labels that a structure decodes at once."""
    structure = options.structure if options.structure in ("hybrid", "cross-product") else "linear"
    return SegmentLabels(structure, SCHEMES[options.scheme], types, finals=options.sentences, hard=options.hard)
