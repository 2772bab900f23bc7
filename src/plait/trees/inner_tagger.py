"""The tagger inside a parser: its interface, whichever system it is, and its part of the parser's model file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np

from plait.arrays import AnyArray, Float64Array, UInt16Array
from plait.data.document import Sentence
from plait.data.tags import TagColumns
from plait.features.word_resources import WordResources
from plait.options import Needs
from plait.system import Parts, System, find_system
from plait.system.modelparts import nested_parts, open_nested
from plait.system.request import Request

# the systems that can be the tagger inside a parser, by the name that options have for them; to add one, add a line
TAGGERS = {
    "crf": "crf-tagger",
    "perceptron": "perceptron-tagger",
    "morph": "morph-tagger",
}

AUTO = "auto"
TAGGER_HELP = "internal tagger; auto: morph"
TAGGER_MEGABYTES_HELP = "maximum size of the internal tagger in MB; 0: no limit"
NEEDS_MORPH = Needs("--tagger morph", lambda o: o.tagger in (AUTO, "morph"))

Tags = UInt16Array
Probabilities = Float64Array  # [words][tags]


class InnerTagger(Protocol):
    """The interface of every internal tagger."""

    name: ClassVar[str]
    options: Any
    tags: tuple[str, ...]
    training: dict[str, Any]

    @property
    def columns(self) -> TagColumns:
        """The columns that its tags belong to."""

    @property
    def resources(self) -> WordResources:
        """Clusters and lexicon that its templates look at; the parser around it may look at the same ones."""

    def annotate(self, sentence: Sentence) -> None:
        """Tag one sentence."""

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """Tag one sentence; with ``request.constrain`` the tags that it has stay."""

    def tag_numbers(self, forms: Sequence[str]) -> Tags:
        """The tags of some words, as numbers."""

    def parts(self) -> Parts:
        """Header entries and arrays for the model file."""


class ProbabilisticTagger(InnerTagger, Protocol):
    """A tagger with probabilities, for parsers that choose among its tags."""

    def tag_probabilities(self, forms: Sequence[str]) -> Probabilities:
        """[words][tags]: the probability of every tag of every word."""


def tagger_parts(part: str, tagger: InnerTagger) -> Parts:
    """The whole tagger for the model file of the parser, under its own name."""
    assert isinstance(tagger, System)
    header, arrays = nested_parts(part, tagger)
    if _system_of(header[part]) != tagger.name:
        header[part]["system"] = tagger.name
    return header, arrays


def open_tagger(part: str, header: Mapping[str, Any], arrays: Mapping[str, AnyArray], *further: str) -> Any:
    """The inverse of ``tagger_parts``; ValueError if the file names a system that cannot be an internal tagger.

    ``further``: systems that can be one in this parser, beside ``TAGGERS``.
    """
    name = _system_of(header[part])
    if name not in (*TAGGERS.values(), *further):
        raise ValueError(f"{name!r} cannot be the internal tagger")
    return open_nested(part, find_system(name), header, arrays)


def _system_of(header: Mapping[str, Any]) -> Any:
    """The system of a nested header. The three oldest taggers are distinguished by their contents."""
    if "crf" in header:
        oldest = "crf-tagger"
    else:
        oldest = "easyfirst-tagger" if "after_error" in header["options"] else "perceptron-tagger"
    return header.get("system", oldest)


def numbers_of(tags: Sequence[str], known: Sequence[str]) -> Tags:
    """Tags as their numbers among the known ones; unknown tags get the number after the last."""
    number = {tag: i for i, tag in enumerate(known)}
    return np.array([number.get(tag, len(known)) for tag in tags], dtype=np.uint16)


def given_numbers(tagger: InnerTagger, sentence: Sentence) -> Tags:
    """The sentence's own tags as the tagger's numbers."""
    return numbers_of(tagger.columns.read(sentence), tagger.tags)
