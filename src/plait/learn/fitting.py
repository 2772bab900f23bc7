"""Online training as every system does it: epochs, checkpoints, the best epoch frozen, a record for the header."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from plait.core.tables import Arrays, Frozen
from plait.errors import OptionError
from plait.learn.checkpoint import run_with_checkpoints
from plait.learn.freezing import Measure
from plait.learn.learners import LEARNERS
from plait.learn.online import OnlineModel, OnlineTrainer
from plait.learn.records import training_record
from plait.learn.task import TrainingTask
from plait.system.shared_options import OnlineOptions

E = TypeVar("E")


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
        raise OptionError("the size of a hash table is set by --hash-bits; remove --megabytes")
    if options.min_updates > 1 and options.table == "hash":
        raise OptionError("--min-updates has no effect with --table hash; remove one of them")
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
    run_with_checkpoints(trainer, task)
    frozen, scores = trainer.frozen(options.bits, options.slack, prune=options.prune, megabytes=options.megabytes)
    training = training_record(trainer.records, trainer.best_epoch, decides if measure is not None else "")
    training["dev"] = scores
    return frozen, trainer.best, training
