import numpy as np
import numpy.typing as npt

from plait.morphology._parts import TagParts

Floats = npt.NDArray[np.float32]

class Learner:
    tag_parts: TagParts
    size: int
    pairs_at: int
    tag_pairs_at: int
    triples_at: int
    skips_at: int
    clock: float
    def __init__(
        self,
        tag_parts: TagParts,
        row_at: npt.NDArray[np.int64],
        row_label: npt.NDArray[np.uint16],
        features: npt.NDArray[np.int32],
        lexical: npt.NDArray[np.uint8],
        sentence_at: npt.NDArray[np.int64],
        gold: npt.NDArray[np.uint16],
        candidate_list: npt.NDArray[np.int32],
        candidates_at: npt.NDArray[np.int64],
        candidates: npt.NDArray[np.uint16],
        tag_pair: npt.NDArray[np.int32] | None,
        tag_pair_count: int,
        triples: bool,
    ) -> None: ...
    def values(self, averaged: bool) -> Floats: ...
    def restart_averaging(self) -> None: ...
    def drop(self, dropped: npt.NDArray[np.uint8]) -> None: ...
    def state(self) -> tuple[Floats, Floats, npt.NDArray[np.float64], float]: ...
    def restore(self, w: Floats, squares: Floats, u: npt.NDArray[np.float64], clock: float) -> None: ...
    def run(
        self,
        sentences: npt.NDArray[np.int64],
        order: int,
        threshold: float,
        eta: float,
        l1: float,
        l2: float,
        damping: float,
        hidden: npt.NDArray[np.uint8],
    ) -> float: ...
    def objective(self, sentence: int, order: int, threshold: float) -> tuple[float, npt.NDArray[np.float64]]: ...
