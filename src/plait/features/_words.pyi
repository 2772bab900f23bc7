from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

WORD_COLUMNS: tuple[str, ...]
WORD_SETS: dict[str, tuple[str, ...]]

def word_atoms(forms: Sequence[str], columns: Sequence[str], pad: int, given: int = 0) -> npt.NDArray[np.uint64]: ...
