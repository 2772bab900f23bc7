import numpy as np
import numpy.typing as npt

def fill_nearest_words(atoms: npt.NDArray[np.uint64], pad: int, columns: npt.NDArray[np.int32]) -> None: ...
def fill_classes(
    atoms: npt.NDArray[np.uint64],
    column: int,
    words: npt.NDArray[np.uint64],
    symbols: npt.NDArray[np.uint64],
    kinds: npt.NDArray[np.uint8],
) -> None: ...
