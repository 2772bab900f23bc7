from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core._weights import Scorer
from plait.features._lexicon import TagDictionary
from plait.morphology._parts import TagParts

def part_key(part: int) -> int: ...
def tag_key(tag: int) -> int: ...
def skip_key(part: int) -> int: ...
def class_key(a: int, b: int) -> int: ...
def too_many(tags: int, parts: int) -> bool: ...
def uses_tag_pairs(tags: int) -> bool: ...

class LatticeDecoder:
    tag_parts: TagParts
    pair_scores: npt.NDArray[np.float32]
    triple_scores: npt.NDArray[np.float32] | None
    order: int
    threshold: float
    search_threshold: float
    margin: float
    def __init__(
        self,
        tag_parts: TagParts,
        features: Any,
        tables: Mapping[str, Scorer],
        dictionary: TagDictionary,
        open_tags: npt.NDArray[np.uint16],
        order: int,
        threshold: float,
        search_threshold: float,
        margin: float,
    ) -> None: ...
    def decode(
        self, forms: Sequence[str], allowed: Sequence[Sequence[int]] | None = None
    ) -> tuple[npt.NDArray[np.uint16], float]: ...
    def best_values(
        self,
        forms: Sequence[str],
        values: Sequence[tuple[Any, ...]],
        allowed: Sequence[Sequence[int]] | None = None,
    ) -> tuple[list[list[Any]], float]: ...
    def marginals(
        self, forms: Sequence[str], allowed: Sequence[Sequence[int]] | None = None
    ) -> tuple[float, npt.NDArray[np.int32], npt.NDArray[np.uint16], npt.NDArray[np.float64]]: ...
    def lattice(
        self, forms: Sequence[str], allowed: Sequence[Sequence[int]] | None = None
    ) -> dict[str, npt.NDArray[Any]]: ...
