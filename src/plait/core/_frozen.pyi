from typing import Any

from plait.arrays import AnyArray, Float32Array, Int64Array, UInt8Array, UInt16Array, UInt32Array, UInt64Array
from plait.core._weights import Scorer

class FrozenWeights(Scorer):
    bits: int
    scale: float
    salt: int
    index: UInt32Array
    arena: UInt16Array
    def __init__(
        self,
        index: UInt32Array,
        arena: UInt16Array,
        labels: int,
        bits: int,
        scale: float,
        salt: int,
        rows_are_sound: bool = False,
    ) -> None: ...
    def __len__(self) -> int: ...
    def arrays(self) -> dict[str, AnyArray]: ...
    def header(self) -> dict[str, Any]: ...
    def is_packable(self) -> bool: ...
    def filter_unknown(self) -> None: ...

def freeze(
    keys: UInt64Array,
    starts: Int64Array,
    labels: UInt16Array,
    values: Float32Array,
    label_count: int,
    bits: int = 16,
) -> FrozenWeights: ...
def open_packed(packed: UInt8Array, labels: int, bits: int, scale: float, salt: int) -> FrozenWeights: ...
def power_of_two_scale(largest: float, bits: int) -> float: ...
def build_index(keys: UInt64Array, places: UInt32Array) -> tuple[UInt32Array, int]: ...
