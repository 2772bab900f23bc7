"""The online loop: decode, compare with gold, move the weights; one record per epoch, the best epoch kept."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from plait.core._delta import UpdateCutoff
from plait.core._weights import Trainable
from plait.core.tables import (
    Arrays,
    Frozen,
    averaged,
    check_averaged,
    freeze_arrays,
    load_state,
    prefixed,
    save_state,
    under,
)
from plait.learn.divergence import check_learned
from plait.learn.epochs import EpochTrainer
from plait.learn.freezing import SLACK, Freezer
from plait.learn.learners import Learner, Violation, apply_update
from plait.learn.records import EpochRecord

E = TypeVar("E")


class OnlineModel(Generic[E]):
    """A model in training."""

    tables: Mapping[str, Trainable]  # one per feature group; reassigned when training is resumed

    def violation(self, example: E) -> Violation | None:
        """Decode under the current weights; None when the result is right."""
        raise NotImplementedError

    def violations(self, example: E) -> Iterator[Violation]:
        """All violations; the next one is computed only after the update for the last one."""
        found = self.violation(example)
        if found is not None:
            yield found

    def begin_epoch(self, epoch: int) -> None:
        """Called before each epoch; epochs count from 1."""


@dataclass
class OnlineTrainer(EpochTrainer[EpochRecord, dict[str, Arrays]], Generic[E]):
    """Trains a model online; ``measure`` analyses held-out data with frozen tables.

    Features have weights only from their ``min_updates``-th update on.
    """

    Record = EpochRecord

    model: OnlineModel[E]
    examples: Sequence[E]
    learner: Learner
    min_updates: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        late = self.min_updates > 1
        self.update_cutoffs = {group: UpdateCutoff(self.min_updates) for group in self.model.tables} if late else {}
        self.best = {}

    def _epoch(self, epoch: int) -> tuple[EpochRecord, dict[str, Arrays]]:
        start = time.perf_counter()
        updates, errors = 0, 0.0
        tables = self.model.tables
        order = np.random.default_rng([self.seed, epoch]).permutation(len(self.examples))
        self.model.begin_epoch(epoch)
        for i in self.track(order.tolist(), f"epoch {epoch}/{self.epochs}"):
            for violation in self.model.violations(self.examples[i]):
                for group, cutoff in self.update_cutoffs.items():
                    if group in violation.delta:
                        cutoff.filter(violation.delta[group])
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
        seconds = time.perf_counter() - start
        return EpochRecord(epoch, len(self.examples), updates, errors, features, dev=dev, seconds=seconds), weights

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
            arrays |= prefixed(f"state.{group}.", save_state(table))
            arrays |= prefixed(f"best.{group}.", self.best.get(group, {}))
        for group, cutoff in self.update_cutoffs.items():
            arrays.update(zip((f"young.{group}.keys", f"young.{group}.counts"), cutoff.export(), strict=True))
        return {**self.header(), "seed": self.seed}, arrays

    def resume(self, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        """Continue from a checkpoint of the same model, data and seed."""
        tables = self.model.tables
        self.best = {group: under(f"best.{group}.", arrays) for group in tables}
        for group, table in tables.items():
            check_averaged(self.best[group], table)
        self.model.tables = {g: load_state(under(f"state.{g}.", arrays), table) for g, table in tables.items()}
        for group, cutoff in self.update_cutoffs.items():
            young = under(f"young.{group}.", arrays)
            if set(young) != {"keys", "counts"}:
                raise ValueError(f"arrays {', '.join(sorted(young)) or 'missing'}; expected keys, counts")
            self.update_cutoffs[group] = UpdateCutoff.restore(cutoff.needed, young["keys"], young["counts"])
        self.restore(header)
