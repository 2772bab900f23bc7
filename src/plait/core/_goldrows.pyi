import numpy as np
import numpy.typing as npt

from plait.core._weights import Scorer

class GoldRows(Scorer):
    keys: npt.NDArray[np.uint64]
    starts: npt.NDArray[np.int64]
    codes: npt.NDArray[np.uint16]
    w: npt.NDArray[np.float32]
    gradient: npt.NDArray[np.float64]
    squares: npt.NDArray[np.float32]
    def __init__(
        self, keys: npt.NDArray[np.uint64], starts: npt.NDArray[np.int64], codes: npt.NDArray[np.uint16], labels: int
    ) -> None: ...
    def step(self, rate: float, decay: float) -> None: ...
