import numpy as np
import numpy.typing as npt

def new_index(buckets: int) -> npt.NDArray[np.uint32]: ...
def unpack(
    packed: npt.NDArray[np.uint8], labels: int, bits: int
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint16]]: ...
