from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core._weights import Scorer, Trainable

class HashKernel(Trainable):
    size: int
    def __init__(self, labels: int, size_log2: int = 22) -> None: ...
    def export(self, averaged: bool = True) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64]]: ...
    @classmethod
    def restore(
        cls, labels: int, clock: float, values: npt.NDArray[np.float32], sums: npt.NDArray[np.float64]
    ) -> HashKernel: ...

class FrozenKernel(Scorer):
    bits: int
    scale: float
    size: int
    values: npt.NDArray[Any]
    def __init__(self, values: npt.NDArray[Any], labels: int, bits: int, scale: float) -> None: ...
    def arrays(self) -> dict[str, npt.NDArray[Any]]: ...
    def header(self) -> dict[str, Any]: ...

def freeze_kernel(values: npt.NDArray[np.float32], labels: int, bits: int = 16) -> FrozenKernel: ...
