from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from plait.core._delta import Delta
from plait.core._templates import Templates
from plait.core._weights import Scorer
from plait.features._lexicon import TagDictionary

class ChainTagger:
    weights: Scorer
    def __init__(
        self,
        weights: Scorer,
        static: Templates,
        dynamic: Templates,
        width: int,
        pad: int,
        tag_column: int,
        dictionary: TagDictionary,
        limit: int = 0,
    ) -> None: ...
    def decode(
        self, atoms: npt.NDArray[np.uint64], given: Sequence[Sequence[int]] | None = None
    ) -> tuple[npt.NDArray[np.uint16], float]: ...
    def max_marginals(
        self, atoms: npt.NDArray[np.uint64]
    ) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint16], npt.NDArray[np.float64]]: ...
    def difference(
        self, atoms: npt.NDArray[np.uint64], gold: npt.NDArray[np.uint16], predicted: npt.NDArray[np.uint16]
    ) -> tuple[Delta, int]: ...
