from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

def probabilities_of_edges(
    counts: Sequence[int], scores: npt.NDArray[np.float32], edges: npt.NDArray[np.float32]
) -> npt.NDArray[np.float64]: ...
