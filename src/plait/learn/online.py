"""The online loop: decode, compare with gold, move the weights; one record per epoch, the best epoch kept."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from plait.core._nursery import Nursery
from plait.core._weights import Trainable
from plait.core.tables import Arrays, Frozen, averaged, check_averaged, freeze_arrays, load_state, save_state
from plait.errors import ModelError
from plait.learn.divergence import check_learned
from plait.learn.freezing import SLACK, Freezer, Measure
from plait.learn.learners import Learner, Violation, apply_update

E = TypeVar("E")
E_contra = TypeVar("E_contra", contravariant=True)

Track = Callable[[Iterable[Any], str], Iterable[Any]]


class OnlineModel(Protocol[E_contra]):
    """All that the loop knows of a model family."""

    tables: Mapping[str, Trainable]  # one per feature group; assigned anew when training is resumed

    def violation(self, example: E_contra) -> Violation | None:
        """Decode under the current weights; None when the result is right."""


class Record(Protocol):
    """What any kind of training tells after each epoch or iteration."""

    @property
    def dev(self) -> dict[str, float]:
        """Scores on held-out data, where they were taken."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for the model header."""

    def line(self) -> str:
        """The record as the command line prints it."""


@runtime_checkable
class ManyViolations(Protocol[E_contra]):
    """A model that may be corrected several times in one example, each time under the weights moved before."""

    def violations(self, example: E_contra) -> Iterable[Violation]:
        """The next violation is sought only after the last one has moved the weights."""


@runtime_checkable
class EpochAware(Protocol):
    """A model that trains differently from epoch to epoch."""

    def begin_epoch(self, epoch: int) -> None:
        """Told before each epoch; they count from 1."""


@dataclass(frozen=True)
class EpochRecord:
    """What one pass over the training data did."""

    epoch: int
    examples: int
    updates: int
    errors: float
    features: int
    dev: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values for the model header; without the seconds, so that equal runs give equal files."""
        record = asdict(self)
        del record["seconds"]
        return record

    def line(self) -> str:
        """The record as the command line prints it."""
        dev = "".join(f"  dev {key} {value:.2f}" for key, value in self.dev.items())
        return (
            f"epoch {self.epoch:>3}  updates {self.updates:>7}  errors {self.errors:>9.0f}"
            f"  features {self.features:>9}{dev}  {self.seconds:.1f} s"
        )


def no_track(items: Iterable[Any], label: str) -> Iterable[Any]:
    """Progress shown to nobody: the library is silent."""
    return items


class OnlineTrainer(Generic[E]):
    """Trains a model for some epochs; ``run`` yields a record after each and may be left and resumed between them.

    ``measure`` analyses held-out data with frozen tables; the score named ``decides`` tells which epoch is kept (ties:
    the earlier). Without it the last epoch is kept. Each epoch is shuffled by the seed and its number alone, so a
    resumed run does what an uninterrupted one would have done, byte for byte. Features take part from their
    ``min_updates``-th update on; those that never get there have no weights.
    """

    def __init__(
        self,
        model: OnlineModel[E],
        examples: Sequence[E],
        learner: Learner,
        *,
        epochs: int,
        seed: int,
        measure: Measure | None = None,
        decides: str = "",
        patience: int = 0,
        min_updates: int = 1,
        track: Track = no_track,
    ) -> None:
        self.model = model
        self.examples = examples
        self.learner = learner
        self.epochs = epochs
        self.seed = seed
        self.measure = measure
        self.decides = decides
        self.patience = patience
        self.track = track
        self.nurseries = {group: Nursery(min_updates) for group in model.tables} if min_updates > 1 else {}
        self.records: list[EpochRecord] = []
        self.best: dict[str, Arrays] = {}
        self.best_epoch = 0

    def run(self) -> Iterator[EpochRecord]:
        """The epochs that are still to be done."""
        while len(self.records) < self.epochs and not self._stalled():
            self.records.append(self._epoch(len(self.records) + 1))
            yield self.records[-1]

    def _stalled(self) -> bool:
        return 0 < self.patience <= len(self.records) - self.best_epoch and bool(self.records)

    def _epoch(self, epoch: int) -> EpochRecord:
        start = time.perf_counter()
        updates, errors = 0, 0.0
        tables = self.model.tables
        order = np.random.default_rng([self.seed, epoch]).permutation(len(self.examples))
        if isinstance(self.model, EpochAware):
            self.model.begin_epoch(epoch)
        for i in self.track(order.tolist(), f"epoch {epoch}/{self.epochs}"):
            for violation in self._violations(self.examples[i]):
                for group, nursery in self.nurseries.items():
                    if group in violation.delta:
                        nursery.admit(violation.delta[group])
                apply_update(self.learner, tables, violation)
                updates += 1
                errors += sum(violation.errors.values())
            for table in tables.values():
                table.tick()
        weights = {group: averaged(table) for group, table in tables.items()}
        for arrays in weights.values():
            check_learned(arrays["values"])
        features = sum(len(w["keys"]) for w in weights.values() if "keys" in w)
        dev: dict[str, float] = {}
        if self.measure is not None:
            dev = self.measure({g: freeze_arrays(w, tables[g].labels, 32) for g, w in weights.items()}).scores
        if not self.best or not dev or dev[self.decides] > self.records[self.best_epoch - 1].dev[self.decides]:
            self.best, self.best_epoch = weights, epoch
        return EpochRecord(epoch, len(self.examples), updates, errors, features, dev, time.perf_counter() - start)

    def _violations(self, example: E) -> Iterable[Violation]:
        if isinstance(self.model, ManyViolations):
            return self.model.violations(example)
        violation = self.model.violation(example)
        return () if violation is None else (violation,)

    def frozen(
        self, bits: int = 0, slack: float = SLACK, *, prune: bool = False, megabytes: float = 0.0
    ) -> tuple[dict[str, Frozen], dict[str, float]]:
        """The best epoch's tables for use, and their dev scores; parameters as in ``Freezer.freeze``."""
        if not self.best:
            self.best = {group: averaged(table) for group, table in self.model.tables.items()}
        labels = {group: table.labels for group, table in self.model.tables.items()}
        return Freezer(self.best, labels, self.measure).freeze(bits, slack, prune=prune, megabytes=megabytes)

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Header and arrays of a checkpoint."""
        arrays: Arrays = {}
        for group, table in self.model.tables.items():
            arrays.update({f"state.{group}.{name}": array for name, array in save_state(table).items()})
            arrays.update({f"best.{group}.{name}": array for name, array in self.best.get(group, {}).items()})
        for group, nursery in self.nurseries.items():
            arrays.update(zip((f"young.{group}.keys", f"young.{group}.counts"), nursery.export(), strict=True))
        header = {
            "records": [r.to_dict() for r in self.records],
            "best_epoch": self.best_epoch,
            "decides": self.decides,
            "seed": self.seed,
        }
        return header, arrays

    def resume(self, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        """Go on from a checkpoint of the same model, data and seed."""
        tables = self.model.tables
        self.best = {group: _under(f"best.{group}.", arrays) for group in tables}
        for group, table in tables.items():
            check_averaged(self.best[group], table)
        self.model.tables = {g: load_state(_under(f"state.{g}.", arrays), table) for g, table in tables.items()}
        for group, nursery in self.nurseries.items():
            young = _under(f"young.{group}.", arrays)
            if set(young) != {"keys", "counts"}:
                raise ValueError(f"arrays {', '.join(sorted(young)) or 'missing'}; expected keys, counts")
            self.nurseries[group] = Nursery.restore(nursery.needed, young["keys"], young["counts"])
        self.records = [EpochRecord(**record) for record in checked_records(header["records"], self.decides)]
        if len(self.records) > self.epochs:
            raise ModelError("holds more epochs than are asked for; raise --epochs or leave out --resume")
        self.best_epoch = best_epoch(self.records, self.decides if self.measure is not None else "")
        if (header["best_epoch"], header["decides"]) != (self.best_epoch, self.decides):
            raise ValueError(
                f"epoch {header['best_epoch']!r}, by {header['decides']!r}, is not the best of its records"
            )


def best_epoch(records: Sequence[Record], decides: str) -> int:
    """The number of the epoch with the best score of this name, the earlier of equals; without a name the last one."""
    if not decides:
        return len(records)
    return max(range(len(records)), key=lambda k: records[k].dev[decides], default=-1) + 1


def checked_records(records: Any, decides: str) -> list[dict[str, Any]]:
    """The records of a checkpoint: numbers, and scores among which is the one that decides; else a ValueError."""
    for number, record in enumerate(records, 1):
        dev = record["dev"]
        if not isinstance(dev, dict) or (dev and decides not in dev):
            raise ValueError(f"record {number} has no score {decides!r}")
        values = [*dev.values(), *(value for key, value in record.items() if key != "dev")]
        if record["epoch"] != number or not all(type(v) in (int, float) and math.isfinite(v) for v in values):
            raise ValueError(f"record {number} holds something that is not a number")
    return list(records)


def _under(prefix: str, arrays: Mapping[str, Any]) -> Arrays:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
