import numpy as np
import numpy.typing as npt

class Encoder:
    def add(self, keys: npt.NDArray[np.uint64]) -> None: ...
    def finish(
        self, cutoff: int
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int64]]: ...

def seen_labels(
    ids: npt.NDArray[np.int32], starts: npt.NDArray[np.int64], codes: npt.NDArray[np.int32], rows: int, width: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]: ...
