"""Online training as every system does it: epochs, checkpoints, the best epoch frozen, a record for the header."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from plait.core.tables import Arrays, Frozen
from plait.errors import OptionError
from plait.learn.freezing import Measure
from plait.learn.learners import LEARNERS
from plait.learn.online import OnlineModel, OnlineTrainer
from plait.options import DEV, Needs, option
from plait.system.base import TrainingTask
from plait.system.checkpoint import load_checkpoint, save_checkpoint

E = TypeVar("E")


@dataclass(frozen=True)
class OnlineOptions:
    """What all online-trained systems can be told; their own options classes add to it."""

    learner: str = option("perceptron", "how weights move", choices=tuple(LEARNERS))
    epochs: int = option(10, "passes over the training data; with --dev the best one is kept", minimum=1)
    patience: int = option(0, "stop after so many epochs without gain on dev; 0 never does", minimum=0, needs=DEV)
    table: str = option("exact", "exact: features apart; hash: a fixed number of weights", choices=("exact", "hash"))
    hash_bits: int = option(
        22,
        "with --table hash: 2 to the power of this many weights",
        minimum=8,
        maximum=30,
        needs=Needs("--table hash", lambda o: o.table == "hash"),
    )
    min_updates: int = option(
        1, "features that are corrected less often in training have no weights: 2 makes smaller models",
        minimum=1, maximum=255,
    )  # fmt: skip
    bits: int = option(0, "bits of a stored weight; 0: the fewest that --slack allows", choices=(0, 8, 16, 32))
    prune: bool = option(True, "drop small weights from the stored model as far as --slack allows")
    slack: float = option(
        0.05, "points that no dev score may lose more than for a smaller stored model", minimum=0.0, maximum=100.0,
        needs=DEV,
    )  # fmt: skip
    megabytes: float = option(0.0, "most that the stored weights may take, whatever dev says; 0: anything", minimum=0.0)


def fit_online(
    task: TrainingTask,
    options: OnlineOptions,
    model: OnlineModel[E],
    examples: Sequence[E],
    measure: Measure | None,
    decides: str,
) -> tuple[dict[str, Frozen], dict[str, Arrays], dict[str, Any]]:
    """Train to the end; the frozen tables, the averaged weights they were made from, and the training record.

    ``decides`` is the dev score that the best epoch is chosen by.
    """
    if options.megabytes and options.table == "hash":
        raise OptionError("a hash kernel has the size that --hash-bits gives it; leave out --megabytes")
    if options.min_updates > 1 and options.table == "hash":
        raise OptionError("--min-updates saves rows, and a hash kernel has none; leave out one of the two")
    trainer = OnlineTrainer(
        model,
        examples,
        LEARNERS[options.learner],
        epochs=options.epochs,
        seed=task.seed,
        measure=measure,
        decides=decides,
        patience=options.patience,
        min_updates=options.min_updates,
        track=task.track,
    )
    if task.checkpoint is not None and task.resume:
        load_checkpoint(task.checkpoint, trainer, task.identity)
    for record in trainer.run():
        if task.checkpoint is not None:
            save_checkpoint(task.checkpoint, trainer, task.identity)
        task.on_epoch(record)
    frozen, scores = trainer.frozen(options.bits, options.slack, prune=options.prune, megabytes=options.megabytes)
    training = {
        "epochs": [record.to_dict() for record in trainer.records],
        "best_epoch": trainer.best_epoch,
        "decides": decides if measure is not None else "",
        "dev": scores,
    }
    return frozen, trainer.best, training
