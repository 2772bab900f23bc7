"""Online training as every system does it: epochs, checkpoints, the best epoch frozen, a record for the header."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from plait.core.tables import Arrays, Frozen, empty_like, mean_weights
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

    ``decides`` is the dev score that the best epoch is chosen by, in each of ``options.runs`` trainings: scores are
    linear in the weights, so the mean of their weights scores like the mean of the models.
    """
    if options.megabytes and options.table == "hash":
        raise OptionError("the size of a hash table is set by --hash-bits; remove --megabytes")
    if options.min_updates > 1 and options.table == "hash":
        raise OptionError("--min-updates has no effect with --table hash; remove one of them")
    runs: list[OnlineTrainer[E]] = []
    for run in range(1, options.runs + 1):
        if runs:
            model.tables = {group: empty_like(table) for group, table in model.tables.items()}
        own = _task_of_run(task, run, options.runs)
        trainer = OnlineTrainer(
            model,
            examples,
            LEARNERS[options.learner],
            epochs=options.epochs,
            seed=own.seed,
            measure=measure,
            decides=decides,
            patience=options.patience,
            min_updates=options.min_updates,
            track=own.track,
        )
        run_with_checkpoints(trainer, own)
        runs.append(trainer)
    trainer = runs[0]
    training = training_record(trainer.records, trainer.best_epoch, decides if measure is not None else "")
    if len(runs) > 1:
        trainer.best = {group: mean_weights([run.best[group] for run in runs]) for group in model.tables}
        if measure is not None:
            best = [run.records[run.best_epoch - 1].dev[decides] for run in runs]
            training["runs"] = ", ".join(f"{score:.2f}" for score in best)
    frozen, scores = trainer.frozen(options.bits, options.slack, prune=options.prune, megabytes=options.megabytes)
    training["dev"] = scores
    return frozen, trainer.best, training


def _task_of_run(task: TrainingTask, run: int, runs: int) -> TrainingTask:
    """The task with a seed and a checkpoint of its own, and the run in its progress bars and records.

    The first run is the same as a single one.
    """
    if run > 1:
        seed = int(np.random.SeedSequence([task.seed, run]).generate_state(1)[0])
        task = replace(task.part(f"run{run}"), seed=seed)
    return task.named(f"run {run}/{runs}") if runs > 1 else task
