"""The interface of every trained system: options, annotation, and parts for the model file."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

from plait.arrays import AnyArray
from plait.data.document import Sentence
from plait.data.given import GivenAnnotation
from plait.data.tags import TagColumns
from plait.errors import ModelError, OptionError
from plait.options import make_options
from plait.system.alternatives import distinct_sentences
from plait.system.request import PLAIN, REQUEST_OPTIONS, Request

Arrays = Mapping[str, AnyArray]
Parts = tuple[dict[str, Any], dict[str, AnyArray]]

BEAM = "beam"  # the option of the systems that search with a beam


BLOCK = 64  # sentences


def in_blocks(sentences: Sequence[Sentence]) -> Iterator[Sequence[Sentence]]:
    """So many sentences at a time that a system can do one step of its work for all before the next: each step then
    finds its weights in the processor's cache.
    """
    for first in range(0, len(sentences), BLOCK):
        yield sentences[first : first + BLOCK]


@dataclass(eq=False, repr=False)
class System(ABC):
    """A trained system. Subclasses add a decoder; files and command line follow from it, training is separate."""

    name: ClassVar[str]
    Options: ClassVar[type]
    segments: ClassVar[bool] = False  # whether it turns raw text into sentences itself
    finds_words: ClassVar[bool] = False  # whether it parses while it does so, with a ``segmenter`` inside
    arc_probabilities: ClassVar[bool] = False  # whether the scores of tokens are probabilities of their arcs
    supports: ClassVar[frozenset[str]] = frozenset()  # request options that it supports on given words

    options: Any
    # the training record for the header: epochs, best epoch, dev scores
    training: dict[str, Any] = field(default_factory=dict, kw_only=True)

    @cached_property
    def columns(self) -> TagColumns:
        """The columns that its tags belong to."""
        return TagColumns(self.options.tag)

    @property
    def predicts(self) -> tuple[str, ...]:
        """The sentence columns that ``annotate`` fills; those of tags, unless a subclass says otherwise."""
        return self.columns.columns

    @property
    def takes(self) -> frozenset[str]:
        """The predicted columns that stay as the input has them: tags, for a parser trained with ``gold_tags``."""
        return frozenset(self.columns.columns) if getattr(self.options, "gold_tags", False) else frozenset()

    def annotate(self, sentence: Sentence) -> None:
        """Replace the predicted columns of one sentence; may run in many threads at once.

        A subclass overrides this, ``annotate_with``, or both.
        """
        self.annotate_with(sentence, PLAIN)

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """``annotate`` with the options of one call; a system that supports some of them overrides this.

        Here the given annotation is only restored afterwards; systems whose search it should constrain override this.
        """
        request.refuse(self.name, *(option for option in REQUEST_OPTIONS if option not in self.supports))
        given = GivenAnnotation(sentence, self.predicts) if request.constrain else None
        self.annotate(sentence)
        if given is not None:
            given.restore(sentence)

    def annotate_each(self, sentences: Sequence[Sentence], request: Request = PLAIN) -> None:
        """The same for several sentences, which may be faster."""
        for block in in_blocks(sentences):
            self._annotate_block(block, request)

    def _annotate_block(self, sentences: Sequence[Sentence], request: Request) -> None:
        """The same for a few sentences; systems that work in several steps override this."""
        is_plain = request == PLAIN
        for sentence in sentences:
            request.on_step(len(sentence))
            if is_plain:
                self.annotate(sentence)
            else:
                self.annotate_with(sentence, request)

    def with_beam(self, width: int) -> Self:
        """The same system with another beam width; the weights are shared."""
        values = dataclasses.asdict(self.options)
        if BEAM not in values:
            raise OptionError(f"{self.name} does not search with a beam; remove --beam or use another model")
        return dataclasses.replace(self, options=make_options(self.Options, values | {BEAM: width}, self.name))

    def segment(self, text: str, request: Request) -> list[Sentence]:
        """The sentences of a raw text, annotated, with offsets, SpaceAfter and multiword tokens."""
        raise OptionError(f"{self.name} does not segment raw text; give it words")

    def alternatives(self, sentence: Sentence, count: int, request: Request = PLAIN) -> list[Sentence]:
        """The best analyses of a sentence with given words, best first, no two of them alike in what is predicted.

        Of the request only ``on_step`` is used.
        """
        ranked = self._ranked(sentence, count, request)
        done = len(sentence) == 0 or not self.predicts
        return [sentence.copy()] if done else distinct_sentences(ranked, count, self.predicts)

    def _ranked(self, sentence: Sentence, count: int, request: Request) -> Iterable[Sentence]:
        """The analyses of a sentence with words, best first; more than ``count`` are looked at where some are alike."""
        raise OptionError(f"{self.name} does not support n-best analyses; CRFs and parsers do")

    def alternatives_of(self, text: str, count: int, request: Request = PLAIN) -> list[list[Sentence]]:
        """The best analyses of a raw text, best first."""
        raise OptionError(f"{self.name} does not segment raw text; give it words")

    @abstractmethod
    def parts(self) -> Parts:
        """Header entries and arrays for the model file."""

    @classmethod
    def from_parts(cls, options: Any, header: Mapping[str, Any], arrays: Arrays) -> Self:
        """The inverse of ``parts``; anything unsound in them is a ModelError."""
        try:
            system = cls._open(options, header, arrays)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, OptionError) as error:
            raise ModelError(f"damaged {cls.name} model: {error}; train or download the model again") from error
        system.training = dict(header.get("training", {}))
        return system

    @classmethod
    @abstractmethod
    def _open(cls, options: Any, header: Mapping[str, Any], arrays: Arrays) -> Self:
        """``from_parts`` without the training record; errors of any kind may be raised."""
