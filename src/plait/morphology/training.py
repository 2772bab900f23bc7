"""Training of ``morph-tagger``: data to numbers, epochs of AdaGrad on pruned lattices, the best epoch frozen."""

from __future__ import annotations

import dataclasses
import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.arrays import AnyArray, Float32Array, UInt8Array
from plait.core._weights import Scorer
from plait.core.rows import checked
from plait.core.tables import Arrays, freeze_arrays
from plait.data.document import Sentence
from plait.data.feats import tidy_feats
from plait.data.tags import TAG_COLUMNS, TagColumns, filled_columns
from plait.errors import DataError, ModelError, OptionError
from plait.features.templates import load_templates
from plait.features.word_resources import WordResources
from plait.learn.checkpoint import run_with_checkpoints
from plait.learn.divergence import check_learned
from plait.learn.epochs import EpochTrainer
from plait.learn.freezing import Freezer
from plait.learn.outcome import Outcome
from plait.learn.records import TimedRecord, training_record
from plait.learn.task import TrainingTask
from plait.logs import logger
from plait.morphology.coarse import coarse_problem, first_values, spread_weights
from plait.morphology.faults import report_feats
from plait.morphology.features import MorphFeatures, WordClasses
from plait.morphology.heaviest import heaviest_features
from plait.morphology.model import MorphModel, Pruning
from plait.morphology.options import FEW_WORDS, SMALL_DATA, SMALL_L1, MorphOptions
from plait.morphology.problem import MorphProblem, Tagged
from plait.morphology.system import MorphTagger
from plait.system.modelparts import read_tagset

DECIDES = "alltags"
DAMPING = 0.1  # added to the squared gradients: the first steps are shorter
DROPOUT_SEED = 0x68696465  # hidden words are drawn independently of the order of the sentences


def fit_morph_tagger(task: TrainingTask, options: MorphOptions) -> MorphTagger:
    """Train the tagger, or one for each column."""
    spec = options.tag or "+".join(filled_columns(task.train))
    if not spec:
        raise DataError("the training data has neither UPOS, XPOS nor FEATS; expected at least one of the columns")
    columns = TagColumns(spec)
    if not set(columns.columns) <= set(TAG_COLUMNS):
        raise DataError(f'tag is "{spec}"; morph-tagger predicts upos, xpos and feats')
    if "feats" in columns.columns:
        report_feats([*task.train, *task.dev], task.sources, task.told)
    elif options.unseen > 0:
        raise OptionError(f"option unseen has no effect on {spec}, since new tags are made of FEATS; leave it out")
    if options.tidy:
        task = dataclasses.replace(task, train=_tidied(task.train), dev=_tidied(task.dev))
    words = sum(map(len, task.train))
    if options.cutoff == 0:
        options = dataclasses.replace(options, cutoff=1 if words < FEW_WORDS else 2)
    if -1 < options.l1 < 0:
        raise OptionError(f"option l1 is {options.l1}; expected -1 or 0 to 10")
    if options.l1 < 0:
        options = dataclasses.replace(options, l1=SMALL_L1 if words < SMALL_DATA else 0.0)
    specs = list(columns.columns) if options.apart and len(columns.columns) > 1 else [spec]
    each_options = dataclasses.replace(options, megabytes=options.megabytes / len(specs))  # the limit is that of all
    models: list[MorphModel] = []
    records: list[dict[str, Any]] = []
    for each in specs:
        part = each if len(specs) > 1 else ""
        model, record = fit_model(task.named(part) if part else task, each_options, TagColumns(each), part)
        models.append(model)
        records.append(record)
    return MorphTagger(options, models, training=_merge_records(records))


def _merge_records(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The records of several models as one: the first one's epochs, and the scores of all."""
    if len(records) == 1:
        return records[0]
    dev = {name: score for record in records for name, score in record["dev"].items() if name != DECIDES}
    heaviest = {label: pairs for record in records for label, pairs in record.get("heaviest", {}).items()}
    return {**records[0], "dev": dev, "decides": "", "heaviest": heaviest}


def fit_model(
    task: TrainingTask, options: MorphOptions, columns: TagColumns, part: str
) -> tuple[MorphModel, dict[str, Any]]:
    """One CRF over the tags of some columns; ``part`` is its name if several are trained."""
    read_tagset(task.train, columns, task.dev)
    train: list[Tagged] = [(s.forms, columns.read(s)) for s in task.train if len(s)]
    dev: list[Tagged] = [(s.forms, columns.read(s)) for s in task.dev if len(s)]
    resources = WordResources.read(options, task.files)
    chosen = resources.extended(load_templates(options.templates, "morphology"), "morphology", "tags")
    classes = WordClasses.build((forms, first_values(tags)) for forms, tags in train)
    problem = MorphProblem(columns, train, MorphFeatures(chosen, classes, resources), options)
    added = coarse_weights(problem, train, dev, options, task, part) if options.coarse_weight > 0 else None
    trainer = run_epochs(problem, dev, options, task, part, added)
    weights = problem.arrays(trainer.best)
    freezer = Freezer(weights, trainer.labels, trainer.measure)
    tables, scores = freezer.freeze(options.bits, options.slack, prune=options.prune, megabytes=options.megabytes)
    training = training_record(trainer.records, trainer.best_epoch, DECIDES if dev else "")
    if task.name_features:
        training["heaviest"] = heaviest_features(problem, weights)
    return make_model(problem, tables, options), training | {"dev": scores}


def coarse_weights(
    problem: MorphProblem, train: Sequence[Tagged], dev: Sequence[Tagged], options: MorphOptions, task: TrainingTask,
    part: str,
) -> Float32Array | None:  # fmt: skip
    """What a model of the first column adds, if it can; its memory is free again afterwards."""
    coarse = coarse_problem(problem, train, options)
    if coarse is None:
        return None
    name = coarse.names.columns.spec
    of_coarse = [(forms, first_values(tags)) for forms, tags in dev]
    trainer = run_epochs(coarse, of_coarse, options, task.named(name), f"{part}.{name}" if part else name)
    weights: Float32Array = np.float32(options.coarse_weight) * spread_weights(coarse, trainer.best, problem)
    return weights


def make_model(problem: MorphProblem, tables: Mapping[str, Scorer], options: MorphOptions) -> MorphModel:
    """A model with these weights."""
    return MorphModel(
        problem.names,
        problem.tags,
        problem.parts,
        problem.features,
        tables,
        problem.dictionary,
        problem.open_tags,
        problem.order,
        Pruning.of_new_model(options.threshold, options.coarse_weight),
    )


def run_epochs(
    problem: MorphProblem, dev: Sequence[Tagged], options: MorphOptions, task: TrainingTask, part: str,
    added: Float32Array | None = None,
) -> MorphTrainer:  # fmt: skip
    """A trainer that has finished all epochs; ``part`` names its checkpoint."""

    def measure(tables: Mapping[str, Scorer]) -> Outcome:
        found = make_model(problem, tables, options)
        outcome = Outcome(DECIDES, *problem.names.columns.columns)
        for forms, gold in dev:
            tags = found.best(forms)[0]
            each = {
                column: ([found.names.split(tag)[k] for tag in gold], [found.values[tag][k] for tag in tags])
                for k, column in enumerate(problem.names.columns.columns)
            }
            outcome.add(tags=(gold, [problem.tags[tag] for tag in tags]), **each)
        return outcome

    trainer = MorphTrainer(
        problem, options, added, epochs=options.epochs, seed=task.seed, measure=measure if dev else None,
        decides=DECIDES, patience=options.patience, track=task.track,
    )  # fmt: skip
    run_with_checkpoints(trainer, task, part)
    return trainer


@dataclass(frozen=True)
class MorphRecord(TimedRecord):
    """The record of one pass over the training data."""

    LINE = "epoch {epoch:>3}  order {order}  loss {loss:>10.1f}  weights {features:>9}"

    epoch: int
    order: int
    loss: float
    features: int


@dataclass
class MorphTrainer(EpochTrainer[MorphRecord, Float32Array]):
    """The epochs of one model."""

    Record = MorphRecord

    problem: MorphProblem
    options: MorphOptions
    added: Float32Array | None = None  # weights that are added to those in training, whenever they are used

    def __post_init__(self) -> None:
        problem, options = self.problem, self.options
        tags, parts = problem.parts.tags, problem.parts.parts
        self.labels = {"form": parts + tags, "context": parts, "pairs": parts, "tag_pairs": tags}
        if problem.order == 2:
            self.labels |= {"triples": problem.parts.classes, "skips": parts}
        frequency = np.array([problem.form_counts[form] for form in problem.forms])
        self.hiding_probability = options.dropout / (options.dropout + frequency)
        if options.megabytes and options.epochs > options.shrink:  # earlier epochs have weights that will be dropped
            self.earliest = options.shrink + 1
        self.of_added = "" if self.added is None else hashlib.sha256(self.added.tobytes()).hexdigest()
        self.best = self._values()

    def _values(self) -> Float32Array:
        """The weights in use: averages, and what is added to them."""
        values = self.problem.learner.values(averaged=True)
        return values if self.added is None else values + self.added

    def _epoch(self, epoch: int) -> tuple[MorphRecord, Float32Array]:
        begin = time.perf_counter()
        options, learner = self.options, self.problem.learner
        order = 0 if epoch <= options.warmup else self.problem.order
        sentences = np.random.default_rng([self.seed, epoch]).permutation(len(self.problem.numbered))
        draws = np.random.default_rng([self.seed, epoch, DROPOUT_SEED]).random(len(self.hiding_probability))
        hidden = draws < self.hiding_probability
        loss = 0.0
        for block in self.track(np.array_split(sentences, 100), f"epoch {epoch}/{self.epochs}"):
            loss += learner.run(
                block, order, options.threshold, options.rate, options.l1, options.l2, DAMPING, hidden.view(np.uint8)
            )
        values = self._values()
        check_learned(values)
        if options.megabytes and epoch == options.shrink:
            dropped = self._dropped(values)
            learner.drop(dropped)
            self._drop_added(dropped)
        elif epoch == options.warmup:  # the weights so far are a starting point, not part of the average
            learner.restart_averaging()
        dev: dict[str, float] = {}
        if self.measure is not None:
            dev = self.measure(self._frozen(values)).scores
        features = int(np.count_nonzero(values))
        return MorphRecord(epoch, order, loss, features, dev=dev, seconds=time.perf_counter() - begin), values

    def _drop_added(self, dropped: AnyArray) -> None:
        if self.added is not None:
            self.added = np.where(dropped, np.float32(0), self.added)

    def _dropped(self, values: Float32Array) -> UInt8Array:
        """Which weights to drop so that the others fit in ``--megabytes``."""
        low, high = 0.0, 1.0
        while high - low > 0.002:
            share = (low + high) / 2
            kept = np.where(self.problem.weights_to_drop(values, share), np.float32(0), values)
            low, high = (low, share) if self._size(kept) <= 1e6 * self.options.megabytes else (share, high)
        return self.problem.weights_to_drop(values, high).view(np.uint8)

    def _size(self, values: Float32Array) -> int:
        """Bytes of the tables with as few bits as allowed."""
        tables = {
            group: freeze_arrays(rows, self.labels[group], self.options.bits or 8)
            for group, rows in self.problem.arrays(values).items()
        }
        return sum(array.nbytes for table in tables.values() for array in table.arrays().values())

    def _frozen(self, values: Float32Array) -> dict[str, Scorer]:
        arrays = self.problem.arrays(values)
        return {group: freeze_arrays(rows, self.labels[group], 32) for group, rows in arrays.items()}

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Header and arrays of a checkpoint."""
        w, squares, sums, clock = self.problem.learner.state()
        arrays: Arrays = {"w": w, "squares": squares, "sums": sums, "clock": np.array([clock]), "best": self.best}
        return {**self.header(), "megabytes": self.options.megabytes, "added": self.of_added}, arrays

    def resume(self, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        """Go on from a checkpoint of the same data, options and seed.

        With more epochs the model that is added has other weights, and epochs have other scores: then begin anew.
        """
        if header["megabytes"] != self.options.megabytes:
            raise ModelError(f"belongs to --megabytes {header['megabytes']}; delete it or omit --resume")
        if header["added"] != self.of_added:
            logger.info("the model of the first column was trained for more epochs; whole tags are trained anew")
            return
        size = (self.problem.learner.size,)
        clock = checked(arrays, "clock", np.float64, (1,))
        w, squares = checked(arrays, "w", np.float32, size), checked(arrays, "squares", np.float32, size)
        self.best = checked(arrays, "best", np.float32, size)
        check_learned(self.best)
        check_learned(w)
        self.problem.learner.restore(w, squares, checked(arrays, "sums", np.float64, size), float(clock[0]))
        self._drop_added(squares < 0)
        if len(header["records"]) < self.earliest:  # fewer epochs than now, and the best was one of these
            header = {**header, "best_epoch": 0}
        self.restore(header)


def _tidied(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Copies with FEATS in one order, so that different spellings of a tag become one tag."""
    found = []
    for sentence in sentences:
        if any(feats != tidy_feats(feats) for feats in set(sentence.feats)):
            sentence = sentence.copy()
            sentence.feats = [tidy_feats(feats) for feats in sentence.feats]
        found.append(sentence)
    return found
