import numpy as np
import numpy.typing as npt

def fill_reach(atoms: npt.NDArray[np.uint64], pad: int, columns: npt.NDArray[np.int32]) -> None: ...
