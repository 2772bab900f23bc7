from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

SHIFT: int
SWAP: int
LEFT: int
RIGHT: int

def oracle(heads: Sequence[int], lazy: bool = True) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32]]: ...
def components(heads: Sequence[int]) -> list[int]: ...
