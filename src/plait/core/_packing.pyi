import numpy as np
import numpy.typing as npt

def is_packable(features: int, buckets: int, units: int) -> bool: ...
def pack(
    index: npt.NDArray[np.uint32], arena: npt.NDArray[np.uint16], labels: int, bits: int
) -> npt.NDArray[np.uint8]: ...
