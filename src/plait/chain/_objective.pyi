from collections.abc import Sequence
from typing import Any

from plait.arrays import AnyArray, Float64Array, Int32Array, Int64Array, UInt8Array
from plait.chain._chart import Chart

class Slot: ...

class Objective:
    chart: Chart
    size: int
    rows: int
    def __init__(
        self,
        chart: Chart,
        sentences: Int64Array,
        gold_s: Int32Array,
        gold_t: Int32Array,
        classes: UInt8Array,
        mask_s: Float64Array,
        mask_t: Float64Array,
        views: Sequence[tuple[AnyArray, ...] | None],
        rows_of_view: Sequence[int],
        row_starts: Int64Array,
        codes: Int32Array,
        times: Int64Array,
        members: Int64Array,
    ) -> None: ...
    def slots(self, count: int) -> list[Slot]: ...
    def bytes_per_item(self) -> int: ...
    def score_batch(self, slot: Slot, batch: Int64Array, w: Float64Array) -> float: ...
    def score_blocks(self, part: int, parts: int, w: Float64Array) -> None: ...
    def collect(
        self, slots: list[Slot], batches: list[Any], low: int, high: int, gradient: Float64Array, count: bool = False
    ) -> None: ...
    def collect_blocks(self, slots: list[Slot], batches: list[Any], part: int, parts: int) -> None: ...
    def distribute_blocks(self, low: int, high: int, gradient: Float64Array) -> None: ...
    def collect_labels(self, slots: list[Slot], gradient: Float64Array) -> None: ...
    def adagrad_step(
        self,
        batches: list[Any],
        low: int,
        high: int,
        w: Float64Array,
        gradient: Float64Array,
        squares: Float64Array,
        rate: float,
        decay: float,
        lasso: float,
    ) -> None: ...
    def adagrad_labels(
        self, w: Float64Array, gradient: Float64Array, squares: Float64Array, rate: float, decay: float
    ) -> None: ...
