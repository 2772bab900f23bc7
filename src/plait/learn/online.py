"""The online loop: decode, compare with gold, move the weights; one record per epoch, the best epoch kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from plait.core._weights import Scorer, Trainable
from plait.core.tables import Arrays, Frozen, averaged, freeze_arrays, load_state, pruned, save_state
from plait.errors import ModelError
from plait.learn.learners import Learner, Violation, apply_update

E = TypeVar("E")
E_contra = TypeVar("E_contra", contravariant=True)

Track = Callable[[Iterable[Any], str], Iterable[Any]]
Measure = Callable[[Mapping[str, Scorer]], dict[str, float]]

TOLERANCE = 0.05  # points of the first dev score that a smaller stored model may cost
# shares of the rows that may be dropped, tried in this order
SHARES = (0.96, 0.95, 0.94, 0.92, 0.9, 0.85, 0.8, 0.65, 0.5, 0.3, 0.0)


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

    ``measure`` scores frozen tables on held-out data; its first entry decides which epoch is kept (ties: the earlier).
    Without it the last epoch is kept. Each epoch is shuffled by the seed and its number alone, so a resumed run does
    what an uninterrupted one would have done, byte for byte.
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
        patience: int = 0,
        track: Track = no_track,
    ) -> None:
        self.model = model
        self.examples = examples
        self.learner = learner
        self.epochs = epochs
        self.seed = seed
        self.measure = measure
        self.patience = patience
        self.track = track
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
                apply_update(self.learner, tables, violation)
                updates += 1
                errors += sum(violation.errors.values())
            for table in tables.values():
                table.tick()
        weights = {group: averaged(table) for group, table in tables.items()}
        features = sum(len(w["keys"]) for w in weights.values() if "keys" in w)
        dev: dict[str, float] = {}
        if self.measure is not None:
            dev = self.measure({g: freeze_arrays(w, tables[g].labels, 32) for g, w in weights.items()})
        if not self.best or not dev or next(iter(dev.values())) > self._best_score():
            self.best, self.best_epoch = weights, epoch
        return EpochRecord(epoch, len(self.examples), updates, errors, features, dev, time.perf_counter() - start)

    def _violations(self, example: E) -> Iterable[Violation]:
        if isinstance(self.model, ManyViolations):
            return self.model.violations(example)
        violation = self.model.violation(example)
        return () if violation is None else (violation,)

    def _best_score(self) -> float:
        return next(iter(self.records[self.best_epoch - 1].dev.values()))

    def frozen(
        self, bits: int = 0, tolerance: float = TOLERANCE, prune: bool = False, megabytes: float = 0.0
    ) -> tuple[dict[str, Frozen], dict[str, float]]:
        """The best epoch's tables for use, and their dev scores.

        With ``bits`` 0 the fewest bits are taken (8, 16, 32) at which the first dev score is not more than
        ``tolerance`` below that of full precision; without dev data, 16. With ``prune`` the rows with the smallest
        weights are dropped, as many as the same tolerance allows: fewer rows are found faster. With ``megabytes`` so
        many more are dropped that the tables fit, whatever dev says.
        """
        labels = {group: table.labels for group, table in self.model.tables.items()}
        if not self.best:
            self.best = {group: averaged(table) for group, table in self.model.tables.items()}

        def at(width: int, share: float = 0.0) -> dict[str, Frozen]:
            return {
                group: freeze_arrays(
                    pruned(w, share), labels[group], 16 if width == 8 and labels[group] > 256 else width
                )
                for group, w in self.best.items()
            }

        def squeezed(width: int) -> tuple[dict[str, Frozen], dict[str, float]]:
            low, high = 0.0, 1.0  # the smallest share that fits, within a thousandth
            while high - low > 0.001:
                share = (low + high) / 2
                low, high = (low, share) if fits(at(width, share)) else (share, high)
            tables = at(width, high)
            return tables, measure(tables)

        def fits(tables: dict[str, Frozen]) -> bool:
            size = sum(array.nbytes for table in tables.values() for array in table.arrays().values())
            return megabytes == 0.0 or size <= 1e6 * megabytes

        measure = self.measure or (lambda tables: {})
        full = next(iter(measure(at(32)).values())) if self.measure else 0.0
        for width in (bits,) if bits else (8, 16) if self.measure else (16,):
            for share in SHARES if prune and self.measure else (0.0,):
                tables = at(width, share)
                dev = measure(tables)
                if next(iter(dev.values()), 0.0) >= full - tolerance:
                    return (tables, dev) if fits(tables) else squeezed(width)
        tables = at(bits or 32)
        return (tables, measure(tables)) if fits(tables) else squeezed(bits or 8)

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Header and arrays of a checkpoint."""
        arrays: Arrays = {}
        for group, table in self.model.tables.items():
            arrays.update({f"state.{group}.{name}": array for name, array in save_state(table).items()})
            arrays.update({f"best.{group}.{name}": array for name, array in self.best.get(group, {}).items()})
        header = {"records": [r.to_dict() for r in self.records], "best_epoch": self.best_epoch, "seed": self.seed}
        return header, arrays

    def resume(self, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        """Go on from a checkpoint of the same model, data and seed."""
        labels = {group: table.labels for group, table in self.model.tables.items()}
        self.model.tables = {g: load_state(_under(f"state.{g}.", arrays), labels[g]) for g in labels}
        self.best = {g: _under(f"best.{g}.", arrays) for g in labels}
        self.records = [EpochRecord(**record) for record in header["records"]]
        self.best_epoch = int(header["best_epoch"])
        if len(self.records) > self.epochs:
            raise ModelError("holds more epochs than are asked for; raise --epochs or leave out --resume")
        if not 0 <= self.best_epoch <= len(self.records) or (self.records and not self.best_epoch):
            raise ValueError(f"best epoch {self.best_epoch} of {len(self.records)}")
        for group, weights in self.best.items():
            freeze_arrays(weights, labels[group], 32)  # unsound arrays are found here


def _under(prefix: str, arrays: Mapping[str, Any]) -> Arrays:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
