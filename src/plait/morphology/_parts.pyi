from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

class TagParts:
    tags: int
    parts: int
    classes: int
    starts: npt.NDArray[np.int32]
    labels: npt.NDArray[np.uint16]
    coarse: npt.NDArray[np.uint16]
    tree: npt.NDArray[np.int32]
    halves: npt.NDArray[np.int32]
    def __init__(
        self, parts: int, starts: npt.NDArray[Any], labels: npt.NDArray[Any], coarse: npt.NDArray[Any]
    ) -> None: ...
    def totals(
        self,
        scores: npt.NDArray[np.float32],
        tags: Sequence[int] | None = None,
        base: npt.NDArray[np.float32] | None = None,
        by_tag: bool = False,
    ) -> npt.NDArray[np.float32]: ...

def split_into_halves(
    starts: Sequence[int], labels: Sequence[int]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]: ...
