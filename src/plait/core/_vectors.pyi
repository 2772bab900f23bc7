import numpy as np
import numpy.typing as npt

def dots(rows: list[npt.NDArray[np.float32]], x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...
def combine(
    c: float,
    x: npt.NDArray[np.float64],
    rows: list[npt.NDArray[np.float32]],
    weights: npt.NDArray[np.float64],
    out: npt.NDArray[np.float64],
) -> None: ...
def largest(row: npt.NDArray[np.float32]) -> int: ...
