"""AdaGrad (Duchi et al. 2011): passes in random order, a step after every few examples, the best pass kept.

The step itself is compiled code of the model family, which knows the weights that a few examples use.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from plait.arrays import AnyArray, Int64Array
from plait.core.rows import checked
from plait.learn.divergence import check_learned, check_score
from plait.learn.epochs import EpochTrainer
from plait.learn.records import PassRecord


class StochasticModel(Protocol):
    """All that AdaGrad knows of a model family. The two arrays are changed in place."""

    w: AnyArray  # the weights
    squares: AnyArray  # for each weight the sum of its squared gradients
    size: int  # how many weights the records say there are

    def step(self, examples: Int64Array) -> float:
        """Move the weights down the gradient of some examples, given by number; their loss before."""


@dataclass
class AdaGradTrainer(EpochTrainer[PassRecord, AnyArray]):
    """Runs the passes; afterwards the model has the weights of the best one."""

    Record = PassRecord

    model: StochasticModel
    examples: int
    batch: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        self.best = self.model.w.copy()

    @property
    def w(self) -> AnyArray:
        """The weights as they are."""
        return self.model.w

    def run(self) -> Iterator[PassRecord]:
        """The passes still to be done."""
        yield from super().run()
        self.model.w[:] = self.best

    def _epoch(self, epoch: int) -> tuple[PassRecord, AnyArray]:
        begin = time.perf_counter()
        order = np.random.default_rng([self.seed, epoch]).permutation(self.examples).astype(np.int64)
        steps = [order[k : k + self.batch] for k in range(0, len(order), self.batch)]
        loss = 0.0
        for step in self.track(steps, f"epoch {epoch}/{self.epochs}"):
            loss += self.model.step(step)
        check_score(loss)
        check_learned(self.w)
        seconds = time.perf_counter() - begin
        dev = {} if self.measure is None else self.measure(self.w)
        return PassRecord(epoch, loss, len(steps), self.model.size, dev=dev, seconds=seconds), self.w

    def _kept(self, weights: AnyArray) -> AnyArray:
        return weights.copy()

    def state(self) -> tuple[dict[str, Any], dict[str, AnyArray]]:
        """Header and arrays of a checkpoint."""
        return self.header(), {"w": self.model.w, "squares": self.model.squares, "best": self.best}

    def resume(self, header: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> None:
        """Go on from a checkpoint of the same data and options."""
        self.restore(header)
        if set(arrays) != {"w", "squares", "best"}:
            raise ValueError(f"arrays {', '.join(sorted(arrays))}; expected w, squares, best")
        w = self.model.w
        w[:], squares, self.best = (checked(arrays, name, w.dtype, w.shape) for name in ("w", "squares", "best"))
        if (squares < 0).any():
            raise ValueError("array squares holds negative numbers")
        self.model.squares[:] = squares
