"""AdaGrad (Duchi et al. 2011): passes in random order, a step after every few examples, the best pass kept.

The step itself is compiled code of the model family: it knows which weights a few examples touch.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from plait.core.rows import checked
from plait.learn.batch import DevScores
from plait.learn.divergence import check_learned, check_score
from plait.learn.records import IterationRecord, best_epoch, restore_records
from plait.learn.track import Track, no_track


class StochasticModel(Protocol):
    """All that AdaGrad knows of a model family. The two arrays are changed in place."""

    @property
    def w(self) -> npt.NDArray[Any]:
        """The weights."""

    @property
    def squares(self) -> npt.NDArray[Any]:
        """For each weight the sum of its squared gradients."""

    @property
    def size(self) -> int:
        """How many weights the records say there are."""

    def step(self, examples: npt.NDArray[np.int64]) -> float:
        """Move the weights down the gradient of some examples, given by number; their loss before."""


@dataclass
class AdaGradTrainer:
    """Runs the passes, yielding a record after each; afterwards the model has the weights of the best one.

    The best is the one with the highest dev score named ``decides``, the earlier of equals; without dev data the last.
    """

    model: StochasticModel
    examples: int
    _: KW_ONLY
    epochs: int
    seed: int
    batch: int = 1
    measure: DevScores | None = None
    decides: str = ""
    track: Track = no_track

    def __post_init__(self) -> None:
        self.records: list[IterationRecord] = []
        self.best = self.model.w.copy()

    @property
    def w(self) -> npt.NDArray[Any]:
        """The weights as they are."""
        return self.model.w

    @property
    def best_epoch(self) -> int:
        """The number of the best pass so far."""
        return best_epoch(self.records, self.decides if self.measure is not None else "")

    def run(self) -> Iterator[IterationRecord]:
        """The passes still to be done."""
        model = self.model
        while len(self.records) < self.epochs:
            begin = time.perf_counter()
            epoch = len(self.records) + 1
            order = np.random.default_rng([self.seed, epoch]).permutation(self.examples).astype(np.int64)
            steps = [order[k : k + self.batch] for k in range(0, len(order), self.batch)]
            loss = 0.0
            for step in self.track(steps, f"pass {epoch}/{self.epochs}"):
                loss += model.step(step)
            check_score(loss)
            check_learned(model.w)
            seconds = time.perf_counter() - begin
            dev = {} if self.measure is None else self.measure(model.w)
            self.records.append(IterationRecord(epoch, loss, 0.0, len(steps), model.size, dev=dev, seconds=seconds))
            if self.best_epoch == epoch:
                self.best = model.w.copy()
            yield self.records[-1]
        model.w[:] = self.best

    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Header and arrays of a checkpoint."""
        header = {
            "records": [record.to_dict() for record in self.records],
            "best_epoch": self.best_epoch,
            "decides": self.decides,
        }
        return header, {"w": self.model.w, "squares": self.model.squares, "best": self.best}

    def resume(self, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on from a checkpoint of the same data and options."""
        self.records = restore_records(IterationRecord, header, self.decides, self.epochs)
        if header["best_epoch"] != self.best_epoch:
            raise ValueError(f"pass {header['best_epoch']!r} is not the best of its records")
        if set(arrays) != {"w", "squares", "best"}:
            raise ValueError(f"arrays {', '.join(sorted(arrays))}; expected w, squares, best")
        w = self.model.w
        w[:], squares, self.best = (checked(arrays, name, w.dtype, w.shape) for name in ("w", "squares", "best"))
        if (squares < 0).any():
            raise ValueError("array squares holds negative numbers")
        self.model.squares[:] = squares
