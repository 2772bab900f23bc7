"""``crf-segmenter``: raw text of any script into sentences, words and tags (Qian et al. 2010), with all structures."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, Self

from plait.chain.crf import PATIENCE, Crf
from plait.chain.given_words import GivenWordTagger
from plait.chain.multiword import Splitter
from plait.chain.options import TWO_STAGES, CrfSegmenterOptions
from plait.chain.rawtext import Passage, given_passage, lines, paragraphs
from plait.chain.segments import SegmentLabels, Token
from plait.chain.sentences import SentenceBuilder, bounded
from plait.chain.units import SEGMENTER_COLUMNS, UnitReader
from plait.chain.user_words import UserWords
from plait.chain.word_search import Rerank, WordSearch
from plait.chain.word_tagger import WordTagger
from plait.data.document import Sentence
from plait.data.folding import Folding
from plait.data.given import GivenAnnotation
from plait.data.schemes import SCHEMES
from plait.data.word_lattice import WordLattice
from plait.errors import OptionError
from plait.features._words import WORD_COLUMNS
from plait.features.abbreviations import Abbreviations
from plait.features.word_resources import WordResources
from plait.system import Arrays, Parts, System
from plait.system.alternatives import distinct
from plait.system.modelparts import joined_parts, open_names
from plait.system.request import PLAIN, Request


class TextConventions(NamedTuple):
    """How the training data was written."""

    runs: bool  # letters in a row are one unit
    inner: bool  # words may contain spaces
    spaces: bool  # between words
    folded: str = ""  # full-width characters that do not occur, read as ASCII


@dataclass(eq=False, repr=False)
class CrfSegmenter(System):
    """A CRF segmenter: raw text in any script to sentences, words and tags (Qian et al. 2010)."""

    name = "crf-segmenter"
    supports = frozenset({"scores", "constrain"})
    Options = CrfSegmenterOptions
    segments = True

    types: Sequence[str]
    crf: Crf
    type_crf: Crf | None  # the second stage of pipeline and rerank
    splitter: Splitter
    conventions: TextConventions
    abbreviations: Abbreviations
    resources: WordResources  # a lexicon; clusters are of words

    def __post_init__(self) -> None:
        options, inner = self.options, self.conventions.inner
        self.labels = segment_labels(options, self.types)
        self.folding = Folding(self.conventions.folded)
        self.tagger = None if self.type_crf is None else WordTagger(self.type_crf, self.folding)
        reranked = self.tagger if options.structure == "rerank" else None
        rerank = None if reranked is None else Rerank(reranked, options.candidates)
        reader = UnitReader(self.conventions.runs, self.abbreviations.numbers, self.resources.lexicon, self.folding)
        self.search = WordSearch(self.labels, self.crf, reader, inner=inner, rerank=rerank)
        self.word_tagger = GivenWordTagger(
            self.search, self.tagger, self.types, self.columns, spaces=self.conventions.spaces
        )
        self.builder = SentenceBuilder(self.splitter, self.columns if self.predicts else None, self.folding)

    @property
    def predicts(self) -> tuple[str, ...]:
        """The tag columns; words and sentences come with them."""
        return () if self.options.structure == "linear" else self.columns.columns

    def segment(self, text: str, request: Request = PLAIN) -> list[Sentence]:
        """Sentences of a raw text; offsets count from its beginning."""
        sentences: list[Sentence] = []
        for start, end in self._paragraphs(text, request):
            words = UserWords(request.dictionary, text[start:end])
            tokens, probabilities = self._tokens(words, request)
            scores = probabilities if request.scores else None
            sentences += self.builder.build(text, start, tokens, scores, words.among(tokens))
        return sentences

    def alternatives_of(self, text: str, count: int, request: Request = PLAIN) -> list[list[Sentence]]:
        """The ``count`` best analyses of a text that is one paragraph (or line), best first.

        A score is the logarithm of an analysis's probability; under ``pipeline`` of that of its words alone, which
        get their best tags, as always there.
        """
        found = list(self._paragraphs(text))
        if len(found) > 1:
            raise OptionError("n-best analyses are limited to one paragraph; split the text at blank lines")
        if not found:
            return [[]]
        start, end = found[0]
        piece = text[start:end]

        def analyses() -> Iterator[list[Sentence]]:
            for tokens, score in self.search.ranked(piece):
                request.on_step(0)
                ended = self._bounded(tokens)
                tagged = ended if self.tagger is None else self.tagger.tag(piece, ended, {})[0]
                sentences = self.builder.build(text, start, tagged, None)
                for sentence in sentences:
                    sentence.score = score
                yield sentences

        return list(distinct(analyses(), lambda sentences: tuple(map(self._identity, sentences)), count, PATIENCE))

    def _ranked(self, sentence: Sentence, count: int, request: Request) -> Iterator[Sentence]:
        for tagging in islice(self.word_tagger.ranked(sentence, PLAIN), PATIENCE * count):
            request.on_step(0)
            copy = sentence.copy()
            self.columns.write(copy, tagging.tags)
            copy.score = tagging.score
            yield copy

    def likely_words(self, text: str, min_probability: float) -> Iterator[tuple[int, int, float]]:
        """(start, end, probability) of every possible word of at least this probability, in characters."""
        for start, end in self._paragraphs(text):
            for a, b, probability in self.search.likely(text[start:end], min_probability):
                yield a + start, b + start, probability

    def lattices(
        self, text: str, request: Request, min_probability: float
    ) -> Iterator[tuple[int, str, list[WordLattice]]]:
        """Paragraphs: where each begins, its text as the model reads it, and its sentences with their candidate words.

        Candidates are the words of at least this probability.
        """
        for start, end in self._paragraphs(text, request):
            piece = text[start:end]
            words = UserWords(request.dictionary, piece)
            yield (
                start,
                self.folding.text(piece),
                list(self.search.lattices(piece, words, request, min_probability, self._splits)),
            )

    def lattice_of(self, sentence: Sentence, min_probability: float) -> tuple[Passage, WordLattice]:
        """The text of a sentence and its candidate words, including its own words, however improbable."""
        passage = self.passage_of(sentence)
        words, request = UserWords(None, passage.text), Request(single_sentence=True)
        (found,) = self.search.lattices(passage.text, words, request, min_probability, self._splits, passage.spans)
        return passage, found

    def passage_of(self, sentence: Sentence) -> Passage:
        """The raw text of a sentence whose words are given, and where they are."""
        return given_passage(sentence, spaces=self.conventions.spaces)

    def words_of(self, form: str) -> Sequence[str]:
        """The words that a surface token usually is."""
        return self._usual_words(form) or (form,)

    def build(
        self,
        text: str,
        start: int,
        groups: Sequence[Sequence[tuple[int, int]]],
        whole: Collection[tuple[int, int]] = (),
    ) -> list[Sentence]:
        """Sentences of surface tokens, (start, end) in characters from ``start`` on, without tags.

        Those in ``whole`` are one word.
        """
        tokens = [Token(a, b, "", k == len(group) - 1) for group in groups for k, (a, b) in enumerate(group)]
        return SentenceBuilder(self.splitter, None, self.folding).build(text, start, tokens, None, whole)

    def _splits(self, form: str) -> bool:
        return self._usual_words(form) is not None

    def _usual_words(self, form: str) -> tuple[str, ...] | None:
        if not self.splitter.forms:  # asked for every candidate word, and most languages have no multiword tokens
            return None
        return self.splitter.usual(self.folding.text(form))

    def _identity(self, sentence: Sentence) -> tuple[Any, ...]:
        """What makes an analysis another one."""
        offsets = None if sentence.offsets is None else tuple(sentence.offsets)
        return tuple(sentence.forms), offsets, tuple(self.columns.read(sentence)) if self.predicts else ()

    def _paragraphs(self, text: str, request: Request = PLAIN) -> Iterable[tuple[int, int]]:
        """What is decoded at once: a text that is one sentence, paragraphs, or lines where sentences are not learnt."""
        if request.single_sentence and text.strip():
            return [(0, len(text))]
        return paragraphs(text) if self.options.sentences else lines(text)

    def _tokens(self, words: UserWords, request: Request) -> tuple[list[Token], list[float]]:
        """Surface tokens of a text in characters, and their probabilities on request."""
        text = words.text
        tokens, probabilities = self.search.tokens(text, words, request)
        if not request.single_sentence:
            tokens = self._bounded(tokens)
        if self.tagger is not None:
            given = words.tags_among(tokens, self.tagger.types)
            tokens, of_tags = self.tagger.tag(text, tokens, given, scores=request.scores)
            probabilities = [a * b for a, b in zip(probabilities, of_tags, strict=False)]
        return words.retagged(tokens, self.types) if self.predicts else tokens, probabilities

    def _bounded(self, tokens: list[Token]) -> list[Token]:
        """The tokens with overlong sentences split, unless the user decides by lines where sentences end."""
        return bounded(tokens) if self.options.sentences else tokens

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """Tag a sentence whose words are given: they stay as they are. With ``request.scores`` the tags' probabilities.

        With ``request.constrain`` the tags that the sentence has stay, and the others are found beside them.
        """
        request.refuse(self.name + " on given words", "dictionary")
        if not self.predicts or not len(sentence):
            return
        given = GivenAnnotation(sentence, self.predicts) if request.constrain else None
        tagging = next(self.word_tagger.ranked(sentence, request))
        self.columns.write(sentence, tagging.tags)
        if given is not None:
            given.restore(sentence)
        if request.scores:
            sentence.scores = tagging.probabilities

    def parts(self) -> Parts:
        """Types, splits, templates and weights."""
        entries: dict[str, Any] = {
            "types": list(self.types),
            "multiword": self.splitter.header(),
            "facts": self.conventions._asdict(),
        }
        if self.abbreviations.kinds:
            entries["abbreviations"] = self.abbreviations.header()
        second = [] if self.tagger is None else [self.tagger.crf.parts("tagger")]
        return joined_parts((entries, {}), self.crf.parts(), self.resources.parts(), *second)

    @classmethod
    def _open(cls, options: Any, header: Mapping[str, Any], arrays: Arrays) -> Self:
        crf = Crf.from_parts(header, arrays, SEGMENTER_COLUMNS)
        two = options.structure in TWO_STAGES
        tagger = Crf.from_parts(header, arrays, WORD_COLUMNS, "tagger") if two else None
        stored = header["facts"]
        runs, inner, spaces = (bool(stored[name]) for name in ("runs", "inner", "spaces"))
        conventions = TextConventions(runs, inner, spaces, str(stored.get("folded", "")))
        types = open_names(header["types"], "types")
        splitter = Splitter.from_header(header["multiword"])
        abbreviations = Abbreviations.from_header(header.get("abbreviations", {}))
        resources = WordResources.from_parts(header, arrays)
        resources.check(crf.features.columns)
        found = cls(options, types, crf, tagger, splitter, conventions, abbreviations, resources)
        if (found.labels.space.marks, found.labels.space.types) != (crf.space.marks, crf.space.types):
            raise ValueError("its labels do not match its types")
        return found


def segment_labels(options: CrfSegmenterOptions, types: Sequence[str]) -> SegmentLabels:
    """The labels that a structure decodes at once."""
    structure = options.structure if options.structure in ("hybrid", "cross-product") else "linear"
    return SegmentLabels(structure, SCHEMES[options.scheme], types, finals=options.sentences, hard=options.hard)
