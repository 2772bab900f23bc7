"""The likelihood of a CRF for the optimizers: on all of the data for L-BFGS, on a few sentences for AdaGrad."""

from __future__ import annotations

from typing import Any

import numpy as np

from plait.arrays import Float64Array, Int64Array
from plait.chain.options import CrfOptions
from plait.chain.training.problem import CrfProblem
from plait.core._vectors import dot
from plait.learn.workers import Workers

BATCH_BYTES = 1 << 21  # probabilities of a batch: few enough to stay in the cache
GROUP = 8  # batches per round of threads


class Likelihood:
    """The function L-BFGS minimizes: negative log-likelihood and ‖w‖² / 2σ².

    For m tied weights, its argument is √m times their common value: then its norm is that of all weights, and L-BFGS
    takes the same steps as it would with separate weights.
    """

    def __init__(self, problem: CrfProblem, sigma: float, workers: Workers) -> None:
        self.problem = problem
        self.decay = 1.0 / (sigma * sigma)
        self.workers = workers
        self.batches = problem.batches(max(1, BATCH_BYTES // problem.objective.bytes_per_item()))
        self.slots = problem.objective.slots(GROUP)
        self.ranges = problem.shares(workers.count)
        self.scale = np.sqrt(problem.members())

    def __call__(self, w: Float64Array) -> tuple[float, Float64Array]:
        """Value and gradient."""
        objective, parts = self.problem.objective, len(self.ranges)
        sums = w * self.scale
        self.problem.set_scores(sums)
        self.workers.map(lambda part: objective.score_blocks(part, parts, sums), range(parts))
        gradient = np.zeros_like(w)
        loss = 0.0
        for first in range(0, len(self.batches), GROUP):
            group = self.batches[first : first + GROUP]
            slots = self.slots[: len(group)]
            loss += sum(self.workers.map(lambda slot, batch: objective.score_batch(slot, batch, sums), slots, group))

            def collect(part: int, slots: Any = slots, group: Any = group) -> None:
                objective.collect(slots, group, *self.ranges[part], gradient)
                objective.collect_blocks(slots, group, part, parts)

            self.workers.map(collect, range(parts))
            objective.collect_labels(slots, gradient)
        self.workers.map(lambda share: objective.distribute_blocks(share[0], share[1], gradient), self.ranges)
        gradient *= self.scale
        gradient += w * self.decay
        return loss + 0.5 * self.decay * dot(w, w), gradient

    def weights(self, w: Float64Array) -> Float64Array:
        """All weights from an argument."""
        return self.problem.weights(w * self.scale)


class LikelihoodSteps:
    """The weights as updated by AdaGrad, with the gradient of a few sentences at a time; sums of tied weights."""

    def __init__(self, problem: CrfProblem, w: Float64Array, options: CrfOptions, workers: Workers) -> None:
        self.problem = problem
        self.options = options
        self.workers = workers
        self.w = w
        self.squares = np.zeros(problem.parameters)
        self.size = problem.size
        self.decay = 1.0 / (options.sigma * options.sigma)
        self._steps = -(-len(problem.lengths) // options.batch)  # in a pass
        self._gradient = np.zeros(problem.parameters)
        self._slots = problem.objective.slots(options.batch)
        self._ranges = problem.shares(workers.count)

    def step(self, examples: Int64Array) -> float:
        """Update the weights with some sentences; returns their negative log-likelihood before."""
        objective, options = self.problem.objective, self.options
        self.problem.set_scores(self.w)
        group = [examples[k : k + 1] for k in range(len(examples))]  # one each, whatever the number of threads
        slots = self._slots[: len(group)]
        losses = self.workers.map(lambda slot, batch: objective.score_batch(slot, batch, self.w), slots, group)

        def move(share: tuple[int, int]) -> None:
            objective.collect(slots, group, *share, self._gradient, True)
            objective.adagrad_step(
                group, *share, self.w, self._gradient, self.squares, options.rate, self.decay, options.lasso
            )

        self.workers.map(move, self._ranges)
        objective.collect_labels(slots, self._gradient)
        objective.adagrad_labels(self.w, self._gradient, self.squares, options.rate, self.decay / self._steps)
        return sum(losses)
