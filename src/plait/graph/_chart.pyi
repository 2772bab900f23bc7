import numpy as np
import numpy.typing as npt

from plait.graph._factors import Factors

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]

def best_parse(
    factors: Factors,
    starts: Ints,
    keep: npt.NDArray[np.uint8],
    mask: Floats,
    fixed: Ints,
    pu: Floats,
    pb: Floats,
    gold_heads: Ints | None = None,
    gold_labels: npt.NDArray[np.uint16] | None = None,
) -> tuple[Ints, Ints, npt.NDArray[np.uint16], float]: ...
