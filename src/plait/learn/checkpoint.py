"""Checkpoints: the whole state of a training after each epoch, in a file that appears whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from plait.arrays import AnyArray
from plait.errors import ModelError
from plait.files import open_atomic
from plait.learn.records import Record
from plait.learn.task import TrainingTask
from plait.logs import logger
from plait.system.modelfile import model_bytes, open_model


class Resumable(Protocol):
    """A trainer whose whole state is a header and some arrays."""

    def run(self) -> Iterator[Record]:
        """The epochs still to be done; the state is sound after each."""

    def state(self) -> tuple[dict[str, Any], dict[str, AnyArray]]:
        """Header and arrays of a checkpoint."""

    def resume(self, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        """Go on from them."""


def run_with_checkpoints(trainer: Resumable, task: TrainingTask, part: str = "") -> None:
    """Train to the end, from the task's checkpoint on if it says so; ``part`` is one of several models of a system."""
    path = task.part(part).checkpoint
    if path is not None and task.resume:
        load_checkpoint(path, trainer, task.identity)
    for record in trainer.run():
        if path is not None:
            save_checkpoint(path, trainer, task.identity)
        task.on_epoch(record)


def save_checkpoint(path: Path, trainer: Resumable, identity: str) -> None:
    """Write the trainer's state; an earlier checkpoint is replaced.

    A checkpoint that cannot be written, say because the disk is full, is a notice: the training itself can go on.
    """
    header, arrays = trainer.state()
    try:
        with open_atomic(path, "wb") as file:
            file.write(model_bytes({"checkpoint": header, "identity": identity}, arrays))
    except OSError as error:
        older = "; the older one stays" if path.exists() else ""
        logger.warning("%s: could not write the checkpoint (%s)%s; training continues", path, error.strerror, older)


def load_checkpoint(path: Path, trainer: Resumable, identity: str) -> bool:
    """Bring the trainer to where the checkpoint left off; False when there is none yet."""
    if not path.exists():
        return False
    header, arrays = open_model(path)
    if "checkpoint" not in header:
        raise ModelError(f"{path}: not a checkpoint; choose a new file or remove this one")
    if header.get("identity") != identity:
        raise ModelError(f"{path}: was written with different data, options or seed; remove it or omit --resume")
    try:
        trainer.resume(header["checkpoint"], arrays)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise ModelError(f"{path}: damaged checkpoint ({error}); remove it or omit --resume") from error
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error
    return True
