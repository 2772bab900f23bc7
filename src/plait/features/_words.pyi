from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

WORD_COLUMNS: tuple[str, ...]

def word_atoms(forms: Sequence[str], columns: Sequence[str], pad: int) -> npt.NDArray[np.uint64]: ...
