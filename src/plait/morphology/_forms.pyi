from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

class FormAtoms:
    width: int
    def __init__(
        self,
        plain: Sequence[str],
        lower: Sequence[str],
        words: npt.NDArray[np.uint64],
        symbols: npt.NDArray[np.uint64],
        kinds: npt.NDArray[np.uint8],
        more: int,
    ) -> None: ...
    def table(self, forms: Sequence[str]) -> npt.NDArray[np.uint64]: ...
