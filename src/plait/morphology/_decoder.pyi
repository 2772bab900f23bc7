from collections.abc import Mapping, Sequence
from typing import Any

from plait.arrays import AnyArray, Float64Array, Int32Array, UInt16Array
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
        open_tags: UInt16Array,
        order: int,
        threshold: float,
        search_threshold: float,
        margin: float,
    ) -> None: ...
    def decode(
        self, forms: Sequence[str], allowed: Sequence[Sequence[int]] | None = None
    ) -> tuple[UInt16Array, float]: ...
    def best_values(
        self, forms: Sequence[str], values: Sequence[tuple[Any, ...]], allowed: Sequence[Sequence[int]] | None = None
    ) -> tuple[list[list[Any]], float]: ...
    def marginals(
        self, forms: Sequence[str], allowed: Sequence[Sequence[int]] | None = None
    ) -> tuple[float, Int32Array, UInt16Array, Float64Array]: ...
    def lattice(self, forms: Sequence[str], allowed: Sequence[Sequence[int]] | None = None) -> dict[str, AnyArray]: ...
