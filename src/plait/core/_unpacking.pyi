import numpy as np
import numpy.typing as npt

def unpack(
    packed: npt.NDArray[np.uint8], labels: int, bits: int
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint16]]: ...
