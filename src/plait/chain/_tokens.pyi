from collections.abc import Callable
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Kind = TypeVar("Kind")
Flags = npt.NDArray[np.uint8]

def read_labels(
    kind: Callable[[int, int, str, bool], Kind],
    marks: npt.NDArray[np.int32],
    types: npt.NDArray[np.int32],
    starts: Flags,
    ends: Flags,
    stops: Flags,
    names: list[str],
) -> list[Kind]: ...
def in_characters(tokens: list[Kind], starts: list[int], ends: list[int]) -> list[Kind]: ...
def surface(
    text: str, start: int, tokens: list[Kind], after: int, joined: str, apart: str
) -> tuple[list[str], list[str], list[tuple[int, int]]]: ...
