"""Training of ``easyfirst-tagger``, ``easyfirst-parser`` and ``easyfirst-joint``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.core._weights import Scorer
from plait.core.tables import Frozen, new_table
from plait.data.document import Sentence
from plait.data.tags import TagColumns, shown_tag
from plait.data.trees import held_out_trees, with_trees
from plait.easyfirst._search import EasyFirst
from plait.easyfirst.features import Features, arc_templates, tag_templates
from plait.easyfirst.joint import EasyFirstJoint, guides
from plait.easyfirst.lexicon import TagLexicon
from plait.easyfirst.options import (
    TAGGER,
    EasyFirstJointOptions,
    EasyFirstOptions,
    EasyFirstParserOptions,
    EasyFirstTaggerOptions,
)
from plait.easyfirst.parser import EasyFirstParser
from plait.easyfirst.system import ARCS, TAGS, Atoms, make_decoder
from plait.easyfirst.tagger import EasyFirstTagger
from plait.easyfirst.training.heaviest import Words, heaviest_features
from plait.easyfirst.training.model import EasyFirstInTraining, Example, parse_losses
from plait.errors import OptionError
from plait.features.templates import united
from plait.features.word_resources import WordResources
from plait.learn.fitting import fit_online
from plait.learn.outcome import Outcome
from plait.learn.task import TrainingTask
from plait.system.modelparts import read_tagset
from plait.trees.arc_labels import ArcLabels
from plait.trees.averaging import with_runs
from plait.trees.inner_tagger import InnerTagger, Tags, given_numbers
from plait.trees.morphology import Morphology, SeenMorphology
from plait.trees.training.inner_tagger import fit_tagger, inner_tagger, jackknifed_numbers, tagger_options
from plait.trees.training.morphology import decided, fit_morphology, seen_in
from plait.trees.training.outcome import add_sentence, tree_measures


def fit_easyfirst_tagger(task: TrainingTask, options: EasyFirstTaggerOptions) -> EasyFirstTagger:
    """Train a tagger."""
    columns = TagColumns(options.tag)
    options.greedy_epochs()  # a beam without epochs is refused before anything is trained
    resources = WordResources.read(options, task.files)
    features = Features(tag_templates(options.templates, resources), resources=resources)
    if features.sees_neighbours or features.is_guided:
        seen = "trees (n-1, n+1)" if features.sees_neighbours else "another tagger's tags (p0)"
        raise OptionError(f'templates "{options.templates}" use {seen}, which only easyfirst-joint supports')
    train, dev = [s for s in task.train if len(s)], [s for s in task.dev if len(s)]
    tags = read_tagset(task.train, columns, task.dev)
    gold = _tag_numbers(train, columns, tags)
    lexicon = TagLexicon.build(tags, gold, options.tag_dictionary)
    reader = features.reader(lexicon.affixes)
    examples = [
        Example(reader.atoms(forms), tags=np.array(numbers, dtype=np.uint16))
        for forms, numbers in task.track(gold, "features")
    ]
    shown = (
        Words(forms, [shown_tag(tags[t]) for t in numbers], example)
        for (forms, numbers), example in zip(gold, examples, strict=True)
    )
    search = _Search(options, columns, features, lexicon, None)
    held_out = [(s, reader.atoms(s.forms), None) for s in dev]
    frozen, training = _fit(search, task, examples, held_out, shown)
    return EasyFirstTagger(options, features, frozen, lexicon, training=training)


def fit_easyfirst_parser(task: TrainingTask, options: EasyFirstParserOptions) -> EasyFirstParser:
    """Train the tagger, tag the training data by jackknifing, train the parser on that."""
    options.greedy_epochs()  # a beam without epochs is refused before anything is trained
    train, dev = with_trees(task.train), held_out_trees(task.dev)
    options = with_runs(decided(options, train), train)
    features, morphology, analysed = _fit_features(task, train, options)
    reader = features.reader()
    name, of_tagger = tagger_inside(options)
    tagger: InnerTagger = fit_tagger(name, task, of_tagger)
    labels = ArcLabels.read(train, labelled=options.labeled, projective=True, search_roots=False)
    given = _training_tags(task, train, tagger, options)

    def atoms_of(words: Sentence) -> Atoms:
        return features.analyse(reader.atoms(words.forms), words)

    examples = []
    for sentence, tags, words in task.track(list(zip(train, given, analysed, strict=True)), "features"):
        examples.append(Example.of_tree(atoms_of(words), labels.gold(sentence), given=tags))
    dev_tags = [given_numbers(tagger, s) if options.gold_tags else tagger.tag_numbers(s.forms) for s in dev]
    dev_words = [morphology.analysed(s if options.gold_tags else s.bare(), keep=options.gold_tags) for s in dev]
    held_out = [(s, atoms_of(words), tags) for s, words, tags in zip(dev, dev_words, dev_tags, strict=True)]
    shown = (
        Words(sentence.forms, [shown_tag(tagger.tags[t]) for t in row], example, (), words)
        for sentence, row, example, words in zip(train, given, examples, analysed, strict=True)
    )
    search = _Search(options, tagger.columns, features, None, labels)
    frozen, training = _fit(search, task, examples, held_out, shown)
    training |= {"tagger": tagger.training, **morphology.training}
    return EasyFirstParser(options, features, frozen, None, labels, tagger, morphology=morphology, training=training)


def fit_easyfirst_joint(task: TrainingTask, options: EasyFirstJointOptions) -> EasyFirstJoint:
    """Train both kinds of decisions together."""
    columns = TagColumns(options.tag)
    options.greedy_epochs()  # a beam without epochs is refused before anything is trained
    train, dev = with_trees(task.train), held_out_trees(task.dev)
    options = with_runs(decided(options, train), train)
    losses = parse_losses(options.losses)
    features, morphology, analysed = _fit_features(task, train, options, options.tag_templates)
    tags = read_tagset(train, columns, dev)
    gold_tags = _tag_numbers(train, columns, tags)
    lexicon = TagLexicon.build(tags, gold_tags, options.tag_dictionary)
    labels = ArcLabels.read(train, labelled=options.labeled, projective=True, search_roots=False)
    reader = features.reader(lexicon.affixes)
    guide: EasyFirstTagger | None = None
    guided: Sequence[Any] = [()] * len(train)
    if guides(morphology, options):
        guided = [lexicon.numbers(columns.read(words)) for words in analysed]
    elif features.is_guided:
        guide = fit_tagger(TAGGER, task, guide_options(options))
        guided = _training_tags(task, train, guide, options)

    def atoms_of(forms: Sequence[str], of_guide: Any, words: Sentence) -> Atoms:
        atoms = features.analyse(reader.atoms(forms), words)
        if of_guide is None and guide is not None:
            of_guide = guide.tag_numbers(forms)
        if features.is_guided:
            features.guide(atoms, of_guide if of_guide is not None else lexicon.numbers(columns.read(words)))
        return atoms

    examples: list[Example] = []
    for sentence, (forms, row) in task.track(list(zip(train, gold_tags, strict=True)), "features"):
        atoms = atoms_of(forms, guided[len(examples)], analysed[len(examples)])
        examples.append(Example.of_tree(atoms, labels.gold(sentence), tags=np.array(row, dtype=np.uint16)))
    held_out = [(s, atoms_of(s.forms, None, morphology.analysed(s.bare())), None) for s in dev]
    names = [*map(shown_tag, guide.tags if guide is not None else lexicon.tags), "?"]
    shown = (
        Words(s.forms, [*map(shown_tag, columns.read(s))], example, [names[t] for t in row], words)
        for s, example, row, words in zip(train, examples, guided, analysed, strict=True)
    )
    search = _Search(options, columns, features, lexicon, labels)
    frozen, training = _fit(search, task, examples, held_out, shown, losses, {TAGS: options.step_of_tags()})
    training |= morphology.training
    return EasyFirstJoint(options, features, frozen, lexicon, labels, guide, morphology=morphology, training=training)


def _fit_features(
    task: TrainingTask, train: Sequence[Sentence], options: Any, tagging: str = ""
) -> tuple[Features, Morphology, Sequence[Sentence]]:
    """The features of arcs and, by the set ``tagging``, of tags; morphology, and the training data analysed by it."""
    resources = WordResources.read(options, task.files)
    of_tags = tag_templates(tagging, resources) if tagging else ()

    def features_of(seen: SeenMorphology) -> Features:
        return Features(of_tags, arc_templates(options.templates, resources, seen), options.center, resources, seen)

    features_of(seen_in(train, options))  # faults in the templates are reported before training begins
    morphology, analysed = fit_morphology(task, train, options, gold=options.gold_tags)
    if tagging and guides(morphology, options):
        of_tags = united(of_tags, tag_templates("guide", resources))
    return features_of(morphology.seen), morphology, analysed


def _training_tags(task: TrainingTask, train: Sequence[Sentence], tagger: InnerTagger, options: Any) -> Sequence[Tags]:
    """The tags of the training data as templates see them: gold, or predicted by jackknifing."""
    if options.gold_tags or len(train) < 2:
        return [given_numbers(tagger, s) for s in train]
    return jackknifed_numbers(task, train, tagger, options.folds)


def guide_options(options: EasyFirstJointOptions) -> Any:
    """The options of the tagger whose tags guided templates look at."""
    return easy_first_tagger_options(options, epochs=options.guide_epochs, templates=EasyFirstTaggerOptions.templates)


def tagger_inside(options: EasyFirstParserOptions) -> tuple[str, Any]:
    """Name and options of the tagger inside a parser."""
    if options.tagger == "easyfirst":
        return TAGGER, easy_first_tagger_options(options)
    return inner_tagger(options.tagger, options, clusters=options.clusters, lexicon=options.lexicon)


def easy_first_tagger_options(options: Any, **chosen: Any) -> Any:
    """The options of an easy-first tagger inside a parser."""
    shared = {name: getattr(options, name) for name in ("clusters", "lexicon", "tag_dictionary", "after_error")}
    return tagger_options(TAGGER, options, **shared, **chosen)


@dataclass(frozen=True)
class _Search:
    """What is searched for with which features."""

    options: Any
    columns: TagColumns
    features: Features
    lexicon: TagLexicon | None
    labels: ArcLabels | None

    def decoder(self, tables: Mapping[str, Scorer]) -> EasyFirst:
        return make_decoder(self.features, tables, self.lexicon, self.labels, self.options)

    def measures(self) -> tuple[str, ...]:
        """The scores on dev, the one that decides first."""
        return (*(tree_measures(self.labels) if self.labels else ()), *(("accuracy",) if self.lexicon else ()))

    def measure(self, tables: Mapping[str, Scorer], held_out: Iterable[tuple[Sentence, Atoms, Tags | None]]) -> Outcome:
        """What the search makes of held-out sentences."""
        search, outcome = self.decoder(tables), Outcome(*self.measures())
        for sentence, atoms, given in held_out:
            tags, heads, labels, *_ = search.decode(atoms, given)
            found = Sentence(sentence.forms)
            if self.lexicon is not None:
                self.columns.write(found, [self.lexicon.tags[t] for t in tags.tolist()])
            if self.labels is not None:
                self.labels.write(found, heads.tolist(), labels.tolist())
            add_sentence(outcome, self.columns, sentence, found)
        return outcome


def _fit(
    search: _Search,
    task: TrainingTask,
    examples: Sequence[Example],
    held_out: Sequence[tuple[Sentence, Atoms, Tags | None]],
    shown: Iterable[Words],
    losses: Sequence[str] = ("joint",),
    rates: Mapping[str, float] | None = None,
) -> tuple[dict[str, Frozen], dict[str, Any]]:
    """Train online; the frozen tables and the training record. ``shown``: the examples in words."""
    options: EasyFirstOptions = search.options
    tags = search.lexicon.tags if search.lexicon is not None else ()
    labels = search.labels.names if search.labels is not None else ()
    tables = {}
    if search.lexicon is not None:
        tables[TAGS] = new_table(options.table, len(tags), options.hash_bits)
    if search.labels is not None:
        tables[ARCS] = new_table(options.table, 2 + 2 * len(labels), options.hash_bits)
    model = EasyFirstInTraining(search.decoder, tables, options, losses, rates)
    measure = (lambda tables: search.measure(tables, held_out)) if held_out else None
    frozen, best, training = fit_online(task, options, model, examples, measure, search.measures()[0])
    if task.name_features:
        decoder = search.decoder(frozen)
        training["heaviest"] = heaviest_features(decoder, search.features, best, shown, tags, labels)
    return frozen, training


def _tag_numbers(
    train: Sequence[Sentence], columns: TagColumns, tags: Sequence[str]
) -> list[tuple[Sequence[str], list[int]]]:
    """(forms, numbers of the gold tags) of training sentences."""
    number = {tag: i for i, tag in enumerate(tags)}
    return [(s.forms, [number[tag] for tag in columns.read(s)]) for s in train]
