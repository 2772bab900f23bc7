"""Training of ``transition-parser`` and ``transition-joint``: the taggers inside, then the search on their tags."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from plait.core._weights import Scorer
from plait.core.tables import new_table
from plait.data.document import Sentence
from plait.data.tags import TagColumns
from plait.data.trees import held_out_trees, with_trees
from plait.errors import OptionError
from plait.features.templates import Template, load_templates, united
from plait.features.word_resources import WordResources
from plait.learn.dropout import WordDropout
from plait.learn.fitting import fit_online
from plait.learn.outcome import Outcome
from plait.learn.task import TrainingTask
from plait.system.modelparts import read_tagset
from plait.transition._filter import LabelFilter
from plait.transition._search import TransitionSearch
from plait.transition.features import TransitionFeatures
from plait.transition.mirror import RIGHT_TO_LEFT, mirrored
from plait.transition.options import (
    TransitionJointOptions,
    TransitionOptions,
    TransitionParserOptions,
    TransitionWeaveOptions,
)
from plait.transition.reader import SentenceReader
from plait.transition.system import ARCS, TAGS, WORDS, TransitionJoint, TransitionParser, TransitionSystem, make_search
from plait.transition.tag_classes import feats_of_tags
from plait.transition.training.label_filter import arcs_between, build_filter
from plait.transition.training.model import Example, TransitionInTraining, gold_transitions
from plait.trees.arc_labels import ArcLabels
from plait.trees.averaging import with_runs
from plait.trees.candidates import Candidates, given_tags
from plait.trees.guide import Guide
from plait.trees.inner_tagger import AUTO
from plait.trees.morphology import Morphology
from plait.trees.training.guide import fit_guide, plan_guide
from plait.trees.training.inner_tagger import fit_tagger, inner_tagger, jackknifed_candidates
from plait.trees.training.morphology import decided, fit_inner_lemmatizer, has_lemmas, jackknifed_lemmas
from plait.trees.training.outcome import add_sentence

S = TypeVar("S", bound=TransitionSystem)
Templates = tuple[Sequence[Template], Sequence[Template], Sequence[Template]]  # of transitions, tags and factors


def fit_transition_parser(task: TrainingTask, options: TransitionParserOptions) -> TransitionParser:
    """Train a parser and the tagger inside."""
    return _fit(TransitionParser, task, options, "las")


def fit_transition_joint(task: TrainingTask, options: TransitionJointOptions) -> TransitionJoint:
    """Train a tagger and parser in one, and the tagger that proposes the tags."""
    return _fit(TransitionJoint, task, options, "tlas")


def _fit(kind: type[S], task: TrainingTask, options: Any, decides: str) -> S:
    """Train the tagger, tag the training data by jackknifing, train the parser on that."""
    if options.direction == RIGHT_TO_LEFT:
        if options.guide:
            raise OptionError("a right-to-left parser does not support --guide; remove one of them")
        task = dataclasses.replace(task, train=[*map(mirrored, task.train)], dev=[*map(mirrored, task.dev)])
    train, dev = with_trees(task.train), held_out_trees(task.dev)
    plan = plan_guide(options.guide, dev=bool(task.dev), prune=options.prune)
    reader = fit_reader(task, with_runs(options, train), train)
    options = reader.options
    reader.guide, training_trees = fit_guide(task, train, plan, options.guide_folds)
    training_tags = _training_tags(task, train, reader)
    lemmatized = _training_lemmas(task, train, training_tags, reader)
    labels = ArcLabels.read(train, labelled=True, projective=False)
    classes = reader.classes
    dropout = WordDropout(train, options.word_dropout, task.seed)
    examples = []
    seen: set[tuple[int, int, int]] = set()
    for sentence, candidates, words, tree in zip(train, training_tags, lemmatized, training_trees, strict=True):
        gold = reader.own_numbers(sentence)
        arc_labels = [labels.number[label] for label in sentence.deprels]
        atoms = reader.atoms(sentence, candidates, lemmatized=words, tree=tree)
        hidden = dropout.chances(sentence.forms, words.lemmas if words is not None else None)
        chosen = candidates.choices(gold)
        actions, choices, _ = gold_transitions(sentence.heads, arc_labels, chosen, options.oracle == "lazy")
        examples.append(Example(atoms, candidates, actions, choices, hidden))
        for numbers in (gold, candidates.tags[np.arange(len(gold)), chosen]):
            seen |= arcs_between(classes[numbers].tolist(), sentence.heads, arc_labels)
    model, label_filter = in_training(kind, reader, labels, seen, dropout)
    held_out = []
    for sentence in dev:
        c = reader.candidates(sentence)
        held_out.append((sentence, reader.atoms(sentence, c), c))

    def measure(weights: Mapping[str, Scorer]) -> Outcome:
        decoder, outcome = make_search(reader, weights, label_filter), Outcome("tlas", "las", "uas", "tags")
        for sentence, atoms, c in held_out:
            tags, heads, arcs, _, _ = decoder.decode(atoms, c)
            found = Sentence(sentence.forms)
            reader.columns.write(found, [reader.tagger.tags[t] for t in tags.tolist()])
            labels.write(found, heads.tolist(), arcs.tolist())
            add_sentence(outcome, reader.columns, sentence, found)
        return outcome

    frozen, _, training = fit_online(task, options, model, examples, measure if dev else None, decides)
    training |= {"tagger": reader.tagger.training, **reader.morphology.training}
    guide = None
    if reader.guide is not None:
        training["guide"] = reader.guide.system.training
        guide = Guide(reader.guide.system)
    inside = reader.tagger, reader.morphology, guide
    return kind(options, reader.features, frozen, labels, label_filter, *inside, training=training)


def fit_reader(task: TrainingTask, options: Any, train: Sequence[Sentence]) -> SentenceReader:
    """The reader with a tagger and, with morphology, a lemmatizer; its options have what was left to the system."""
    options = with_morphology(options, train)
    lemmas = options.morphology == "on" and has_lemmas(train)
    templates = read_templates(task, options, lemmas)
    # faults in the templates are reported before training begins
    read_features(task, options, templates, read_tagset(train, TagColumns(options.tag)), lemmas)
    name, chosen = tagger_inside(options)
    tagger = fit_tagger(name, task, chosen)
    features = read_features(task, options, templates, tagger.tags, lemmas)
    morphology = Morphology(None, fit_inner_lemmatizer(task, options, options.tag) if lemmas else None)
    return SentenceReader(options, features, tagger, morphology)


def in_training(
    kind: type[TransitionSystem],
    reader: SentenceReader,
    labels: ArcLabels,
    seen: set[tuple[int, int, int]],
    dropout: WordDropout,
) -> tuple[TransitionInTraining, LabelFilter]:
    """The search with empty tables, and its filter of labels, from the arcs that were ``seen`` between classes."""
    options, classes = reader.options, int(reader.classes.max()) + 1
    label_filter = build_filter(classes, len(labels.names), seen)
    # a word ends here; where its tag comes first also: it goes on
    widths = {ARCS: 2 + 2 * len(labels.names), TAGS: classes, WORDS: 2 if options.tags_first() else 1}
    groups = kind.feature_groups(options)
    tables = {group: new_table(options.table, widths[group], options.hash_bits) for group in groups}

    def search(weights: Mapping[str, Scorer]) -> TransitionSearch:
        return make_search(reader, weights, label_filter)

    lemma_column = reader.features.lemma_column
    return TransitionInTraining(search, tables, options.update, options.check, dropout, lemma_column), label_filter


def with_morphology(options: Any, train: Sequence[Sentence]) -> Any:
    """The options with ``auto`` decided, and FEATS among the tags where morphology is on."""
    if "feats" in TagColumns(options.tag).columns:
        return dataclasses.replace(options, morphology="off" if options.morphology == "off" else "on")
    options = decided(options, train)
    return dataclasses.replace(options, tag=f"{options.tag}+feats") if options.morphology == "on" else options


def read_templates(task: TrainingTask, options: Any, lemmas: bool) -> Templates:
    """Those of transitions, of tags and of factors."""
    columns = TagColumns(options.tag).columns
    compound, feats = len(columns) > 1, "feats" in columns and options.morphology == "on"
    resources = WordResources.read(options, task.files)
    graph = load_templates(options.graph_templates, "transition-graph") if options.graph_features else ()
    arcs = load_templates(options.templates or ("whole" if compound and not feats else "default"), "transition")
    arcs = resources.extended(arcs, "transition", "default")
    if feats:
        arcs = united(arcs, load_templates("default", "transition-morphology"))
    if lemmas:
        arcs = united(arcs, load_templates("lemmas", "transition-morphology"))
    if options.guide:
        arcs = united(arcs, load_templates("default", "transition-guide"))
    if feats and graph:
        graph = united(graph, load_templates("graph", "transition-morphology"))
    if not isinstance(options, TransitionJointOptions):
        return arcs, (), graph
    tags = load_templates(options.tag_templates, "transition-tagging")
    tags = resources.extended(tags, "transition", "tags")
    if compound:
        tags = united(tags, load_templates("tags", "transition-morphology"))
    if feats:
        tags = united(tags, load_templates("tag-features", "transition-morphology"))
    return arcs, tags, graph


def read_features(
    task: TrainingTask, options: Any, templates: Templates, tags: Sequence[str], lemmas: bool
) -> TransitionFeatures:
    """These templates over the features of these tags, and the word resources that they look at."""
    feats = feats_of_tags(tags, TagColumns(options.tag))
    resources = WordResources.read(options, task.files)
    words: Sequence[Template] = ()
    if isinstance(options, TransitionWeaveOptions):
        words = load_templates(options.word_templates, "transition-words")
        words = resources.extended(words, "transition", "words")
    return TransitionFeatures(*templates, resources, feats, lemmas=lemmas, guided=bool(options.guide), words=words)


def tagger_inside(options: TransitionOptions) -> tuple[str, Any]:
    """Name and options of the tagger inside.

    It uses the lexicon, but not clusters: more confident with them, it left fewer candidates, and the joint search lost
    more than the tagger had gained.
    """
    kind = options.tagger
    chosen: dict[str, Any] = {"lexicon": options.lexicon}
    if options.tagger_lasso and kind in (AUTO, "crf"):
        kind = "crf"
        chosen |= {"lasso": options.tagger_lasso} | ({"prune_below": 0.05, "bits": 8} if options.prune else {})
    return inner_tagger(kind, options, **chosen)


def _training_tags(task: TrainingTask, train: Sequence[Sentence], reader: SentenceReader) -> list[Candidates]:
    """Candidate tags of the training data."""
    options = reader.options
    if options.gold_tags or len(train) < 2:
        return [given_tags(reader.own_numbers(sentence)) for sentence in train]
    found = jackknifed_candidates(task, train, reader.tagger, options.folds)
    return [tags.within(*options.candidate_limits()) for tags in found]


def _training_lemmas(
    task: TrainingTask, train: Sequence[Sentence], tags: Sequence[Candidates], reader: SentenceReader
) -> Sequence[Sentence | None]:
    """The training data with the tagger's best tags and lemmas as on new text; None where no template sees them."""
    if not reader.features.lemmas:
        return [None] * len(train)
    tagged = [reader.tagged(sentence, c.tags[:, 0]) for sentence, c in zip(train, tags, strict=True)]
    if reader.options.gold_tags or len(train) < 2:
        return tagged
    assert reader.morphology.lemmatizer is not None
    return jackknifed_lemmas(task, train, tagged, reader.morphology.lemmatizer, reader.options.folds)
