from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.chain._chart import Chart

Vector = npt.NDArray[np.float64]

class Slot: ...

class Objective:
    chart: Chart
    size: int
    rows: int
    def __init__(
        self,
        chart: Chart,
        sentences: npt.NDArray[np.int64],
        gold_s: npt.NDArray[np.int32],
        gold_t: npt.NDArray[np.int32],
        classes: npt.NDArray[np.uint8],
        mask_s: Vector,
        mask_t: Vector,
        views: Sequence[tuple[npt.NDArray[Any], ...] | None],
        rows_of_view: Sequence[int],
        row_starts: npt.NDArray[np.int64],
        codes: npt.NDArray[np.int32],
        times: npt.NDArray[np.int64],
        members: npt.NDArray[np.int64],
    ) -> None: ...
    def slots(self, count: int) -> list[Slot]: ...
    def bytes_per_item(self) -> int: ...
    def score_batch(self, slot: Slot, batch: npt.NDArray[np.int64], w: Vector) -> float: ...
    def score_blocks(self, part: int, parts: int, w: Vector) -> None: ...
    def collect(
        self, slots: list[Slot], batches: list[Any], low: int, high: int, gradient: Vector, count: bool = False
    ) -> None: ...
    def collect_blocks(self, slots: list[Slot], batches: list[Any], part: int, parts: int) -> None: ...
    def distribute_blocks(self, low: int, high: int, gradient: Vector) -> None: ...
    def collect_labels(self, slots: list[Slot], gradient: Vector) -> None: ...
    def adagrad_step(
        self,
        batches: list[Any],
        low: int,
        high: int,
        w: Vector,
        gradient: Vector,
        squares: Vector,
        rate: float,
        decay: float,
        lasso: float,
    ) -> None: ...
    def adagrad_labels(self, w: Vector, gradient: Vector, squares: Vector, rate: float, decay: float) -> None: ...
