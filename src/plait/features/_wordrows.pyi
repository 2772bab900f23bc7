from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

class WordRows:
    columns: tuple[str, ...]
    pad: int
    given: int
    def __init__(
        self,
        columns: Sequence[str],
        pad: int,
        given: int,
        finish: Callable[[npt.NDArray[np.uint64], Sequence[str]], None],
    ) -> None: ...
    def atoms(self, forms: Sequence[str]) -> npt.NDArray[np.uint64]: ...
