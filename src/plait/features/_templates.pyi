from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

class Templates:
    count: int
    lowest: int
    highest: int
    def __init__(self, seeds: Sequence[int], places: Sequence[Sequence[int]]) -> None: ...
    def __len__(self) -> int: ...
    def keys(self, atoms: npt.NDArray[np.uint64], base: int) -> npt.NDArray[np.uint64]: ...
    def table(
        self, atoms: npt.NDArray[np.uint64], base: int, step: int, rows: int
    ) -> npt.NDArray[np.uint64]: ...
