"""``pipeline``: raw text to trees in one model file: a segmenter, a parser, perhaps a tagger and a lemmatizer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self

from plait.chain.crf_segmenter import CrfSegmenter
from plait.chain.crf_tagger import CrfTagger
from plait.data.document import UNSPECIFIED, Sentence
from plait.errors import OptionError
from plait.morphology.lemma_joint import JointLemmas, can_be_joint
from plait.morphology.lemmatizer import Lemmatizer
from plait.morphology.system import MorphTagger
from plait.options import Needs, make_options, option, options_class, shown_options
from plait.pipeline.agreement import COARSE, Agreement
from plait.system import Arrays, Parts, System, find_system
from plait.system.base import in_blocks
from plait.system.modelparts import joined_parts, nested_parts, open_nested
from plait.system.request import PLAIN, Request

SEGMENTER, TAGGER, PARSER, LEMMATIZER = "segmenter", "tagger", "parser", "lemmatizer"  # the parts
AUTO = "auto"  # the part, and its options, that the training data asks for
AGREEMENT = "agreement"  # in the header: the tags of the tagger that occur with each UPOS


@options_class
class PipelineOptions:
    """The options of ``pipeline``; those of its parts are given as NAME=VALUE, with spaces between them."""

    parser: str = option(
        "auto",
        "system for tagging and parsing; auto: transition-joint with settings for short training, or a morph-tagger if "
        "no word has a head",
    )
    parser_options: str = option("", 'options of the parser, such as "beam=8 epochs=12"')
    segmenter_options: str = option("structure=linear optimizer=adagrad", "options of the crf-segmenter")
    tagger: str = option(
        "auto", "system for columns that the parser does not predict; auto: a morph-tagger if needed; empty: no tagger"
    )
    tagger_options: str = option(
        "", 'options of the tagger, such as "tag=xpos"', needs=Needs("a tagger", lambda o: bool(o.tagger))
    )
    lemmatizer: str = option(
        "auto", "auto: lemmas if the training data has them; none: no lemmas", choices=("auto", "none")
    )
    lemmatizer_options: str = option(
        "", 'options of the lemmatizer, such as "cutoff=3"', needs=Needs("lemmas", lambda o: o.lemmatizer != "none")
    )
    lemma_weight: float = option(
        0.0, "weight of lemmas where tagger and lemmatizer decide together; 0: one after the other", minimum=0.0,
        maximum=100.0,
    )  # fmt: skip
    prune: bool = option(True, "let the parts drop small weights, as their own options say")


@dataclass(eq=False, repr=False)
class Pipeline(System):
    """Raw text to words, tags, trees and lemmas: segmenter, parser, optional tagger and lemmatizer in one model."""

    name = "pipeline"
    Options = PipelineOptions
    segments = True

    segmenter: CrfSegmenter
    parser: System
    tagger: System | None = None
    agreement: Agreement | None = None  # the tagger decides under the UPOS of the parser, and so after it
    lemmatizer: Lemmatizer | None = None

    def __post_init__(self) -> None:
        order = (self.tagger, self.parser) if self.agreement is None else (self.parser, self.tagger)
        later = [system for system in (*order, self.lemmatizer) if system is not None]  # lemmas depend on all tags
        filled = {column for system in later for column in system.predicts}
        # what works on given words: the segmenter only where its tags are not replaced by those of the others
        self._on_words = ([self.segmenter] if set(self.segmenter.predicts) - filled else []) + later
        # a parser that finds the words itself has done its part by then
        self._finder = self.parser if self.parser.finds_words else self.segmenter
        self._on_text = [system for system in later if system is not self._finder]
        self._joint = None
        if self.options.lemma_weight > 0 and self.tagger is not None and self.lemmatizer is not None:
            self._joint = JointLemmas(self.tagger, self.lemmatizer, self.options.lemma_weight)

    @property
    def predicts(self) -> tuple[str, ...]:
        """All columns that the parts fill."""
        return tuple(dict.fromkeys(column for system in self._on_words for column in system.predicts))

    @property
    def takes(self) -> frozenset[str]:
        """The columns that a part uses from the input."""
        return frozenset(column for system in self._on_words for column in system.takes)

    def segment(self, text: str, request: Request = PLAIN) -> list[Sentence]:
        """Sentences of a raw text, tagged and parsed; ``token.score`` is that of the parser where it has one."""
        sentences = self.find_words(text, request)
        if request.dictionary is None:
            for block in in_blocks(sentences):
                self._fill(block, request, self._on_text)
            return sentences
        for sentence in sentences:
            self._fill([sentence], self._under_dictionary(sentence, request), self._on_text)
        return sentences

    def _under_dictionary(self, sentence: Sentence, request: Request) -> Request:
        """The request under which words of the user's dictionary keep the tags that it has for them.

        A parser that finds the words itself knows them.
        """
        assert request.dictionary is not None
        if self._finder is self.parser or COARSE not in self.parser.predicts:
            return request
        tags = [request.dictionary.tag_of(form) for form in sentence.forms]
        if not any(tags):
            return request
        sentence.upos = [tag or UNSPECIFIED for tag in tags]
        return replace(request, constrain=True)

    def find_words(self, text: str, request: Request = PLAIN) -> list[Sentence]:
        """The sentences of a raw text, with the columns of the part that finds the words."""
        return self._finder.segment(text, request)

    def with_beam(self, width: int) -> Self:
        """The same with another beam width of the parser."""
        parser = self.parser.with_beam(width)
        return replace(self, parser=parser, options=replace(self.options, parser_options=shown_options(parser.options)))

    def annotate(self, sentence: Sentence) -> None:
        """Tag and parse a sentence whose words are given: they stay as they are."""
        self._fill([sentence], PLAIN, self._on_words)

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """The same with the options of one call."""
        self.annotate_each([sentence], request)

    def _annotate_block(self, sentences: Sequence[Sentence], request: Request) -> None:
        """One part after the other."""
        request.refuse(self.name + " on given words", "dictionary")
        self._fill(sentences, request, self._on_words)

    def _fill(self, sentences: Sequence[Sentence], request: Request, systems: Sequence[System]) -> None:
        """Run the parts on given words, each with the request options that it supports."""
        with self._folded(sentences):
            for system in systems:
                fulfilled = request.only(system.supports | {"constrain"})  # one that cannot keep what is given says so
                if system is self.lemmatizer and fulfilled.scores:
                    fulfilled = replace(fulfilled, scores=False)  # scores of tokens are those of tags and heads
                if system is self.tagger and (self.agreement is not None or self._joint is not None):
                    for sentence in sentences:
                        request.on_step(len(sentence))
                        self._tag_under(sentence, fulfilled)
                else:
                    system.annotate_each(sentences, fulfilled)

    @contextmanager
    def _folded(self, sentences: Sequence[Sentence]) -> Iterator[None]:
        """A context in which the words of the sentences are folded as by the segmenter."""
        written = [sentence.forms for sentence in sentences]
        folded = [self.segmenter.folding.words(forms) or forms for forms in written]
        try:
            for sentence, forms in zip(sentences, folded, strict=True):
                sentence.forms = forms
            yield
        finally:
            for sentence, forms in zip(sentences, written, strict=True):
                sentence.forms = forms

    def _tag_under(self, sentence: Sentence, request: Request) -> None:
        """Let the tagger choose among the tags that occur with the predicted UPOS; scores remain the parser's.

        If tags and lemmas are predicted jointly, lemmas are considered here and written at the end.
        """
        assert self.tagger is not None
        score, scores = sentence.score, sentence.scores
        if self.agreement is not None:
            request = replace(request, allowed=tuple(self.agreement.allowed(sentence.upos)))
        (self._joint or self.tagger).annotate_with(sentence, request)
        if self.agreement is None:
            return
        sentence.score = score if score is not None else sentence.score
        if "scores" in self.parser.supports:
            sentence.scores = scores

    def alternatives(self, sentence: Sentence, count: int, request: Request = PLAIN) -> list[Sentence]:
        """The best analyses of a sentence with given words, where the parser has several."""
        twin = sentence.copy()
        at = self._on_words.index(self.parser)
        self._fill([twin], request, self._on_words[:at])
        with self._folded([twin]):
            found = self.parser.alternatives(twin, count, request)
        for alternative in found:
            alternative.forms = list(sentence.forms)
        for block in in_blocks(found):
            self._fill(block, request, self._on_words[at + 1 :])
        return found

    def alternatives_of(self, text: str, count: int, request: Request = PLAIN) -> list[list[Sentence]]:
        """The best segmentations of a paragraph, each tagged and parsed; the scores are those of the segmentations.

        With a parser that finds the words itself they are its best analyses, with its scores.
        """
        found = self._finder.alternatives_of(text, count, request)
        filled: dict[Any, Sentence] = {}  # most sentences are the same in most analyses: each is parsed once
        for sentences in found:
            for k, sentence in enumerate(sentences):
                tree = tuple(sentence.heads), tuple(sentence.deprels)
                key = tuple(sentence.forms), tuple(sentence.offsets or ()), tuple(sentence.upos), tree
                if key not in filled:
                    filled[key] = sentence.copy()
                    self._fill([filled[key]], request, self._on_text)
                sentences[k] = filled[key].copy()
                sentences[k].score = sentence.score
        return found

    def parts(self) -> Parts:
        """All parts, each under its name."""
        segmenter = () if self.parser.finds_words else (nested_parts(SEGMENTER, self.segmenter),)
        others = (PARSER, self.parser), (TAGGER, self.tagger), (LEMMATIZER, self.lemmatizer)
        nested = (nested_parts(name, system, with_system=True) for name, system in others if system is not None)
        header = {} if self.agreement is None else {AGREEMENT: self.agreement.header()}
        return joined_parts(*segmenter, *nested, (header, {}))

    @classmethod
    def _open(cls, options: Any, header: Mapping[str, Any], arrays: Arrays) -> Self:
        opened = {
            name: open_nested(name, part_system(str(header[name]["system"]), name), header, arrays)
            for name in (PARSER, TAGGER)
            if name in header
        }
        segmenter = segmenter_inside(opened[PARSER]) or open_nested(SEGMENTER, CrfSegmenter, header, arrays)
        lemmatizer = open_nested(LEMMATIZER, Lemmatizer, header, arrays) if LEMMATIZER in header else None
        tagger, agreement = opened.get(TAGGER), None
        if AGREEMENT in header:
            if not isinstance(tagger, CrfTagger | MorphTagger):
                raise ValueError("an agreement table without a tagger")
            agreement = Agreement.from_header(header[AGREEMENT], tagger.tags)
        return cls(options, segmenter, opened[PARSER], tagger, agreement, lemmatizer)


def options_of(
    segmenter: System, parser: System, tagger: System | None, lemmatizer: System | None, lemma_weight: float
) -> PipelineOptions:
    """The options that would train such parts together."""
    told = {
        "parser": parser.name,
        "parser_options": shown_options(parser.options),
        "segmenter_options": shown_options(segmenter.options),
        "tagger": "" if tagger is None else tagger.name,
        "tagger_options": "" if tagger is None else shown_options(tagger.options),
        "lemmatizer": "none" if lemmatizer is None else "auto",
        "lemmatizer_options": "" if lemmatizer is None else shown_options(lemmatizer.options),
        "lemma_weight": lemma_weight,
    }
    return make_options(PipelineOptions, told, Pipeline.name)


def learn_agreement(train: Iterable[Sentence], parser: System, tagger: System | None) -> Agreement | None:
    """The consistent tags of parser and tagger in the training data, if the tagger can use them."""
    if tagger is None or not can_be_joint(tagger) or COARSE not in parser.predicts or COARSE in tagger.predicts:
        return None
    assert isinstance(tagger, CrfTagger | MorphTagger)
    return Agreement.learn(train, tagger.columns, tagger.tags)


def segmenter_inside(system: System) -> CrfSegmenter | None:
    """The internal segmenter of a parser that finds the words itself."""
    found = getattr(system, SEGMENTER) if system.finds_words else None
    if found is not None and not isinstance(found, CrfSegmenter):
        raise ValueError(f"{found.name} cannot be the internal segmenter")
    return found


def part_system(name: str, part: str = "") -> type[System]:
    """The system of a part that works on given words; a parser may find the words as well."""
    system = find_system(name)
    if system.segments and not (system.finds_words and part == PARSER):
        raise OptionError(f'"{name}" segments raw text; expected a tagger or parser, such as easyfirst-joint')
    return system
