"""L-BFGS: minimising a smooth function of millions of weights, step by step, to be left and resumed at any step.

Liu and Nocedal (1989), in the form that needs only products of vectors (Chen et al. 2014): the last few steps and
gradient changes are kept in single precision, and the direction is a combination of them. That halves the memory and
the time of the textbook form; the curvature pairs are rounded together, so that the method stays exact for them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, InitVar, dataclass
from typing import Any

import numpy as np

from plait.arrays import AnyArray, Float32Array, Float64Array
from plait.core._vectors import combine, dot, dots
from plait.core.rows import checked
from plait.learn.records import IterationRecord

Function = Callable[[Float64Array], tuple[float, Float64Array]]

C1, C2 = 1e-4, 0.9  # sufficient decrease and curvature (weak Wolfe conditions)


@dataclass
class LBFGS:
    """Minimises ``function`` from ``start``; ``run`` yields after every iteration.

    It stops when the gradient is below ``tolerance`` times the larger of 1 and the weights' norm, when the objective
    fell by less than ``delta`` of itself in the last ``period`` iterations, or when no step helps any more.
    """

    function: Function
    start: InitVar[Float64Array]
    _: KW_ONLY
    iterations: int = 200
    memory: int = 6
    delta: float = 1e-5
    period: int = 10
    tolerance: float = 1e-5
    weights: int = 0  # how many the records say there are; 0: as many as ``start`` has

    def __post_init__(self, start: Float64Array) -> None:
        self.w = np.array(start, dtype=np.float64)
        self.steps: list[Float32Array] = []
        self.changes: list[Float32Array] = []
        self.products = np.zeros((0, 0))  # of all kept vectors with each other: steps first, then changes
        self.objectives: list[float] = []
        self.gradient: Float64Array | None = None
        self.value = math.inf

    def run(self, records: list[IterationRecord]) -> Iterator[IterationRecord]:
        """The iterations still to be done; ``records`` are those done before."""
        if self.gradient is None:
            self.value, self.gradient = self.function(self.w)
            self.objectives = [self.value]
        while len(records) < self.iterations and not self._finished():
            begin = time.perf_counter()
            evaluations = self._iterate()
            if evaluations == 0:
                return
            yield IterationRecord(
                len(records) + 1,
                self.value,
                norm(self.gradient),
                evaluations,
                self.weights or self.w.size,
                seconds=time.perf_counter() - begin,
            )

    def _finished(self) -> bool:
        assert self.gradient is not None
        if norm(self.gradient) <= self.tolerance * max(1.0, norm(self.w)):
            return True
        if len(self.objectives) <= self.period:
            return False
        return self.objectives[-1 - self.period] - self.value < self.delta * abs(self.value)

    def _iterate(self) -> int:
        """One iteration; the number of function evaluations, 0 if the line search failed."""
        assert self.gradient is not None
        direction, slope = self._direction()
        step = 1.0 if self.steps else 1.0 / max(norm(self.gradient), 1e-12)
        low, high = 0.0, math.inf
        evaluations = 0
        while evaluations < 30:
            evaluations += 1
            w = self.w + step * direction
            value, gradient = self.function(w)
            if not value <= self.value + C1 * step * slope:
                high = step
            elif dot(gradient, direction) < C2 * slope:
                low = step
            else:
                break
            step = 2 * low if math.isinf(high) else (low + high) / 2
        else:
            if not self.steps:
                return 0
            self.steps, self.changes, self.products = [], [], np.zeros((0, 0))  # a bad memory: try steepest descent
            return self._iterate()
        self._remember((w - self.w).astype(np.float32), (gradient - self.gradient).astype(np.float32))
        self.w, self.value, self.gradient = w, value, gradient
        self.objectives.append(value)
        return evaluations

    def _remember(self, step: Float32Array, change: Float32Array) -> None:
        m = len(self.steps)
        if m == self.memory:
            kept = [*range(1, m), *range(m + 1, 2 * m)]
            self.products = self.products[np.ix_(kept, kept)]
            self.steps, self.changes, m = self.steps[1:], self.changes[1:], m - 1
        old = [*self.steps, *self.changes, step, change]
        with_step = dots(old, step.astype(np.float64))
        with_change = dots(old, change.astype(np.float64))
        if with_change[-2] <= 1e-10 * with_change[-1]:  # no curvature along the step: nothing to learn from it
            return
        products = np.zeros((2 * m + 2, 2 * m + 2))
        order = [*range(m), *range(m + 1, 2 * m + 1)]
        products[np.ix_(order, order)] = self.products
        places = [*order, m, 2 * m + 1]
        products[m, places] = products[places, m] = with_step
        products[2 * m + 1, places] = products[places, 2 * m + 1] = with_change
        self.products = products
        self.steps = [*self.steps, step]
        self.changes = [*self.changes, change]

    def _direction(self) -> tuple[Float64Array, float]:
        """−H·gradient, and the slope of the function along it."""
        assert self.gradient is not None
        m = len(self.steps)
        if m == 0:
            return -self.gradient, -dot(self.gradient, self.gradient)
        basis = [*self.steps, *self.changes]
        with_gradient = dots(basis, self.gradient)
        # the two loops of L-BFGS, on coefficients of (steps, changes, gradient) instead of vectors
        c = np.zeros(2 * m)
        alpha = np.zeros(m)
        scale = 1.0

        def product(k: int) -> float:
            return float(self.products[k] @ c) + scale * float(with_gradient[k])

        for k in range(m - 1, -1, -1):
            alpha[k] = product(k) / self.products[k, m + k]
            c[m + k] -= alpha[k]
        gamma = self.products[m - 1, 2 * m - 1] / self.products[2 * m - 1, 2 * m - 1]
        c *= gamma
        scale *= gamma
        for k in range(m):
            beta = product(m + k) / self.products[k, m + k]
            c[k] += alpha[k] - beta
        direction = np.empty_like(self.gradient)
        combine(-scale, self.gradient, basis, -c, direction)
        slope = dot(direction, self.gradient)
        if not slope < 0:
            return -self.gradient, -dot(self.gradient, self.gradient)
        return direction, slope

    def state(self) -> tuple[dict[str, Any], dict[str, AnyArray]]:
        """Header and arrays of a checkpoint."""
        arrays: dict[str, AnyArray] = {"w": self.w, "products": self.products}
        if self.gradient is not None:
            arrays["gradient"] = self.gradient
        for k, (step, change) in enumerate(zip(self.steps, self.changes, strict=True)):
            arrays[f"step{k}"], arrays[f"change{k}"] = step, change
        return {"value": self.value, "objectives": self.objectives}, arrays

    def resume(self, header: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> None:
        """Go on where ``state`` was taken, with as many weights; anything unsound is a ValueError."""
        kept = sum(name.startswith("step") for name in arrays)
        names = ["w", "gradient", "products", *(f"{kind}{k}" for kind in ("step", "change") for k in range(kept))]
        if set(arrays) != set(names) or kept > self.memory:
            raise ValueError(f"arrays {', '.join(sorted(arrays))}; expected those of at most {self.memory} steps")
        size = self.w.shape
        self.w = checked(arrays, "w", np.float64, size)
        self.gradient = checked(arrays, "gradient", np.float64, size)
        self.products = checked(arrays, "products", np.float64, (2 * kept, 2 * kept))
        self.steps = [checked(arrays, f"step{k}", np.float32, size) for k in range(kept)]
        self.changes = [checked(arrays, f"change{k}", np.float32, size) for k in range(kept)]
        basis = [*self.steps, *self.changes]
        found = np.array([dots(basis, vector.astype(np.float64)) for vector in basis]).reshape(self.products.shape)
        if not np.allclose(found, self.products, rtol=1e-6, atol=1e-12) or (np.diagonal(found, kept) <= 0).any():
            raise ValueError("array products is not that of the steps and changes")
        self.objectives = [float(v) for v in header["objectives"]]
        self.value = float(header["value"])
        if not self.objectives or self.objectives[-1] != self.value or not np.isfinite(self.objectives).all():
            raise ValueError("objectives that are not numbers, or another value than the last of them")


def norm(x: Float64Array) -> float:
    """The length of a vector."""
    return math.sqrt(dot(x, x))
