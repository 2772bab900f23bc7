"""The transition systems in use: beam search over transitions, and the model file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from plait.arrays import AnyArray, Int32Array, UInt16Array, UInt64Array
from plait.core._weights import Scorer
from plait.core.tables import open_table, prefixed, under
from plait.data.document import Sentence
from plait.data.given import GivenAnnotation
from plait.data.tags import TagColumns
from plait.features.word_resources import WordResources
from plait.system import Arrays, Parts, System
from plait.system.modelparts import joined_parts, table_parts
from plait.system.request import Request
from plait.transition._filter import LabelFilter
from plait.transition._oracle import LEFT, SHIFT, SWAP
from plait.transition._search import TransitionSearch
from plait.transition.features import TransitionFeatures
from plait.transition.mirror import LEFT_TO_RIGHT, copy_mirrored, mirrored
from plait.transition.options import TransitionJointOptions, TransitionParserOptions
from plait.transition.reader import SentenceReader
from plait.transition.tag_classes import feats_of_tags, tag_classes
from plait.trees.arc_labels import ArcLabels
from plait.trees.candidates import Candidates
from plait.trees.constraints import ArcConstraints
from plait.trees.guide import Guide, open_guide
from plait.trees.inner_tagger import ProbabilisticTagger, Probabilities, Tags, open_tagger, tagger_parts
from plait.trees.morphology import Morphology, open_morphology

TAGS, ARCS, WORDS = "tags", "arcs", "words"  # the feature groups; that of words only where words are searched for

# tags, heads, labels, score, transitions with the candidate tag of each
Decoded = tuple[Tags, Int32Array, UInt16Array, float, list[tuple[int, int]]]


class _Read(NamedTuple):
    """A sentence as the search takes it."""

    sentence: Sentence
    probabilities: Probabilities  # of tags, if they are asked for
    given: GivenAnnotation | None  # what is to stay
    candidates: Candidates
    atoms: UInt64Array


@dataclass(eq=False, repr=False)
class TransitionSystem(System):
    """A tagger, optionally a lemmatizer, and a beam search for non-projective trees."""

    supports = frozenset({"scores", "constrain"})
    needs_trees = True  # to learn from

    features: TransitionFeatures
    weights: Mapping[str, Scorer]
    labels: ArcLabels
    filter: LabelFilter
    tagger: ProbabilisticTagger
    morphology: Morphology
    guide: Guide | None = None

    def __post_init__(self) -> None:
        self._reader = SentenceReader(self.options, self.features, self.tagger, self.morphology, self.guide)
        self._search = make_search(self._reader, self.weights, self.filter)
        self._action_names = [self.action_name(action) for action in range(LEFT + 2 * len(self.labels.names))]

    @property
    def predicts(self) -> tuple[str, ...]:
        """Tags, lemmas if it has a lemmatizer, heads and labels."""
        trees = ("heads", "deprels") if self.labels.names else ()
        return (*self.columns.columns, *self.morphology.predicts, *trees)

    @contextmanager
    def _in_reading_order(self, sentence: Sentence) -> Iterator[Sentence]:
        """The sentence, or its mirror image; what is written there appears in the sentence afterwards."""
        if self.options.direction == LEFT_TO_RIGHT:
            yield sentence
            return
        twin = mirrored(sentence)
        yield twin
        copy_mirrored(twin, sentence, self.predicts)

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """Tag and parse one sentence; ``sentence.trace`` lists the transitions.

        With ``request.scores`` every token gets the tagger's probability of its tag.
        With ``request.constrain`` the given tags, heads and labels are kept. If the beam ends without such a tree, the
        unconstrained tree is changed as little as necessary.
        """
        self._annotate_block([sentence], request)

    def _annotate_block(self, sentences: Sequence[Sentence], request: Request) -> None:
        """Internal tagger and lemmatizer work on all sentences before the search does."""
        request.refuse(self.name, "dictionary")
        with ExitStack() as stack:
            read = []
            for sentence in sentences:
                request.on_step(len(sentence))
                if len(sentence) > 0:
                    read.append(self._read(stack.enter_context(self._in_reading_order(sentence)), request))
            for each in read:
                request.on_step(len(each.sentence))
                self._search_and_write(each, request)

    def _read(self, sentence: Sentence, request: Request) -> _Read:
        asked = request.constrain or request.scores
        p = self.tagger.tag_probabilities(sentence.forms) if asked else np.zeros((0, 0))
        given = GivenAnnotation(sentence, self.predicts) if request.constrain else None
        c = self._reader.agreeing_candidates(sentence, p) if request.constrain else self._reader.candidates(sentence)
        return _Read(sentence, p, given, c, self._reader.atoms(sentence, c, keep=request.constrain))

    def _search_and_write(self, read: _Read, request: Request) -> None:
        sentence, p, given, c, atoms = read
        found = None
        if given is not None:
            arcs = ArcConstraints.of(given.heads, given.labels, self.labels)
            found = self._search.decode(atoms, c, arcs.heads, arcs.labels)
        self._write(sentence, found or self._search.decode(atoms, c))
        if given is not None:
            given.restore(sentence)
        if request.scores:
            tags = [self._reader.number.get(tag, -1) for tag in self.columns.read(sentence)]
            sentence.scores = [float(row[t]) if t >= 0 else 0.0 for row, t in zip(p, tags, strict=True)]

    def _ranked(self, sentence: Sentence, count: int, request: Request) -> Iterator[Sentence]:
        """The analyses in the final beam, at most as many as it can contain; the first is what ``annotate`` gives."""
        request.on_step(len(sentence))
        with self._in_reading_order(sentence.copy()) as seen:
            c = self._reader.candidates(seen)
            found = self._search.analyses(self._reader.atoms(seen, c), c, count)
        for analysis in found:
            twin = sentence.copy()
            with self._in_reading_order(twin) as seen:
                self._write(seen, analysis)
            yield twin

    def _write(self, sentence: Sentence, found: Decoded) -> None:
        tags, heads, labels, score, steps = found
        given = {column: getattr(sentence, column) for column in self._reader.given_columns(sentence)}
        names = self.tagger.tags
        self.columns.write(sentence, [names[t] for t in tags.tolist()])
        for column, values in given.items():
            setattr(sentence, column, values)
        lemmatized = self._reader.lemmatized(sentence, tags)  # by the tags that the search chose
        if lemmatized is not None:
            self.morphology.write(sentence, lemmatized)
        if self.labels.names:  # else the training data had no trees
            self.labels.write(sentence, heads.tolist(), labels.tolist())
        sentence.score = score
        sentence.trace = [self._action_names[action] for action, _ in steps]

    def action_name(self, action: int) -> str:
        """``SHIFT``, ``SWAP``, ``LEFT-nsubj``, ``RIGHT-obj``."""
        if action in (SHIFT, SWAP):
            return "SHIFT" if action == SHIFT else "SWAP"
        return f"{'LEFT' if action % 2 == LEFT % 2 else 'RIGHT'}-{self.labels.names[(action - LEFT) // 2]}"

    def parts(self) -> Parts:
        """Labels, their filter, templates and weights, and the whole tagger."""
        header: dict[str, Any] = {"labels": list(self.labels.names), **self.features.header()}
        arrays = prefixed("filter.", self.filter.arrays())
        nested = table_parts(self.weights), tagger_parts("tagger", self.tagger), self.morphology.parts()
        guide = [self.guide.parts()] if self.guide is not None else []
        return joined_parts((header, arrays), self.features.resources.parts(), *nested, *guide)

    @classmethod
    def _open(cls, options: Any, header: Mapping[str, Any], arrays: Arrays) -> Self:
        labels = ArcLabels.of_any_arc(header["labels"])
        if cls.needs_trees and not labels.names:
            raise ValueError("no labels of arcs")
        tagger = open_tagger("tagger", header, arrays)
        if tagger.options.tag != options.tag:
            raise ValueError(f"a tagger of {tagger.options.tag} for a parser of {options.tag}")
        classes = int(tag_classes(tagger.tags).max()) + 1
        known = {name: arrays[f"filter.{name}"] for name in ("starts", "known")}
        label_filter = LabelFilter(classes, len(labels.names), known["starts"], known["known"])
        groups = cls.feature_groups(options)
        weights = {g: open_table(header["tables"][g], under(f"{g}.", arrays)) for g in groups}
        morphology = open_morphology(header, arrays)
        if morphology.tagger is not None:
            raise ValueError("there are two taggers for FEATS")
        features = TransitionFeatures.from_header(
            header,
            WordResources.from_parts(header, arrays),
            feats_of_tags(tagger.tags, TagColumns(options.tag)),
            lemmas=morphology.lemmatizer is not None,
            guided=bool(options.guide),
        )
        guide, more = open_guide(options, header, arrays), cls.further_parts(header, arrays)
        return cls(options, features, weights, labels, label_filter, tagger, morphology, guide, **more)

    @classmethod
    def feature_groups(cls, options: Any) -> tuple[str, ...]:
        """The tables of weights that there are with some options."""
        return (ARCS, TAGS) if options.candidate_limits()[0] > 1 else (ARCS,)

    @classmethod
    def further_parts(cls, header: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> dict[str, Any]:
        """Further parts of a subclass from its model file, as keyword arguments."""
        return {}


class TransitionParser(TransitionSystem):
    """A transition-based parser for non-projective trees, with an internal tagger (Bohnet & Nivre 2012)."""

    name = "transition-parser"
    Options = TransitionParserOptions


class TransitionJoint(TransitionSystem):
    """A transition-based joint tagger and parser for non-projective trees (Bohnet & Nivre 2012).

    SHIFT_p chooses among the k best tags of the tagger, together with the tree.
    """

    name = "transition-joint"
    Options = TransitionJointOptions


def make_search(reader: SentenceReader, weights: Mapping[str, Scorer], label_filter: LabelFilter) -> TransitionSearch:
    """The beam search under some weights."""
    options = reader.options
    compound = len(reader.columns.columns) > 1 or reader.features.feats.width > 0
    beams = options.beam, options.beam_tags
    first = options.tags_first()
    return reader.features.search(weights, label_filter, reader.classes, compound, *beams, tags_first=first)
