"""Training of ``graph-parser`` and ``graph-joint``: the first stage, and a chart over the pruned space."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from plait.core._weights import Scorer
from plait.core.tables import new_table
from plait.data.document import Sentence
from plait.data.trees import held_out_trees, with_trees
from plait.errors import OptionError
from plait.features._lexicon import build_affix_tags
from plait.features.word_resources import WordResources
from plait.graph.arc_crf import ArcCrf
from plait.graph.chart import POS, SYN, ChartModel, Space
from plait.graph.decoding import candidate_tags
from plait.graph.features import GraphFeatures, chart_templates
from plait.graph.nodes import Candidates
from plait.graph.options import GraphJointOptions, GraphOptions, GraphParserOptions
from plait.graph.pos_features import PosFeatures, pos_templates
from plait.graph.pruning import keep_arcs, keep_guide
from plait.graph.system import GraphJoint, GraphParser, GraphSystem
from plait.graph.training.chart import ChartInTraining, Example
from plait.graph.training.first_order import FirstStage, fit_first_stage
from plait.graph.training.pruning_report import PruningReport
from plait.learn.fitting import fit_online
from plait.learn.outcome import Outcome
from plait.learn.task import TrainingTask
from plait.trees.averaging import with_runs
from plait.trees.guide import Guide, GuideTree
from plait.trees.inner_tagger import ProbabilisticTagger
from plait.trees.morphology import Morphology
from plait.trees.training.guide import fit_guide, plan_guide
from plait.trees.training.morphology import decided, seen_in
from plait.trees.training.outcome import add_sentence, tree_measures

S = TypeVar("S", bound=GraphSystem)

Measure = Callable[[GraphSystem, Sequence[Sentence]], Outcome]


def fit_graph_parser(task: TrainingTask, options: GraphParserOptions) -> GraphParser:
    """Train a parser; of order 1 its first stage is all there is."""
    options = decided(options, with_trees(task.train))
    if options.order == 1:
        return _fit_first_order_parser(task, options)
    return _fit_second_order(GraphParser, task, options)


def fit_graph_joint(task: TrainingTask, options: GraphJointOptions) -> GraphJoint:
    """Train a tagger and parser in one."""
    options = decided(options, with_trees(task.train))
    return _fit_second_order(GraphJoint, task, options)


def _fit_first_order_parser(task: TrainingTask, options: GraphParserOptions) -> GraphParser:
    if task.checkpoint is not None:
        raise OptionError(
            "the first-order parser does not support checkpoints, since its training is short; remove --checkpoint"
        )
    dev = held_out_trees(task.dev)

    def measure(tagger: ProbabilisticTagger, crf: ArcCrf, morphology: Morphology) -> dict[str, float]:
        return measure_trees(GraphParser(options, tagger, crf, None, morphology=morphology), dev).scores

    stage = fit_first_stage(
        task,
        options,
        prunes=False,
        measure=measure if dev else None,
        on_epoch=task.on_epoch,
    )
    scores = measure(stage.tagger, stage.crf, stage.morphology) if dev else {}
    training = stage.record | {"dev": scores, "tagger": stage.tagger.training, **stage.morphology.training}
    return GraphParser(options, stage.tagger, stage.crf, None, morphology=stage.morphology, training=training)


def _fit_second_order(kind: type[S], task: TrainingTask, options: GraphOptions) -> S:
    # faults in the data and the templates are reported before training begins
    held_out_trees(task.dev)
    resources = WordResources.read(options, task.files)
    seen = seen_in(task.train, options)
    templates = chart_templates(options, task.train, resources, seen)
    GraphFeatures(templates, ["X"], resources, guided=bool(options.guide), morphology=seen)
    plan_guide(options.guide, dev=bool(task.dev), prune=options.prune)
    if isinstance(options, GraphJointOptions):
        PosFeatures(pos_templates(options.pos_templates, resources), resources)
    return fit_chart(kind, fit_first_stage(task, options), task, options)


def measure_trees(system: GraphSystem, dev: Sequence[Sentence]) -> Outcome:
    """A system's predictions on held-out data."""
    outcome = Outcome(*tree_measures(system.labels), *(("tags",) if system.joint else ()))
    for sentence in dev:
        found = sentence.copy() if system.options.gold_tags else sentence.bare()
        system.analyse(found)
        add_sentence(outcome, system.columns, sentence, found)
    return outcome


def fit_chart(
    kind: type[S], stage: FirstStage, task: TrainingTask, options: Any, measure: Measure = measure_trees
) -> S:
    """Train a chart over a first stage; many can share the same one."""
    tagger, crf, labels = stage.tagger, stage.crf, stage.crf.labels
    resources = tagger.resources
    options = with_runs(options, stage.train)
    plan = plan_guide(options.guide, dev=bool(task.dev), prune=options.prune)
    seen, second = stage.morphology.seen, options.order == 2
    chosen = chart_templates(options, stage.train, resources, seen)
    features = GraphFeatures(chosen, tagger.tags, resources, second=second, guided=plan is not None, morphology=seen)
    guide, trees = fit_guide(task, stage.train, plan, options.guide_folds)
    tables = {SYN: new_table(options.table, len(labels.names), options.hash_bits)}
    pos = None
    if kind.joint:
        tagged = [(s.forms, right.tolist()) for s, right in zip(stage.train, stage.tags, strict=True)]
        affixes = [build_affix_tags(tagged, last) for last in (False, True)]
        pos = PosFeatures(pos_templates(options.pos_templates, resources), resources, affixes)
        tables[POS] = new_table(options.table, len(tagger.tags), options.hash_bits)
    model = ChartInTraining(features, labels, pos, tables, options.augment)
    report = PruningReport()
    examples = list(_examples(stage, options, features, pos, trees, report))
    task.on_epoch(report)
    dev = held_out_trees(task.dev)

    def measure_tables(tables: Mapping[str, Scorer]) -> Outcome:
        chart = ChartModel(features, labels, pos, tables)
        return measure(kind(options, tagger, crf, chart, guide, stage.morphology), dev)

    held_out = measure_tables if dev else None
    frozen, _, training = fit_online(task, options, model, examples, held_out, tree_measures(labels)[0])
    training |= {"pruning": report.to_dict(), "first_order": stage.record, "tagger": tagger.training}
    training |= stage.morphology.training
    if guide is not None:
        training["guide"] = guide.system.training
    plain = None if guide is None else Guide(guide.system)
    chart = ChartModel(features, labels, pos, frozen)
    return kind(options, tagger, crf, chart, plain, stage.morphology, training=training)


def _examples(
    stage: FirstStage,
    options: Any,
    features: GraphFeatures,
    pos: PosFeatures | None,
    trees: Sequence[GuideTree | None],
    report: PruningReport,
) -> Iterator[Example]:
    """The training sentences in their pruned spaces; gold is always within reach."""
    for sentence, right, tree, p_tag, (p_arc, heads), guide, analysed in zip(
        stage.train, stage.tags, stage.trees, stage.p_tags, stage.p_arcs, trees, stage.analysed, strict=True
    ):
        chosen = candidate_tags(p_tag, options.prune_tags if pos is not None else None)
        keep = keep_arcs(p_arc, options.prune_arcs, heads, options.max_heads if options.prune_arcs > 0 else 0)
        if guide is not None:
            keep_guide(keep, guide)
        report.add(chosen, right.tolist(), keep, tree.heads)
        if len(sentence) > options.max_words:
            continue
        keep[tree.heads[1:], np.arange(1, len(keep))] = 1
        if pos is not None:
            for word, tag in zip(chosen, right.tolist(), strict=True):
                if tag not in word:
                    word.append(tag)
        else:
            right = np.array([word[0] for word in chosen], dtype=np.uint16)
        best = p_tag.argmax(axis=1)
        candidates = Candidates.of(chosen, len(stage.tagger.tags))
        atoms = pos.atoms(sentence.forms, best) if pos is not None else None
        encoded = features.encode(sentence.forms, best, guide, analysed)
        yield Example(Space(encoded, candidates, keep, atoms), right, tree)
