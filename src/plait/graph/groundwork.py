"""The groundwork of a chart: a tagger, a first-order CRF, and what both say of training data they have not seen."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.chain.crf_tagger import CrfTagger
from plait.chain.options import CrfTaggerOptions
from plait.chain.training.crf_tagger import fit_crf_tagger
from plait.data.document import Sentence
from plait.data.tags import TagColumns
from plait.data.trees import with_trees
from plait.graph.crf import ArcCrf, ArcCrfTrainer, ArcExample
from plait.graph.features import GraphFeatures, arc_templates, template_set
from plait.graph.options import GraphOptions
from plait.graph.trees import ArcLabels, Tree
from plait.learn.batch import IterationRecord
from plait.learn.jackknife import jackknife
from plait.learn.online import Track, no_track
from plait.learn.task import TrainingTask

Matrix = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Tags = npt.NDArray[np.uint16]

MeasureCrf = Callable[[CrfTagger, ArcCrf], dict[str, float]]


@dataclass(frozen=True)
class Groundwork:
    """Charts with the same tags and labels, whatever their features and learners, can stand on the same one."""

    train: Sequence[Sentence]  # those with trees
    tagger: CrfTagger
    crf: ArcCrf
    tags: Sequence[Tags]  # gold
    trees: Sequence[Tree]  # gold
    p_tags: Sequence[Matrix]
    p_arcs: Sequence[tuple[Matrix, Ints]]  # marginals, and the best heads; empty when nobody asked for them
    record: dict[str, Any]  # of the CRF's training


def lay_groundwork(
    task: TrainingTask,
    options: GraphOptions,
    *,
    gold_tags: bool = False,
    projective: bool = True,
    arcs: bool = True,
    measure: MeasureCrf | None = None,
    decides: str = "",
    on_epoch: Callable[[IterationRecord], None] = lambda record: None,
) -> Groundwork:
    """Train tagger and CRF on all of the data, and jackknife both over it.

    With ``gold_tags`` the CRF sees the tags of the treebank; with ``arcs`` false it is an end in itself: it has the
    features of ``options.templates``, and nothing is jackknifed but the tags. ``measure`` chooses its best pass,
    by the score that ``decides``.
    """
    train = with_trees(task.train)
    quiet = dataclasses.replace(
        task, train=train, dev=[s for s in task.dev if len(s)], checkpoint=None, resume=False, on_epoch=lambda _: None
    )
    tagger = fit_crf_tagger(quiet, tagger_options(options))
    name, more = (options.prune_templates, "prune") if arcs else (template_set(options.templates, train), "chart")
    templates = arc_templates(name, tagger.clusters, more)
    features = GraphFeatures(templates, tagger.tags, tagger.clusters, second=False)
    labels = ArcLabels.read(train, labelled=options.labeled, projective=projective)
    gold = [features.number(tagger.columns.read(s)) for s in train]
    if gold_tags:
        p_tags = [one_hot(tags, len(tagger.tags)) for tags in gold]
    else:
        p_tags = jackknifed_tags(quiet, train, options, tagger.tags)
    examples = [
        ArcExample(features.encode(s.forms, p.argmax(axis=1)), labels.gold(s))
        for s, p in zip(train, p_tags, strict=True)
    ]
    trainer = arc_trainer(options, features, labels, examples, task.track)
    records = []
    chosen = None if measure is None else lambda crf: measure(tagger, crf)
    for record in trainer.run(options.arc_epochs, task.seed, chosen, decides):
        records.append(record.to_dict())
        on_epoch(record)
    crf = ArcCrf(features, labels, trainer.frozen(options.bits or 16))
    record_of_crf = {"epochs": records, "best_epoch": trainer.best_epoch, "weights": len(trainer.rows.codes)}
    record_of_crf["decides"] = decides if measure is not None else ""
    del trainer
    p_arcs = jackknifed_arcs(quiet, examples, options, features, labels) if arcs else []
    return Groundwork(train, tagger, crf, gold, [e.tree for e in examples], p_tags, p_arcs, record_of_crf)


def arc_trainer(
    options: GraphOptions,
    features: GraphFeatures,
    labels: ArcLabels,
    examples: Sequence[ArcExample],
    track: Track = no_track,
) -> ArcCrfTrainer:
    """The trainer of the first-order CRF, the same for all of the data and for its folds."""
    return ArcCrfTrainer(
        features,
        labels,
        examples,
        rate=options.arc_rate,
        decay=options.arc_decay,
        cutoff=options.arc_cutoff,
        track=track,
    )


def tagger_options(options: GraphOptions) -> CrfTaggerOptions:
    """The options of the tagger inside."""
    return CrfTaggerOptions(
        optimizer="adagrad",
        epochs=options.tagger_epochs,
        tag=options.tag,
        templates=options.tagger_templates,
        clusters=options.clusters,
        bits=max(16, options.bits),  # nothing watches over a tagger of 8 bits
    )


def one_hot(tags: npt.NDArray[Any], width: int) -> Matrix:
    """Certainty; tags never seen stand beyond the known ones."""
    p = np.zeros((len(tags), width + 2))
    p[np.arange(len(tags)), tags] = 1.0
    return p


def jackknifed_tags(
    task: TrainingTask, train: Sequence[Sentence], options: GraphOptions, tags: Sequence[str]
) -> list[Matrix]:
    """Tag probabilities of the training data by taggers that have not seen it."""
    number = {tag: i for i, tag in enumerate(tags)}
    if len(train) < 2:
        columns = TagColumns(options.tag)
        return [one_hot(np.array([number[t] for t in columns.read(s)]), len(tags))[:, : len(tags)] for s in train]

    def fit(seen: list[Sentence]) -> Any:
        tagger = fit_crf_tagger(dataclasses.replace(task, train=seen, dev=()), tagger_options(options))
        columns = [number[tag] for tag in tagger.tags]

        def predict(held_out: list[Sentence]) -> list[Matrix]:
            found = []
            for sentence in held_out:
                p = np.zeros((len(sentence), len(tags)))
                p[:, columns] = tagger.tag_probabilities(sentence.forms)
                found.append(p)
            return found

        return predict

    return jackknife(train, options.folds, fit, task.track)


def jackknifed_arcs(
    task: TrainingTask,
    examples: Sequence[ArcExample],
    options: GraphOptions,
    features: GraphFeatures,
    labels: ArcLabels,
) -> list[tuple[Matrix, Ints]]:
    """Arc marginals and best heads of the training data by CRFs that have not seen it; all arcs when none is pruned."""
    if options.prune_arcs == 0.0 or len(examples) < 2:
        return [(np.ones((len(e.tree.heads),) * 2), e.tree.heads) for e in examples]

    def fit(seen: list[ArcExample]) -> Any:
        trainer = arc_trainer(options, features, labels, seen)
        for _ in trainer.run(options.arc_epochs, task.seed):
            pass
        crf = ArcCrf(features, labels, trainer.rows)

        def predict(held_out: list[ArcExample]) -> list[tuple[Matrix, Ints]]:
            found = []
            for example in held_out:
                tree, _, p = crf.probabilities(example.encoded)
                found.append((p, tree.heads))
            return found

        return predict

    return jackknife(list(examples), options.arc_folds, fit, task.track)
