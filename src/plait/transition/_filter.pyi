from typing import Any

import numpy as np
import numpy.typing as npt

class LabelFilter:
    classes: int
    labels: int
    starts: npt.NDArray[np.int32]
    known: npt.NDArray[np.uint16]
    def __init__(
        self, classes: int, labels: int, starts: npt.NDArray[np.int32], known: npt.NDArray[np.uint16]
    ) -> None: ...
    def arrays(self) -> dict[str, npt.NDArray[Any]]: ...
    def labels_of(self, head: int, dependent: int) -> list[int]: ...
