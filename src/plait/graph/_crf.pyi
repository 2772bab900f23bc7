import numpy as np
import numpy.typing as npt

from plait.core._goldrows import GoldRows
from plait.graph._factors import FeatureFactors

Matrix = npt.NDArray[np.float64]
Labels = npt.NDArray[np.uint16]
Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.float32]

def arc_scores(
    factors: FeatureFactors, mask: Mask, fixed: Ints, keep: npt.NDArray[np.uint8] | None = None, sums: bool = False
) -> tuple[Matrix, Labels, Matrix | None]: ...
def gold_features(factors: FeatureFactors, heads: Ints) -> tuple[npt.NDArray[np.uint64], Ints]: ...
def add_gradient(
    rows: GoldRows, factors: FeatureFactors, p: Matrix, heads: Ints, labels: Labels, mask: Mask, threshold: float
) -> None: ...
