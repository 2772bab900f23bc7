"""Training records: one per epoch or iteration, kept in model headers and checkpoints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar

from plait.errors import ModelError


class Record(Protocol):
    """What every trainer reports after each epoch or iteration."""

    @property
    def dev(self) -> dict[str, float]:
        """Scores on development data, where they were taken."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for the model header."""

    def line(self) -> str:
        """The record as the command line prints it."""


@dataclass(frozen=True, kw_only=True)
class TimedRecord:
    """The fields that all records end with."""

    LINE: ClassVar[str]  # the other fields, as the command line prints them

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
        return self.LINE.format(**vars(self)) + f"{dev}  {self.seconds:.1f} s"


@dataclass(frozen=True)
class EpochRecord(TimedRecord):
    """What one pass over the training data did, online."""

    LINE = "epoch {epoch:>3}  updates {updates:>7}  errors {errors:>9.0f}  features {features:>9}"

    epoch: int
    examples: int
    updates: int
    errors: float
    features: int


@dataclass(frozen=True)
class IterationRecord(TimedRecord):
    """What one iteration of L-BFGS did."""

    LINE = "iteration {epoch:>3}  objective {objective:>13.3f}  gradient {gradient:>10.3f}  weights {features:>9}"

    epoch: int
    objective: float
    gradient: float  # its norm
    evaluations: int
    features: int


@dataclass(frozen=True)
class PassRecord(TimedRecord):
    """What one pass of AdaGrad over the training data did."""

    LINE = "epoch {epoch:>3}  loss {loss:>13.3f}  weights {features:>9}"

    epoch: int
    loss: float  # of every example, before the step that learns from it
    steps: int
    features: int


@dataclass(frozen=True)
class NamedRecord:
    """A record of one of several trainings: of a part of a larger model, or a run of several."""

    record: Record
    name: str

    @property
    def dev(self) -> dict[str, float]:
        """Scores on development data, where they were taken."""
        return self.record.dev

    def to_dict(self) -> dict[str, Any]:
        """Plain values for the model header."""
        return self.record.to_dict()

    def line(self) -> str:
        """The record as the command line prints it."""
        return f"{self.name}  {self.record.line()}"


R = TypeVar("R", bound=TimedRecord)


def best_epoch(records: Sequence[TimedRecord], decides: str) -> int:
    """The number of the epoch with the best score of this name, the earlier of equals; without a name the last one."""
    if not decides:
        return len(records)
    return max(range(len(records)), key=lambda k: records[k].dev[decides], default=-1) + 1


def restore_records(kind: type[R], header: Mapping[str, Any], decides: str, limit: int) -> list[R]:
    """The records of a checkpoint: numbers, and scores with the one that decides among them; otherwise a ValueError.

    More than ``limit`` records are a ModelError.
    """
    if header["decides"] != decides:
        raise ValueError(f"the best epoch by {header['decides']!r} is not the best by {decides!r}")
    records: list[dict[str, Any]] = header["records"]
    for number, record in enumerate(records, 1):
        dev = record["dev"]
        if not isinstance(dev, dict) or (dev and decides not in dev):
            raise ValueError(f"record {number} has no score {decides!r}")
        values = [*dev.values(), *(value for key, value in record.items() if key != "dev")]
        if record["epoch"] != number or not all(type(v) in (int, float) and math.isfinite(v) for v in values):
            raise ValueError(f"record {number} contains a value that is not a finite number")
    if len(records) > limit:
        raise ModelError("has more epochs than requested; increase --epochs or omit --resume")
    return [kind(**record) for record in records]


def training_record(records: Sequence[Record], best: int, decides: str) -> dict[str, Any]:
    """What a model header says of its training."""
    return {"epochs": [record.to_dict() for record in records], "best_epoch": best, "decides": decides}
