import numpy as np
import numpy.typing as npt

from plait.graph._factors import Factors

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]

def best_parse(
    factors: Factors, starts: Ints, keep: npt.NDArray[np.uint8], bars: Floats, fixed: Ints, pu: Floats, pb: Floats
) -> tuple[Ints, Ints, npt.NDArray[np.uint16], float]: ...
