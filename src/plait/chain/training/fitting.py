"""Training a CRF: features numbered once, then L-BFGS to the optimum or AdaGrad to nearly the same in a few passes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from plait.chain._corpus import Encoder, seen_labels
from plait.chain._objective import Objective
from plait.chain.crf import Crf
from plait.chain.labels import LabelSpace
from plait.chain.options import CrfOptions
from plait.core._frozen import freeze
from plait.core._weights import Scorer
from plait.core.rows import checked
from plait.errors import DataError, ModelError, OptionError
from plait.features.labelled import VIEWS, LabelledTemplates
from plait.learn.batch import LBFGS, IterationRecord
from plait.learn.checkpoint import load_checkpoint, save_checkpoint
from plait.learn.divergence import check_learned, check_score
from plait.learn.online import best_epoch, checked_records
from plait.learn.task import TrainingTask

Vector = npt.NDArray[np.float64]
Measure = Callable[[Crf], dict[str, float]]
R = TypeVar("R")

BATCH_BYTES = 1 << 21  # probabilities of a batch: few enough to stay in the cache
GROUP = 8  # batches between two hand-overs to the threads
WIDEST = 65534  # labels that one row of a frozen table holds


@dataclass(frozen=True)
class Example:
    """A sequence with its labels: padded atoms, numbers of marks and types, and the restriction of each item."""

    atoms: npt.NDArray[np.uint64]
    marks: npt.NDArray[np.int32]
    types: npt.NDArray[np.int32]
    classes: npt.NDArray[np.uint8] | None = None


@dataclass(frozen=True)
class Rows:
    """The features of one view: their keys, and where their weights lie."""

    keys: npt.NDArray[np.uint64]
    starts: npt.NDArray[np.int64]  # [rows + 1], absolute
    codes: npt.NDArray[np.int32]  # the label of each weight


class CrfProblem:
    """Examples made into an objective over one weight vector.

    ``bars`` are the restrictions that ``Example.classes`` refers to: (s, t) rows of 0 and −inf, the first of zeros.
    """

    def __init__(
        self,
        space: LabelSpace,
        features: LabelledTemplates,
        examples: Iterable[Example],
        *,
        cutoff: int = 1,
        unseen: bool = False,
        bars: tuple[Vector, Vector] | None = None,
    ) -> None:
        S, T = len(space.marks), len(space.types)
        self.space = space
        self.features = features
        widths = space.widths
        for view in features.by_view:
            if widths[view] > WIDEST:
                raise OptionError(
                    f"templates over {view} need {widths[view]} weights a row, and a row holds {WIDEST}; "
                    f"choose templates without pairs of tags, or fewer tags"
                )
        encoders = {view: Encoder() for view in features.compiled}
        marks: list[npt.NDArray[np.int32]] = []
        types: list[npt.NDArray[np.int32]] = []
        classes: list[npt.NDArray[np.uint8]] = []
        for example in examples:
            if len(example.marks) == 0:
                continue
            for view, keys in features.keys(example.atoms):
                encoders[view].add(keys)
            marks.append(example.marks)
            types.append(example.types)
            n = len(example.marks)
            classes.append(np.zeros(n, np.uint8) if example.classes is None else example.classes)
        if not marks:
            raise DataError("no labelled sequences to train on")
        self.lengths = np.array([len(m) for m in marks], dtype=np.int64)
        sentences = np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)
        gold_s, gold_t = np.concatenate(marks), np.concatenate(types)
        first = np.zeros(len(gold_s), dtype=bool)
        first[sentences[:-1]] = True
        self.label_size = S * T + S * S * T + S * T * T
        at = self.label_size
        views: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]] | None] = []
        row_starts: list[npt.NDArray[np.int64]] = []
        codes: list[npt.NDArray[np.int32]] = []
        times: list[npt.NDArray[np.int64]] = []
        self.rows: dict[str, Rows] = {}
        for view in VIEWS:
            if view not in encoders:
                views.append(None)
                continue
            keys, count, ids, starts = encoders.pop(view).finish(cutoff)
            width = widths[view]
            if unseen:
                offsets = np.arange(len(keys) + 1, dtype=np.int64) * width
                of_row = np.tile(np.arange(width, dtype=np.int32), len(keys))
            else:
                gold = gold_codes(view, gold_s, gold_t, first, S, T)
                offsets, of_row = seen_labels(ids, starts, gold, len(keys), width)
            self.rows[view] = Rows(keys, offsets + at, of_row)
            views.append((ids, starts))
            row_starts.append(offsets[:-1] + at)
            codes.append(of_row)
            times.append(count)
            at += int(offsets[-1])
        nothing = (np.zeros((1, S)), np.zeros((1, T)))
        row_count = [len(self.rows[view].keys) if view in self.rows else 0 for view in VIEWS]
        all_starts = np.concatenate([*row_starts, [at]]).astype(np.int64)
        self.chart = space.chart()
        self.objective = Objective(
            self.chart,
            sentences,
            gold_s,
            gold_t,
            np.concatenate(classes),
            np.ascontiguousarray((bars or nothing)[0]),
            np.ascontiguousarray((bars or nothing)[1]),
            views,
            row_count,
            all_starts,
            np.concatenate([*codes, np.zeros(0, np.int32)]).astype(np.int32),
            np.concatenate([*times, np.zeros(0, np.int64)]).astype(np.int64),
        )
        self.size = at
        self.last = np.zeros(0)  # the weights of the last training, for those who look into them
        self._uses = np.concatenate([*times, np.zeros(1, np.int64)])

    def label_tables(self, w: Vector) -> dict[str, Vector]:
        """start, sts and tst out of the weight vector."""
        S, T = len(self.space.marks), len(self.space.types)
        a, b = S * T, S * T + S * S * T
        return {
            "start": w[:a].reshape(S, T).copy(),
            "sts": w[a:b].reshape(S, S, T).copy(),
            "tst": w[b : self.label_size].reshape(S, T, T).copy(),
        }

    def batches(self, order: npt.NDArray[np.int64], items: int) -> list[npt.NDArray[np.int64]]:
        """The sequences in this order, cut into batches of about so many items."""
        ends = np.cumsum(self.lengths[order])
        cuts = np.unique(ends // max(items, 1), return_index=True)[1][1:]
        return np.split(order, cuts)

    def shares(self, threads: int) -> list[tuple[int, int]]:
        """Ranges of rows with about the same work, one for each thread."""
        total = np.cumsum(self._uses[:-1])
        if threads <= 1 or len(total) == 0:
            return [(0, self.objective.rows)]
        cuts = [int(np.searchsorted(total, total[-1] * k / threads)) for k in range(1, threads)]
        edges = [0, *cuts, self.objective.rows]
        return list(pairwise(edges))

    def freeze(self, w: Vector, bits: int = 16, prune: float = 0.0) -> Crf:
        """The weights as a model for use."""
        check_learned(w)
        tables: dict[str, Scorer] = {}
        for view, rows in self.rows.items():
            values = w[rows.starts[0] : rows.starts[-1]].astype(np.float32)
            kept = np.abs(values) > prune
            before = np.concatenate([[0], np.cumsum(kept)])[rows.starts - rows.starts[0]]
            # rows lie by frequency here, and by key in a frozen table
            order = np.argsort(rows.keys)
            counts = np.diff(before)[order]
            starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
            places = np.repeat(before[:-1][order] - starts[:-1], counts) + np.arange(starts[-1])
            width = self.space.widths[view]
            tables[view] = freeze(
                rows.keys[order], starts, rows.codes[kept].astype(np.uint16)[places], values[kept][places], width,
                16 if bits == 8 and width > 256 else bits,
            )  # fmt: skip
        return Crf(self.space, self.features, tables, self.label_tables(w))

    def start_from(self, crf: Crf) -> Vector:
        """A weight vector with the weights of another model, as far as features agree; labels must be the same."""
        if (crf.space.marks, crf.space.types) != (self.space.marks, self.space.types):
            raise OptionError("the model to start from has other labels; train from scratch or on data with the same")
        w = np.zeros(self.size)
        w[: self.label_size] = np.concatenate([crf.labels[name].ravel() for name in ("start", "sts", "tst")])
        for view, rows in self.rows.items():
            table = crf.tables.get(view)
            if table is None:
                continue
            for k in range(len(rows.keys)):
                a, b = rows.starts[k], rows.starts[k + 1]
                w[a:b] = table.scores(rows.keys[k : k + 1])[rows.codes[a - rows.starts[0] : b - rows.starts[0]]]
        return w


def gold_codes(
    view: str, s: npt.NDArray[np.int32], t: npt.NDArray[np.int32], first: npt.NDArray[np.bool_], S: int, T: int
) -> npt.NDArray[np.int32]:
    """Which label of the view each item has; −1 where a pair would need an item before the first."""
    if view == "s":
        return s
    if view == "t":
        return t
    if view == "st":
        return (s * T + t).astype(np.int32)
    labels, size = (s, S) if view == "ss" else (t, T)
    pairs = np.concatenate([[0], labels[:-1] * size + labels[1:]]).astype(np.int32)
    return np.where(first, -1, pairs).astype(np.int32)


class Threads:
    """``map`` over some threads, or none."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.pool = ThreadPoolExecutor(count) if count > 1 else None

    def map(self, function: Callable[..., R], *arguments: Iterable[Any]) -> list[R]:
        """The results in order."""
        return list(map(function, *arguments) if self.pool is None else self.pool.map(function, *arguments))


@contextmanager
def threads(count: int) -> Iterator[Threads]:
    """Threads that are gone afterwards."""
    made = Threads(count)
    try:
        yield made
    finally:
        if made.pool is not None:
            made.pool.shutdown()


class Likelihood:
    """The function L-BFGS minimises: negative log-likelihood and ‖w‖² / 2σ²."""

    def __init__(self, problem: CrfProblem, sigma: float, workers: Threads) -> None:
        self.problem = problem
        self.decay = 1.0 / (sigma * sigma)
        self.workers = workers
        items = max(1, BATCH_BYTES // problem.objective.bytes_per_item())
        self.batches = problem.batches(np.arange(len(problem.lengths), dtype=np.int64), items)
        self.slots = problem.objective.slots(GROUP)
        self.ranges = problem.shares(workers.count)

    def __call__(self, w: Vector) -> tuple[float, Vector]:
        """Value and gradient."""
        problem, objective = self.problem, self.problem.objective
        tables = problem.label_tables(w)
        problem.chart.set_scores(tables["start"], tables["sts"], tables["tst"])
        gradient = w * self.decay
        loss = 0.0
        for first in range(0, len(self.batches), GROUP):
            group = self.batches[first : first + GROUP]
            slots = self.slots[: len(group)]
            loss += sum(self.workers.map(lambda slot, batch: objective.score_batch(slot, batch, w), slots, group))

            def collect(share: tuple[int, int], slots: Any = slots, group: Any = group) -> None:
                objective.collect(slots, group, *share, gradient)

            self.workers.map(collect, self.ranges)
            objective.collect_labels(slots, gradient)
        return loss + 0.5 * self.decay * float(w @ w), gradient


class CrfTrainer:
    """Trains to the end; its state can be saved after every iteration and taken up again."""

    def __init__(
        self,
        problem: CrfProblem,
        options: CrfOptions,
        task: TrainingTask,
        measure: Measure | None,
        decides: str,
        workers: Threads,
    ) -> None:
        self.problem = problem
        self.options = options
        self.task = task
        self.measure = measure
        self.decides = decides  # the dev score that AdaGrad's best pass is chosen by
        self.workers = workers
        self.epochs = options.epochs or (300 if options.optimizer == "lbfgs" else 10)
        self.records: list[IterationRecord] = []
        self.w = np.zeros(problem.size)
        self.squares = np.zeros(0)
        self.best: Vector | None = None
        self.best_epoch = 0
        self.lbfgs: LBFGS | None = None

    def run(self) -> Iterator[IterationRecord]:
        """One record for each iteration or pass."""
        if self.options.optimizer == "lbfgs":
            yield from self._run_lbfgs()
        else:
            yield from self._run_adagrad()

    def _run_lbfgs(self) -> Iterator[IterationRecord]:
        likelihood = Likelihood(self.problem, self.options.sigma, self.workers)
        limit = self.epochs
        minimiser = LBFGS(likelihood, self.w, iterations=limit, memory=self.options.memory, delta=self.options.delta)
        if self.lbfgs is not None:
            minimiser.resume(*self.lbfgs.state())
        self.lbfgs = minimiser
        for record in minimiser.run(self.records):
            check_score(record.objective)
            check_score(record.gradient)
            check_learned(minimiser.w)
            self.w = minimiser.w
            if self.measure is not None and self._looks_at_dev(record.epoch):
                record = replace(record, dev=self.measure(self.problem.freeze(self.w, 32)))
            self.records.append(record)
            yield record
        self.w = minimiser.w
        self.best_epoch = len(self.records)

    def _looks_at_dev(self, iteration: int) -> bool:
        return iteration % self.options.dev_every == 0 or iteration == self.epochs

    def _run_adagrad(self) -> Iterator[IterationRecord]:
        problem, objective, options = self.problem, self.problem.objective, self.options
        decay = 1.0 / (options.sigma * options.sigma)
        gradient = np.zeros(problem.size)
        if len(self.squares) == 0:
            self.squares = np.zeros(problem.size)
        ranges = problem.shares(self.workers.count)
        slots = objective.slots(options.batch)
        passes = self.epochs
        while len(self.records) < passes:
            begin = time.perf_counter()
            epoch = len(self.records) + 1
            order = np.random.default_rng([self.task.seed, epoch]).permutation(len(problem.lengths)).astype(np.int64)
            steps = [order[k : k + options.batch] for k in range(0, len(order), options.batch)]
            loss = 0.0
            for step in self.task.track(steps, f"pass {epoch}/{passes}"):
                tables = problem.label_tables(self.w)
                problem.chart.set_scores(tables["start"], tables["sts"], tables["tst"])
                loss += self._adagrad_step(objective, step, slots, ranges, gradient, decay / len(steps), decay)
            check_score(loss)
            check_learned(self.w)
            record = IterationRecord(epoch, loss, 0.0, len(steps), problem.size, {}, time.perf_counter() - begin)
            if self.measure is not None:
                record = replace(record, dev=self.measure(problem.freeze(self.w, 32)))
            self.records.append(record)
            self.best_epoch = best_epoch(self.records, self.decides if self.measure is not None else "")
            if self.best is None or self.best_epoch == epoch:
                self.best = self.w.copy()
            yield record
        if self.best is not None:
            self.w = self.best

    def _adagrad_step(
        self,
        objective: Objective,
        step: npt.NDArray[np.int64],
        slots: list[Any],
        ranges: list[tuple[int, int]],
        gradient: Vector,
        label_decay: float,
        decay: float,
    ) -> float:
        group = [step[k : k + 1] for k in range(len(step))]  # one sentence each, whatever the number of threads
        used = slots[: len(group)]
        losses = self.workers.map(lambda slot, batch: objective.score_batch(slot, batch, self.w), used, group)

        def move(share: tuple[int, int]) -> None:
            objective.collect(used, group, *share, gradient, True)
            options = self.options
            objective.adagrad_step(group, *share, self.w, gradient, self.squares, options.rate, decay, options.lasso)

        self.workers.map(move, ranges)
        objective.collect_labels(used, gradient)
        objective.adagrad_labels(self.w, gradient, self.squares, self.options.rate, label_decay)
        return sum(losses)

    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Header and arrays of a checkpoint."""
        header: dict[str, Any] = {
            "records": [record.to_dict() for record in self.records],
            "best_epoch": self.best_epoch,
            "decides": self.decides,
            "optimizer": self.options.optimizer,
        }
        if self.options.optimizer == "lbfgs":
            assert self.lbfgs is not None
            header["lbfgs"], arrays = self.lbfgs.state()
            return header, arrays
        assert self.best is not None
        return header, {"w": self.w, "squares": self.squares, "best": self.best}

    def resume(self, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on from a checkpoint of the same data and options."""
        self.records = [IterationRecord(**record) for record in checked_records(header["records"], self.decides)]
        if len(self.records) > self.epochs:
            raise ModelError("holds more epochs than are asked for; raise --epochs or leave out --resume")
        if header["decides"] != self.decides:
            raise ValueError(f"the best pass is chosen by {header['decides']!r}; expected {self.decides!r}")
        if self.options.optimizer == "lbfgs":
            # the look at dev that only the old number of iterations asked for is none of this run's
            self.records = [r if self._looks_at_dev(r.epoch) else replace(r, dev={}) for r in self.records]
            self.lbfgs = LBFGS(lambda w: (0.0, w), np.zeros(self.problem.size), memory=self.options.memory)
            self.lbfgs.resume(header["lbfgs"], arrays)
            if len(self.lbfgs.objectives) != len(self.records) + 1:
                raise ValueError(f"{len(self.lbfgs.objectives)} objectives after {len(self.records)} iterations")
            self.w = self.lbfgs.w
            return
        if set(arrays) != {"w", "squares", "best"}:
            raise ValueError(f"arrays {', '.join(sorted(arrays))}; expected w, squares, best")
        size = (self.problem.size,)
        self.w, self.squares, self.best = (checked(arrays, name, np.float64, size) for name in ("w", "squares", "best"))
        if (self.squares < 0).any():
            raise ValueError("array squares holds negative numbers")
        self.best_epoch = best_epoch(self.records, self.decides if self.measure is not None else "")
        if header["best_epoch"] != self.best_epoch:
            raise ValueError(f"pass {header['best_epoch']!r} is not the best of its records")


def fit_crf(
    problem: CrfProblem,
    task: TrainingTask,
    options: CrfOptions,
    measure: Measure | None = None,
    decides: str = "",
    warm: Crf | None = None,
    part: str = "",
) -> tuple[Crf, dict[str, Any]]:
    """Train a CRF; the model and the training record.

    ``decides`` is the score of ``measure`` that the best pass is chosen by; ``part`` names one of several models of a
    system.
    """
    if options.lasso and options.optimizer != "adagrad":
        raise OptionError("option lasso needs optimizer adagrad; L-BFGS has no elastic net")
    with threads(task.threads) as workers:
        trainer = CrfTrainer(problem, options, task, measure, decides, workers)
        if warm is not None:
            trainer.w = problem.start_from(warm)
        checkpoint = task.checkpoint
        if checkpoint is not None and part:
            checkpoint = checkpoint.with_name(f"{checkpoint.name}.{part}")
        if checkpoint is not None and task.resume:
            load_checkpoint(checkpoint, trainer, task.identity)
        for record in trainer.run():
            if checkpoint is not None:
                save_checkpoint(checkpoint, trainer, task.identity)
            task.on_epoch(record)
        problem.last = trainer.w
        crf = problem.freeze(trainer.w, options.bits, options.prune_below)
    training: dict[str, Any] = {
        "epochs": [record.to_dict() for record in trainer.records],
        "best_epoch": trainer.best_epoch,
        "decides": decides if measure is not None else "",
        "weights": problem.size,
        "dev": measure(crf) if measure is not None else {},
    }
    return crf, training
