"""The base class of trainers that work in epochs: records, the best epoch, early stopping, checkpoints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from plait.learn.records import TimedRecord, best_epoch, restore_records
from plait.learn.task import Track, no_track

R = TypeVar("R", bound=TimedRecord)
W = TypeVar("W")


@dataclass(kw_only=True)
class EpochTrainer(ABC, Generic[R, W]):
    """``run`` yields a record after each epoch and may be left and resumed between them.

    The best epoch is the one with the highest dev score named ``decides``, the earlier of equals; without a measure it
    is the last. The order of an epoch depends only on the seed and its number, so a resumed run gives exactly the same
    result as an uninterrupted one.
    """

    Record: ClassVar[type[Any]]

    epochs: int
    seed: int
    measure: Any = None
    decides: str = ""
    patience: int = 0  # stop after this many epochs without improvement; 0: never
    track: Track = no_track
    earliest: int = 1  # the first epoch that can be the best
    records: list[R] = field(default_factory=list, init=False)
    best: W = field(init=False)  # the weights of the best epoch

    @property
    def best_epoch(self) -> int:
        """The number of the best epoch so far, 0 before there is one."""
        before = self.earliest - 1
        later = best_epoch(self.records[before:], self.decides if self.measure is not None else "")
        return before + later if later else 0

    def run(self) -> Iterator[R]:
        """The epochs that are still to be done."""
        while len(self.records) < self.epochs and not self._stalled():
            epoch = len(self.records) + 1
            record, weights = self._epoch(epoch)
            self.records.append(record)
            if self.best_epoch == epoch:
                self.best = self._kept(weights)
            yield record

    def _stalled(self) -> bool:
        return 0 < self.patience <= len(self.records) - self.best_epoch and bool(self.records)

    @abstractmethod
    def _epoch(self, epoch: int) -> tuple[R, W]:
        """Train for an epoch; its record, and the weights after it."""

    def _kept(self, weights: W) -> W:
        """Weights that later epochs do not change."""
        return weights

    def header(self) -> dict[str, Any]:
        """The part of a checkpoint that is not weights."""
        records = [record.to_dict() for record in self.records]
        return {"records": records, "best_epoch": self.best_epoch, "decides": self.decides}

    def restore(self, header: Mapping[str, Any]) -> None:
        """The inverse of ``header``."""
        self.records = restore_records(self.Record, header, self.decides, self.epochs)
        if header["best_epoch"] != self.best_epoch:
            raise ValueError(f"epoch {header['best_epoch']!r} is not the best of its records")
