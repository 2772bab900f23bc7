"""Training a CRF: L-BFGS to the optimum, or AdaGrad to nearly the same in a few passes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from plait.arrays import Float64Array
from plait.chain.crf import Crf
from plait.chain.labels import LabelSpace
from plait.chain.options import CrfOptions
from plait.chain.training.likelihood import Likelihood, LikelihoodSteps
from plait.chain.training.problem import CrfProblem, Example
from plait.errors import OptionError
from plait.features.label_templates import LabelTemplates
from plait.learn.adagrad import AdaGradTrainer
from plait.learn.batch import BatchTrainer, DevScores
from plait.learn.checkpoint import run_with_checkpoints
from plait.learn.lbfgs import LBFGS
from plait.learn.records import training_record
from plait.learn.task import TrainingTask
from plait.learn.workers import Workers, start_workers

Measure = Callable[[Crf], dict[str, float]]


class FittedCrf(NamedTuple):
    """A trained CRF, its weights before they were frozen, and the training record."""

    crf: Crf
    w: Float64Array
    training: dict[str, Any]


def fit_crf(
    problem: CrfProblem,
    task: TrainingTask,
    options: CrfOptions,
    measure: Measure | None = None,
    decides: str = "",
    warm: Crf | None = None,
    part: str = "",
) -> FittedCrf:
    """Train a CRF, from the weights of ``warm`` on if there is one.

    ``decides`` is the score of ``measure`` that the best pass is chosen by; ``part`` names one of several models of a
    system.
    """
    if options.lasso and options.optimizer != "adagrad":
        raise OptionError("option lasso requires optimizer adagrad; lbfgs does not support the elastic net")
    start = np.zeros(problem.parameters) if warm is None else problem.start_from(warm)
    with start_workers(task.threads) as workers:
        dev_scores = None if measure is None else lambda w: measure(problem.freeze(w, 32))
        trainer, weights = make_trainer(problem, start, task, options, workers, dev_scores, decides)
        run_with_checkpoints(trainer, task, part)
    w = weights(trainer.w)
    crf = problem.freeze(w, options.bits, options.prune_below)
    training = training_record(trainer.records, trainer.best_epoch, decides if measure is not None else "")
    training["weights"] = problem.size
    training["dev"] = measure(crf) if measure is not None else {}
    return FittedCrf(crf, w, training)


def make_problem(
    space: LabelSpace,
    features: LabelTemplates,
    examples: Iterable[Example],
    options: CrfOptions,
    masks: tuple[Float64Array, Float64Array] | None = None,
) -> CrfProblem:
    """The problem described by the options, for its optimizer."""
    return CrfProblem(
        space,
        features,
        examples,
        cutoff=options.cutoff,
        unseen=options.unseen,
        masks=masks,
        tie=not options.warm_start,
        share=options.optimizer == "lbfgs",
    )


def make_trainer(
    problem: CrfProblem,
    start: Float64Array,
    task: TrainingTask,
    options: CrfOptions,
    workers: Workers,
    measure: DevScores | None,
    decides: str,
) -> tuple[AdaGradTrainer | BatchTrainer, Callable[[Float64Array], Float64Array]]:
    """The optimizer selected by the options, and a function from its parameters to all weights."""
    if options.optimizer == "lbfgs":
        model = Likelihood(problem, options.sigma, workers)
        minimizer = LBFGS(
            model,
            start,
            iterations=options.epochs or 300,
            memory=options.memory,
            delta=options.delta,
            weights=problem.size,
        )
        batch = BatchTrainer(
            minimizer, dev_every=options.dev_every, measure=after(model.weights, measure), decides=decides
        )
        return batch, model.weights
    stochastic = AdaGradTrainer(
        LikelihoodSteps(problem, start, options, workers),
        len(problem.lengths),
        epochs=options.epochs or 10,
        seed=task.seed,
        batch=options.batch,
        measure=after(problem.weights, measure),
        decides=decides,
        track=task.track,
    )
    return stochastic, problem.weights


def after(weights: Callable[[Float64Array], Float64Array], measure: DevScores | None) -> DevScores | None:
    """A measure of weights as a function of the optimizer's parameters."""
    return None if measure is None else lambda moved: measure(weights(moved))
