import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]
Vector = npt.NDArray[np.float64]

class LemmaObjective:
    words: int
    size: int
    label_count: int
    def __init__(
        self,
        row_offsets: Places,
        rows: Ints,
        row_starts: Places,
        labels: Ints,
        candidate_offsets: Places,
        edits: Ints,
        casings: Ints,
        feature_offsets: Places,
        features: Ints,
        gold: Ints,
        weights: Vector,
        label_count: int,
        feature_count: int,
    ) -> None: ...
    def value_and_gradient(self, w: Vector) -> tuple[float, Vector]: ...
    def adagrad_pass(self, order: Places, w: Vector, squares: Vector, rate: float, decay: float) -> float: ...
