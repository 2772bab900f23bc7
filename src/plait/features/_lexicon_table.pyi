from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

class WordTable:
    starts: npt.NDArray[np.uint32]
    prints: npt.NDArray[np.uint16]
    values: npt.NDArray[np.uint16]
    longest: int
    def __init__(
        self,
        starts: npt.NDArray[np.uint32],
        prints: npt.NDArray[np.uint16],
        values: npt.NDArray[np.uint16],
        longest: int,
    ) -> None: ...
    def __len__(self) -> int: ...
    def get(self, word: str) -> int: ...
    def words(self, forms: Sequence[str]) -> npt.NDArray[np.int32]: ...
    def suffixes(self, forms: Sequence[str], shortest: int) -> npt.NDArray[np.int32]: ...
    def matches(self, text: str, starts: Sequence[int], ends: Sequence[int]) -> npt.NDArray[np.int32]: ...

def build_table(words: Sequence[str], values: Sequence[int]) -> WordTable: ...
