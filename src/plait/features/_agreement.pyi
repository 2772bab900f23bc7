import numpy as np
import numpy.typing as npt

def agreement_of(a: npt.NDArray[np.uint64], b: npt.NDArray[np.uint64]) -> int: ...
