from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core._weights import Scorer

class FrozenWeights(Scorer):
    bits: int
    scale: float
    salt: int
    index: npt.NDArray[np.uint32]
    arena: npt.NDArray[np.uint16]
    def __init__(
        self,
        index: npt.NDArray[np.uint32],
        arena: npt.NDArray[np.uint16],
        labels: int,
        bits: int,
        scale: float,
        salt: int,
        rows_are_sound: bool = False,
    ) -> None: ...
    def __len__(self) -> int: ...
    def arrays(self) -> dict[str, npt.NDArray[Any]]: ...
    def header(self) -> dict[str, Any]: ...
    def is_packable(self) -> bool: ...
    def filter_unknown(self) -> None: ...

def freeze(
    keys: npt.NDArray[np.uint64],
    starts: npt.NDArray[np.int64],
    labels: npt.NDArray[np.uint16],
    values: npt.NDArray[np.float32],
    label_count: int,
    bits: int = 16,
) -> FrozenWeights: ...
def open_packed(packed: npt.NDArray[np.uint8], labels: int, bits: int, scale: float, salt: int) -> FrozenWeights: ...
def power_of_two_scale(largest: float, bits: int) -> float: ...
def build_index(keys: npt.NDArray[np.uint64], places: npt.NDArray[np.uint32]) -> tuple[npt.NDArray[np.uint32], int]: ...
