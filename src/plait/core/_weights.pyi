import numpy as np
import numpy.typing as npt

class Scorer:
    labels: int
    def scores(self, keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.float32]: ...

class Trainable(Scorer):
    clock: float
    def tick(self) -> None: ...
    def get(self, key: int, label: int) -> float: ...
    def update(self, key: int, label: int, amount: float) -> None: ...

class Weights(Trainable):
    def __init__(self, labels: int, expected_rows: int = 0) -> None: ...
    def __len__(self) -> int: ...
    def export(
        self, averaged: bool = True, zeros: bool = False
    ) -> tuple[
        npt.NDArray[np.uint64],
        npt.NDArray[np.int64],
        npt.NDArray[np.uint16],
        npt.NDArray[np.float32],
        npt.NDArray[np.float64],
    ]: ...
    @classmethod
    def restore(
        cls,
        labels: int,
        clock: float,
        keys: npt.NDArray[np.uint64],
        starts: npt.NDArray[np.int64],
        label_list: npt.NDArray[np.uint16],
        values: npt.NDArray[np.float32],
        sums: npt.NDArray[np.float64],
    ) -> Weights: ...
