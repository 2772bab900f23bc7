import numpy as np
import numpy.typing as npt

from plait.core._weights import Scorer
from plait.graph._factors import FeatureFactors

Matrix = npt.NDArray[np.float64]
Labels = npt.NDArray[np.uint16]
Ints = npt.NDArray[np.int32]
Bars = npt.NDArray[np.float32]

class GoldRows(Scorer):
    keys: npt.NDArray[np.uint64]
    starts: npt.NDArray[np.int64]
    codes: Labels
    w: npt.NDArray[np.float32]
    gradient: Matrix
    squares: npt.NDArray[np.float32]
    def __init__(
        self, keys: npt.NDArray[np.uint64], starts: npt.NDArray[np.int64], codes: Labels, labels: int
    ) -> None: ...
    def step(self, rate: float, decay: float) -> None: ...

def arc_scores(
    factors: FeatureFactors, bars: Bars, fixed: Ints, keep: npt.NDArray[np.uint8] | None = None, sums: bool = False
) -> tuple[Matrix, Labels, Matrix | None]: ...
def gold_features(factors: FeatureFactors, heads: Ints) -> tuple[npt.NDArray[np.uint64], Ints]: ...
def add_gradient(
    rows: GoldRows, factors: FeatureFactors, p: Matrix, heads: Ints, labels: Labels, bars: Bars, threshold: float
) -> None: ...
