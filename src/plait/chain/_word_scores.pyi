from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from plait.core._templates import Templates
from plait.core._weights import Scorer

Atoms = npt.NDArray[np.uint64]

class WordScores:
    def __init__(
        self, weights: Scorer, single: Sequence[tuple[int, Templates]], several: Templates, boundary: Atoms, pad: int
    ) -> None: ...
    def scores(self, forms: Sequence[str], atoms: Atoms) -> npt.NDArray[np.float32]: ...
