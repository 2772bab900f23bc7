from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from plait.core._templates import Templates
from plait.core._weights import Scorer
from plait.features._words import WordRows

class WordScores:
    labels: int
    def __init__(
        self, weights: Scorer, single: Sequence[tuple[int, Templates]], several: Templates, rows: WordRows
    ) -> None: ...
    def scores(self, forms: Sequence[str]) -> npt.NDArray[np.float32]: ...
