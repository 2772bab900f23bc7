"""Training of the first stage: a tagger, a first-order CRF, and their jackknifed predictions on the training data."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.arrays import Float64Array, Int32Array
from plait.data.document import Sentence
from plait.data.trees import with_trees
from plait.graph.arc_crf import ArcCrf
from plait.graph.features import GraphFeatures, arc_templates, template_set
from plait.graph.options import GraphOptions
from plait.graph.training.arc_crf import ArcCrfTrainer, ArcExample
from plait.learn.jackknife import jackknife
from plait.learn.records import PassRecord
from plait.learn.task import TrainingTask
from plait.trees.arc_labels import ArcLabels
from plait.trees.inner_tagger import ProbabilisticTagger, Tags
from plait.trees.morphology import Morphology
from plait.trees.training.inner_tagger import fit_tagger, inner_tagger, jackknifed_probabilities
from plait.trees.training.morphology import fit_morphology
from plait.trees.training.outcome import tree_measures
from plait.trees.tree import Tree

MeasureCrf = Callable[[ProbabilisticTagger, ArcCrf, Morphology], dict[str, float]]


@dataclass(frozen=True)
class FirstStage:
    """Charts with the same tags and labels, whatever their features and learners, can share one."""

    train: Sequence[Sentence]  # those with trees
    tagger: ProbabilisticTagger
    crf: ArcCrf
    tags: Sequence[Tags]  # gold
    trees: Sequence[Tree]  # gold
    p_tags: Sequence[Float64Array]
    p_arcs: Sequence[tuple[Float64Array, Int32Array]]  # marginals, and the best heads; empty for a first-order parser
    record: dict[str, Any]  # of the CRF's training
    morphology: Morphology
    analysed: Sequence[Sentence]  # the training data with FEATS and lemmas as on new text


def fit_first_stage(
    task: TrainingTask,
    options: GraphOptions,
    *,
    prunes: bool = True,
    measure: MeasureCrf | None = None,
    on_epoch: Callable[[PassRecord], None] = lambda record: None,
) -> FirstStage:
    """Train tagger and CRF on all of the data, and jackknife both over it.

    If the CRF is not used for pruning, it is the final model: it has the features of ``options.templates``, and only
    the tags are jackknifed. ``measure`` selects its best pass, by the score that decides for trees.
    """
    train = with_trees(task.train)
    task = dataclasses.replace(task, train=train, dev=[s for s in task.dev if len(s)])
    inside, its_options = tagger_inside(options)
    tagger: ProbabilisticTagger = fit_tagger(inside, task, its_options)
    name, more = (options.prune_templates, "prune") if prunes else (template_set(options.templates, train), "chart")
    morphology, analysed = fit_morphology(task, train, options, gold=options.gold_tags)
    templates = arc_templates(name, tagger.resources, more, morphology.seen)
    features = GraphFeatures(templates, tagger.tags, tagger.resources, second=False, morphology=morphology.seen)
    labels = ArcLabels.read(train, labelled=options.labeled, projective=options.is_projective())
    gold = [features.number(tagger.columns.read(s)) for s in train]
    if options.gold_tags:
        p_tags = [features.one_hot(tags) for tags in gold]
    elif len(train) < 2:
        p_tags = [features.one_hot(tags)[:, : len(tagger.tags)] for tags in gold]
    else:
        p_tags = jackknifed_probabilities(task, train, tagger, options.folds)
    examples = [
        ArcExample(features.encode(s.forms, p.argmax(axis=1), None, words), labels.gold(s))
        for s, p, words in zip(train, p_tags, analysed, strict=True)
    ]
    trainer = ArcCrfTrainer(options, features, labels, examples, task.track)
    records = []
    decides = tree_measures(labels)[0]
    chosen = None if measure is None else lambda crf: measure(tagger, crf, morphology)
    for record in trainer.run(options.arc_epochs, task.seed, chosen, decides):
        records.append(record.to_dict())
        on_epoch(record)
    crf = ArcCrf(features, labels, trainer.frozen(options.bits or 16))
    record_of_crf = {"epochs": records, "best_epoch": trainer.best_epoch, "weights": len(trainer.rows.codes)}
    record_of_crf["decides"] = decides if measure is not None else ""
    del trainer
    p_arcs = jackknifed_arcs(task, examples, options, features, labels) if prunes else []
    trees = [example.tree for example in examples]
    return FirstStage(train, tagger, crf, gold, trees, p_tags, p_arcs, record_of_crf, morphology, analysed)


def tagger_inside(options: GraphOptions) -> tuple[str, Any]:
    """Name and options of the tagger inside."""
    return inner_tagger(options.tagger, options, clusters=options.clusters, lexicon=options.lexicon)


def jackknifed_arcs(
    task: TrainingTask,
    examples: Sequence[ArcExample],
    options: GraphOptions,
    features: GraphFeatures,
    labels: ArcLabels,
) -> list[tuple[Float64Array, Int32Array]]:
    """Arc marginals and best heads of the training data by CRFs that have not seen it; all arcs when none is pruned."""
    if options.prune_arcs == 0.0 or len(examples) < 2:
        return [(np.ones((len(e.tree.heads),) * 2), e.tree.heads) for e in examples]

    def fit(seen: list[ArcExample]) -> Callable[[list[ArcExample]], list[tuple[Float64Array, Int32Array]]]:
        trainer = ArcCrfTrainer(options, features, labels, seen)
        for _ in trainer.run(options.arc_epochs, task.seed):
            pass
        crf = ArcCrf(features, labels, trainer.rows)

        def predict(held_out: list[ArcExample]) -> list[tuple[Float64Array, Int32Array]]:
            found = [crf.probabilities(example.encoded) for example in held_out]
            return [(p, tree.heads) for tree, _, p in found]

        return predict

    return jackknife(examples, task.train, options.arc_folds, fit, task.track)
