from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from plait.core._weights import Scorer

class Templates:
    count: int
    lowest: int
    highest: int
    def __init__(self, seeds: Sequence[int], places: Sequence[Sequence[int]]) -> None: ...
    def __len__(self) -> int: ...
    def sees(self, place: int) -> bool: ...
    def keys(self, atoms: npt.NDArray[np.uint64], base: int) -> npt.NDArray[np.uint64]: ...
    def table(self, atoms: npt.NDArray[np.uint64], base: int, step: int, rows: int) -> npt.NDArray[np.uint64]: ...
    def scores(self, weights: Scorer, atoms: npt.NDArray[np.uint64], pad: int) -> npt.NDArray[np.float32]: ...

class TemplateGroups:
    templates: Templates
    count: int
    lowest: int
    highest: int
    def __init__(self, templates: Templates, groups: Sequence[tuple[Sequence[int], int]], seed: int = 0) -> None: ...
