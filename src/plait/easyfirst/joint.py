"""``easyfirst-joint``: tags and arcs in one search, whichever decision is surest (Ma et al. 2012, Section 2.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from plait.core._weights import Scorer
from plait.core.tables import new_table
from plait.data.document import Sentence
from plait.data.given import Given
from plait.data.tags import TagColumns, shown_tag
from plait.data.trees import with_trees
from plait.easyfirst._search import EasyFirst
from plait.easyfirst.features import Features, arc_templates, read_templates, tag_templates, template_texts
from plait.easyfirst.filling import Decoded, allowed_tags, given_heads, given_labels
from plait.easyfirst.heaviest import Words, heaviest_features
from plait.easyfirst.inner import fit_tagger, jackknifed_tags
from plait.easyfirst.nbest import distinct_sentences, require_beam
from plait.easyfirst.steps import Rivals, Trace
from plait.easyfirst.tagger import EasyFirstTagger, EasyFirstTaggerOptions, TagLexicon
from plait.easyfirst.training import ARCS, TAGS, EasyFirstInTraining, EasyFirstOptions, Example, parse_losses
from plait.easyfirst.trees import ArcLabels
from plait.errors import ModelError, OptionError
from plait.features.clusters import read_clusters
from plait.learn.fitting import fit_online
from plait.learn.outcome import Outcome
from plait.learn.task import TrainingTask
from plait.options import option
from plait.system import Parts, System
from plait.system.modelparts import (
    cluster_arrays,
    lent_clusters,
    lexicon_arrays,
    nested_parts,
    open_affixes,
    open_clusters,
    open_dictionary,
    open_group,
    open_nested,
    open_tags,
    read_tagset,
    table_parts,
    without_clusters,
)
from plait.system.request import PLAIN, Request


@dataclass(frozen=True)
class EasyFirstJointOptions(EasyFirstOptions):
    """The options of ``easyfirst-joint``."""

    tag: str = option("upos", "columns to predict: upos, xpos, feats, or several joined by +")
    losses: str = option("joint", "what counts as an error: joint; joint,dep or joint,pos take turns by epoch")
    tag_templates: str = option(
        "general+Syn", "feature set for tags: OP+Syn, general+Syn, guided+Syn, or a table FILE or FILE:SET"
    )
    templates: str = option(
        "compact", "feature set for arcs: compact, G&E10, VTT, OP, EFB13, or a table FILE or FILE:SET"
    )
    clusters: str = option("", "FILE of Brown clusters (bit string, word, count), for cluster features")
    labeled: bool = option(True, "choose the label of an arc together with the attachment")
    shared: bool = option(True, "labelled attachments share the weights of the bare attachment")
    center: str = option(
        "table", "window of the templates: as in the table, or all around the pair or the attached item",
        choices=("table", "pair", "item"),
    )  # fmt: skip
    tag_step: float = option(
        0.0,
        "how far an update moves the weights of tags, where it moves those of arcs by 1: less lets doubtful tags wait; "
        "0: 0.2 in the greedy search, 1 with a beam",
        minimum=0.0,
        maximum=1000.0,
    )
    dictionary: int = option(20, "words seen more often than this keep to their known tags", minimum=0)
    folds: int = option(
        10, "with guided templates: jackknife folds for the guide's tags of the training data", minimum=2
    )
    guide_epochs: int = option(8, "with guided templates: passes over the training data for the guide", minimum=1)

    def step_of_tags(self) -> float:
        """A beam compares states with more tags and fewer arcs with others, and wants their scores as they come."""
        return self.tag_step or (0.2 if self.beam == 1 else 1.0)


class EasyFirstJoint(System):
    """A tagger and dependency parser in one: each decision may wait for the other kind."""

    name = "easyfirst-joint"
    grants = frozenset({"constrain"})
    Options = EasyFirstJointOptions

    def __init__(
        self,
        options: EasyFirstJointOptions,
        features: Features,
        weights: Mapping[str, Scorer],
        lexicon: TagLexicon,
        labels: ArcLabels,
        guide: EasyFirstTagger | None,
        training: dict[str, Any],
    ) -> None:
        self.options = options
        self.columns = TagColumns(options.tag)
        self.features = features
        self.weights = weights
        self.lexicon = lexicon
        self.labels = labels
        self.guide = guide
        self.training = training
        self._reader = self.features.reader(lexicon.affixes)
        self._decoder = joint_decoder(self.features, weights, lexicon, labels, options)

    @property
    def predicts(self) -> tuple[str, ...]:
        """Tags, heads and labels."""
        return (*self.columns.columns, "heads", "deprels")

    @classmethod
    def fit(cls, task: TrainingTask, options: EasyFirstJointOptions) -> Self:
        """Train both kinds of decisions together."""
        columns = TagColumns(options.tag)
        options.greedy_epochs()  # a beam without epochs is refused before anything is trained
        clusters = read_clusters(options.clusters, task.files)
        tagging, parsing = tag_templates(options.tag_templates, clusters), arc_templates(options.templates, clusters)
        features = Features(tagging, parsing, options.center, clusters)
        losses = parse_losses(options.losses)
        train, dev = with_trees(task.train), [s for s in task.dev if len(s)]
        tags = read_tagset(train, columns)
        number = {tag: i for i, tag in enumerate(tags)}
        numbers = [[number[tag] for tag in columns.read(sentence)] for sentence in train]
        forms_and_tags = [(sentence.forms, row) for sentence, row in zip(train, numbers, strict=True)]
        lexicon = TagLexicon.build(tags, forms_and_tags, options.dictionary)
        labels = ArcLabels.read(train, options.labeled)
        reader = features.reader(lexicon.affixes)
        guide = fit_tagger(task, guide_options(options)) if features.is_guided else None
        guided: Sequence[Any] = jackknifed_tags(task, train, guide, options.folds) if guide is not None else []
        examples: list[Example] = []
        for sentence, row in task.track(list(zip(train, numbers, strict=True)), "features"):
            gold = labels.gold(sentence)
            atoms = reader.atoms(sentence.forms)
            if guide is not None:
                features.guide(atoms, guided[len(examples)])
            examples.append(Example(atoms, tags=np.array(row, dtype=np.uint16), heads=gold.heads, labels=gold.labels))

        def decoder(tables: Mapping[str, Scorer]) -> EasyFirst:
            return joint_decoder(features, tables, lexicon, labels, options)

        tables = {
            TAGS: new_table(options.table, len(tags), options.hash_bits),
            ARCS: new_table(options.table, 2 + 2 * len(labels.names), options.hash_bits),
        }
        model = EasyFirstInTraining(decoder, tables, options, losses, rates={TAGS: options.step_of_tags()})
        dev_atoms = [reader.atoms(s.forms) for s in dev]
        if guide is not None:
            for sentence, atoms in zip(dev, dev_atoms, strict=True):
                features.guide(atoms, guide.tag_numbers(sentence.forms))

        def measure(tables: Mapping[str, Scorer]) -> Outcome:
            search, outcome = decoder(tables), Outcome(*labels.measures, "accuracy")
            for sentence, atoms in zip(dev, dev_atoms, strict=True):
                found, heads, arc_labels, *_ = search.decode(atoms)
                found_tags = [tags[t] for t in found.tolist()]
                outcome.add(tags=(columns.read(sentence), found_tags), **labels.compared(sentence, heads, arc_labels))
            return outcome

        held_out = measure if dev else None
        frozen, best, training = fit_online(task, options, model, examples, held_out, labels.measures[0])
        names = [shown_tag(tag) for tag in guide.tags] if guide is not None else []
        shown = (
            Words(s.forms, [*map(shown_tag, columns.read(s))], example, [names[t] for t in row])
            for s, example, row in zip(train, examples, guided or [()] * len(train), strict=True)
        )
        training["heaviest"] = heaviest_features(decoder(frozen), features, best, shown, tags, labels.names)
        return cls(options, features, frozen, lexicon, labels, guide, training)

    def annotate(self, sentence: Sentence) -> None:
        """Tag and parse one sentence; ``sentence.trace`` tells in which order."""
        if len(sentence) == 0:
            return
        self._write(sentence, self._decoder.decode(self._atoms(sentence.forms)))

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
        atoms = self._atoms(sentence.forms)
        allowed = allowed_tags(sentence, self.columns, self.lexicon.tags)
        found = self._decoder.fill(atoms, None, allowed, given_heads(given), given_labels(given, self.labels))
        self._write(sentence, found or self._decoder.decode(atoms))
        given.restore(sentence, self.labels.root)

    def alternatives(self, sentence: Sentence, count: int, request: Request = PLAIN) -> list[Sentence]:
        """The best analyses that the beam ends with, best first, as many as it is wide at most."""
        require_beam(self.name, self.options.beam)
        request.watch(len(sentence))
        if len(sentence) == 0:
            return [sentence.copy()]
        found = self._decoder.decode_all(self._atoms(sentence.forms), None, self.options.beam)
        return distinct_sentences(sentence, found, self._write, count)

    def _atoms(self, forms: Sequence[str]) -> npt.NDArray[np.uint64]:
        atoms = self._reader.atoms(forms)
        if self.guide is not None:
            self.features.guide(atoms, self.guide.tag_numbers(forms))
        return atoms

    def _write(self, sentence: Sentence, found: Decoded) -> None:
        tags, heads, labels, words, actions, scores = found
        self.columns.write(sentence, [self.lexicon.tags[t] for t in tags.tolist()])
        self.labels.write(sentence, heads, labels)
        sentence.score = sum(scores.tolist())
        contests = partial(self._contests, sentence.forms)
        sentence.trace = Trace(
            words, actions, scores, self.lexicon.tags, self.labels.names, heads, self.labels.root, contests
        )

    def _contests(self, forms: Sequence[str], made: Sequence[tuple[int, int]], most: int) -> list[Rivals]:
        return self._decoder.contests(self._atoms(forms), None, made, most)

    def parts(self) -> Parts:
        """Tags, labels, templates, dictionary and both tables."""
        header, arrays = table_parts(self.weights)
        header |= self.labels.header() | {
            "tags": list(self.lexicon.tags),
            "tag_templates": template_texts(self.features.tagging),
            "templates": template_texts(self.features.parsing),
        }
        if self.guide is not None:
            inner, inner_arrays = nested_parts("guide", self.guide)
            header |= inner
            arrays |= without_clusters("guide", inner_arrays)
        arrays |= cluster_arrays(self.features.clusters)
        return header, arrays | lexicon_arrays(self.lexicon.dictionary, self.lexicon.affixes)

    @classmethod
    def from_parts(
        cls, options: EasyFirstJointOptions, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
    ) -> Self:
        """Put a joint model together from a model file."""
        try:
            tags = tuple(open_tags(header["tags"], TagColumns(options.tag)))
            labels = ArcLabels.from_header(header)
            weights = {
                TAGS: open_group(TAGS, header, arrays, len(tags)),
                ARCS: open_group(ARCS, header, arrays, 2 + 2 * len(labels.names)),
            }
            lexicon = TagLexicon(tags, open_dictionary(len(tags), arrays), open_affixes(arrays))
            templates = read_templates(header, "tag_templates"), read_templates(header, "templates")
            features = Features(*templates, center=options.center, clusters=open_clusters(arrays))
            lent = lent_clusters("guide", arrays)
            guide = open_nested("guide", EasyFirstTagger, header, lent) if "guide" in header else None
            if (guide is not None) != features.is_guided:
                raise ValueError("a guide that no template looks at, or the other way round")
            return cls(options, features, weights, lexicon, labels, guide, dict(header.get("training", {})))
        except (KeyError, TypeError, ValueError, OptionError) as error:
            raise ModelError(f"damaged {cls.name} model: {error}; train or fetch the model again") from error


def joint_decoder(
    features: Features,
    weights: Mapping[str, Scorer],
    lexicon: TagLexicon,
    labels: ArcLabels,
    options: EasyFirstJointOptions,
) -> EasyFirst:
    """The search for tags and arcs together."""
    return EasyFirst(
        features.tag_scoring(weights[TAGS], lexicon.dictionary),
        features.arc_scoring(weights[ARCS], len(labels.names), options.shared),
        features.width,
        features.pad,
        options.beam,
        options.check,
    )


def guide_options(options: EasyFirstJointOptions) -> EasyFirstTaggerOptions:
    """The options of the tagger whose tags guided templates look at."""
    return EasyFirstTaggerOptions(
        epochs=options.guide_epochs,
        tag=options.tag,
        clusters=options.clusters,
        dictionary=options.dictionary,
        after_error=options.after_error,
        bits=options.bits,
        prune=options.prune,
        slack=options.slack,
    )
