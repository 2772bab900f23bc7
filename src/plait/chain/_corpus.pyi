from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]

class Encoder:
    def __init__(self, segments: Sequence[Sequence[int]]) -> None: ...
    def add(self, keys: npt.NDArray[np.uint64]) -> None: ...
    def finish(
        self, cutoff: int, tie: bool = ..., max_blocks: int = ...
    ) -> tuple[npt.NDArray[np.uint64], Places, Places, Ids, Places, Ids, Ids, Places]: ...

def seen_labels(
    ids: Ids,
    starts: Places,
    block_of: Ids,
    block_ids: Ids,
    block_starts: Places,
    codes: Ids,
    rows: int,
    width: int,
) -> tuple[Places, Ids]: ...
