"""``easyfirst-parser``: the surest attachment first (Goldberg & Elhadad 2010; Ma et al. 2012, 2013), with tagger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy.typing as npt

from plait.core._weights import Scorer
from plait.core.tables import new_table
from plait.data.document import Sentence
from plait.data.given import Given
from plait.data.tags import TagColumns, shown_tag
from plait.data.trees import with_trees
from plait.easyfirst._search import EasyFirst
from plait.easyfirst.features import Features, arc_templates, read_templates, template_texts
from plait.easyfirst.filling import Decoded, given_heads, given_labels
from plait.easyfirst.heaviest import Words, heaviest_features
from plait.easyfirst.inner import Tags, fit_tagger, gold_numbers, jackknifed_tags
from plait.easyfirst.nbest import distinct_sentences, require_beam
from plait.easyfirst.steps import Rivals, Trace
from plait.easyfirst.tagger import EasyFirstTagger, EasyFirstTaggerOptions
from plait.easyfirst.training import ARCS, EasyFirstInTraining, EasyFirstOptions, Example
from plait.easyfirst.trees import ArcLabels
from plait.errors import ModelError, OptionError
from plait.features.clusters import read_clusters
from plait.learn.fitting import fit_online
from plait.learn.outcome import Outcome
from plait.learn.task import TrainingTask
from plait.options import option
from plait.system import Parts, System
from plait.system.modelparts import nested_parts, open_group, open_nested, table_parts
from plait.system.request import PLAIN, Request


@dataclass(frozen=True)
class EasyFirstParserOptions(EasyFirstOptions):
    """The options of ``easyfirst-parser``."""

    templates: str = option("compact", "feature set: compact, G&E10, VTT, OP, EFB13, or a table FILE or FILE:SET")
    labeled: bool = option(True, "choose the label of an arc together with the attachment")
    shared: bool = option(True, "labelled attachments share the weights of the bare attachment")
    center: str = option(
        "table", "window of the templates: as in the table, or all around the pair or the attached item",
        choices=("table", "pair", "item"),
    )  # fmt: skip
    tag: str = option("upos", "tag column that the templates see: upos, xpos, feats, or several joined by +")
    gold_tags: bool = option(False, "train on the tags of the treebank, and use those that the input has")
    folds: int = option(10, "jackknife folds for the tags of the training data", minimum=2)
    tagger_templates: str = option("general", "feature set of the tagger inside")
    clusters: str = option("", "FILE of Brown clusters (bit string, word, count), for cluster features")
    tagger_epochs: int = option(8, "passes over the training data for the tagger inside", minimum=1)
    dictionary: int = option(20, "words seen more often than this keep to their known tags", minimum=0)


class EasyFirstParser(System):
    """A dependency parser that attaches the surest word first, with a tagger of its own."""

    name = "easyfirst-parser"
    grants = frozenset({"constrain"})
    Options = EasyFirstParserOptions

    def __init__(
        self,
        options: EasyFirstParserOptions,
        features: Features,
        weights: Scorer,
        labels: ArcLabels,
        tagger: EasyFirstTagger,
        training: dict[str, Any],
    ) -> None:
        self.options = options
        self.columns = TagColumns(options.tag)
        self.features = features
        self.weights = weights
        self.labels = labels
        self.tagger = tagger
        self.training = training
        self._reader = self.features.reader()
        self._decoder = arc_decoder(self.features, weights, labels, options)

    @property
    def predicts(self) -> tuple[str, ...]:
        """Heads and labels, and the tags it needs."""
        return (*self.columns.columns, "heads", "deprels")

    @classmethod
    def fit(cls, task: TrainingTask, options: EasyFirstParserOptions) -> Self:
        """Train the tagger, tag the training data by jackknifing, train the parser on that."""
        options.greedy_epochs()  # a beam without epochs is refused before anything is trained
        clusters = read_clusters(options.clusters, task.files)
        features = Features(
            parsing=arc_templates(options.templates, clusters), center=options.center, clusters=clusters
        )
        reader = features.reader()
        train, dev = with_trees(task.train), [s for s in task.dev if len(s)]
        tagger = fit_tagger(task, tagger_options(options))
        labels = ArcLabels.read(train, options.labeled)
        if options.gold_tags:
            given = [gold_numbers(s, tagger) for s in train]
            dev_given = [gold_numbers(s, tagger) for s in dev]
        else:
            given = jackknifed_tags(task, train, tagger, options.folds)
            dev_given = [tagger.tag_numbers(s.forms) for s in dev]
        examples = []
        for sentence, tags in task.track(list(zip(train, given, strict=True)), "features"):
            gold = labels.gold(sentence)
            examples.append(Example(reader.atoms(sentence.forms), tags, heads=gold.heads, labels=gold.labels))

        def decoder(tables: Mapping[str, Scorer]) -> EasyFirst:
            return arc_decoder(features, tables[ARCS], labels, options)

        table = new_table(options.table, 2 + 2 * len(labels.names), options.hash_bits)
        model = EasyFirstInTraining(decoder, {ARCS: table}, options)
        dev_atoms = [reader.atoms(s.forms) for s in dev]

        def measure(tables: Mapping[str, Scorer]) -> Outcome:
            search, outcome = decoder(tables), Outcome(*labels.measures)
            for sentence, atoms, tags in zip(dev, dev_atoms, dev_given, strict=True):
                _, heads, numbers, *_ = search.decode(atoms, tags)
                outcome.add(**labels.compared(sentence, heads, numbers))
            return outcome

        held_out = measure if dev else None
        frozen, best, training = fit_online(task, options, model, examples, held_out, labels.measures[0])
        shown = (
            Words(sentence.forms, [shown_tag(tagger.tags[t]) for t in row], example)
            for sentence, row, example in zip(train, given, examples, strict=True)
        )
        training["heaviest"] = heaviest_features(decoder(frozen), features, best, shown, labels=labels.names)
        training["tagger"] = tagger.training
        return cls(options, features, frozen[ARCS], labels, tagger, training)

    def annotate(self, sentence: Sentence) -> None:
        """Tag and parse one sentence; ``sentence.trace`` tells in which order words were attached."""
        if len(sentence) == 0:
            return
        tags = self._tags(sentence)
        self._write(sentence, tags, self._decoder.decode(self._reader.atoms(sentence.forms), tags))

    def _tags(self, sentence: Sentence) -> Tags:
        """The tags that the templates see: those of the input with ``gold_tags``, else the tagger's, written to it."""
        if self.options.gold_tags and self.columns.given(sentence):
            return gold_numbers(sentence, self.tagger)
        tags = self.tagger.tag_numbers(sentence.forms)
        self.columns.write(sentence, [self.tagger.tags[t] for t in tags.tolist()])
        return tags

    def alternatives(self, sentence: Sentence, count: int, request: Request = PLAIN) -> list[Sentence]:
        """The best trees that the beam ends with, best first, as many as it is wide at most; the tags are the same."""
        require_beam(self.name, self.options.beam)
        request.watch(len(sentence))
        if len(sentence) == 0:
            return [sentence.copy()]
        tagged = sentence.copy()
        tags = self._tags(tagged)
        found = self._decoder.decode_all(self._reader.atoms(sentence.forms), tags, self.options.beam)
        return distinct_sentences(tagged, found, lambda twin, one: self._write(twin, tags, one), count)

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """The same; with ``request.constrain`` the tags, heads and labels that the sentence has stay.

        The search is greedy then, and where it comes to no end (non-projective heads), the tree that was found without
        them is changed as far as they ask for it.
        """
        request.refuse(self.name, "scores", "dictionary")
        if not request.constrain or len(sentence) == 0:
            self.annotate(sentence)
            return
        given = Given(sentence, self.predicts)
        self.tagger.annotate_with(sentence, request)
        tags = gold_numbers(sentence, self.tagger)
        atoms = self._reader.atoms(sentence.forms)
        found = self._decoder.fill(atoms, tags, None, given_heads(given), given_labels(given, self.labels))
        self._write(sentence, tags, found or self._decoder.decode(atoms, tags))
        given.restore(sentence, self.labels.root)

    def _write(self, sentence: Sentence, tags: Tags, found: Decoded) -> None:
        _, heads, labels, words, actions, scores = found
        self.labels.write(sentence, heads, labels)
        sentence.score = sum(scores.tolist())
        contests = partial(self._contests, sentence.forms, tags)
        sentence.trace = Trace(words, actions, scores, (), self.labels.names, heads, self.labels.root, contests)

    def _contests(self, forms: Sequence[str], tags: Tags, made: Sequence[tuple[int, int]], most: int) -> list[Rivals]:
        return self._decoder.contests(self._reader.atoms(forms), tags, made, most)

    def parts(self) -> Parts:
        """Labels, templates and weights, and the whole tagger."""
        header, arrays = table_parts({ARCS: self.weights})
        inner, inner_arrays = nested_parts("tagger", self.tagger)
        header |= self.labels.header() | {"templates": template_texts(self.features.parsing)} | inner
        return header, arrays | inner_arrays

    @classmethod
    def from_parts(
        cls, options: EasyFirstParserOptions, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
    ) -> Self:
        """Put a parser together from a model file."""
        try:
            labels = ArcLabels.from_header(header)
            weights = open_group(ARCS, header, arrays, 2 + 2 * len(labels.names))
            tagger = open_nested("tagger", EasyFirstTagger, header, arrays)
            # the tagger has the clusters that the parser looks at
            features = Features((), read_templates(header, "templates"), options.center, tagger.features.clusters)
            return cls(options, features, weights, labels, tagger, dict(header.get("training", {})))
        except (KeyError, TypeError, ValueError, OptionError) as error:
            raise ModelError(f"damaged {cls.name} model: {error}; train or fetch the model again") from error


def arc_decoder(features: Features, weights: Scorer, labels: ArcLabels, options: EasyFirstParserOptions) -> EasyFirst:
    """The search for arcs alone."""
    scoring = features.arc_scoring(weights, len(labels.names), options.shared)
    return EasyFirst(None, scoring, features.width, features.pad, options.beam, options.check)


def tagger_options(options: EasyFirstParserOptions) -> EasyFirstTaggerOptions:
    """The options of the tagger inside."""
    return EasyFirstTaggerOptions(
        epochs=options.tagger_epochs,
        tag=options.tag,
        templates=options.tagger_templates,
        clusters=options.clusters,
        dictionary=options.dictionary,
        after_error=options.after_error,
        bits=options.bits,
        prune=options.prune,
        slack=options.slack,
    )
