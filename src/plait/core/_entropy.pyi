import numpy as np
import numpy.typing as npt

def frequencies(counts: npt.ArrayLike) -> npt.NDArray[np.int64]: ...
