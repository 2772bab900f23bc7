"""The input of a training apart from the options of the system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from plait.data.document import Sentence
from plait.learn.records import NamedRecord, Record

# Progress bars: (items, what is done with them) -> the same items
Track = Callable[[Iterable[Any], str], Iterable[Any]]


def no_track(items: Iterable[Any], label: str) -> Iterable[Any]:
    """No progress bar."""
    return items


@dataclass(frozen=True)
class TrainingTask:
    """Data, seed, checkpoints and progress of one training."""

    train: Sequence[Sentence]
    dev: Sequence[Sentence] = ()
    seed: int = 1
    threads: int = 1
    checkpoint: Path | None = None
    resume: bool = False
    identity: str = ""  # digest of data, options and seed: a checkpoint of another task is refused
    name_features: bool = True  # whether to look for the names of the heaviest features, for the training record
    on_epoch: Callable[[Record], None] = field(default=lambda record: None)
    track: Track = no_track
    sources: tuple[str | Path, ...] = ()  # the files of the data, where it comes from files
    files: dict[str, Any] = field(default_factory=dict)  # what was read once for all parts of a training, by path
    told: set[str] = field(default_factory=set)  # what any part of the training has reported

    def quietly(self) -> TrainingTask:
        """The same task for a part of a larger model: no progress is shown, and no features are named."""
        return replace(self, name_features=False, on_epoch=lambda record: None, track=no_track)

    def named(self, name: str) -> TrainingTask:
        """The same task with a name in front of its records and progress bars."""
        return replace(
            self,
            on_epoch=lambda record: self.on_epoch(NamedRecord(record, name)),
            track=lambda items, label: self.track(items, f"{name}, {label}"),
        )

    def part(self, name: str) -> TrainingTask:
        """The same task with a checkpoint for one of several models."""
        if self.checkpoint is None or not name:
            return self
        return replace(self, checkpoint=self.checkpoint.with_name(f"{self.checkpoint.name}.{name}"))
