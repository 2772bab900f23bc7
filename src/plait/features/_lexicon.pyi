from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

class TagDictionary:
    tags: int
    words: npt.NDArray[np.uint64]
    starts: npt.NDArray[np.int64]
    known: npt.NDArray[np.uint16]
    def __init__(
        self, tags: int, words: npt.NDArray[np.uint64], starts: npt.NDArray[np.int64], known: npt.NDArray[np.uint16]
    ) -> None: ...
    def __len__(self) -> int: ...
    def check(self) -> None: ...
    def arrays(self) -> dict[str, npt.NDArray[Any]]: ...
    def tags_of(self, form: str) -> list[int]: ...

def build_dictionary(
    sentences: Iterable[tuple[Sequence[str], Sequence[int]]], tags: int, threshold: int
) -> TagDictionary: ...
