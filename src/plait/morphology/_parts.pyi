from collections.abc import Sequence

from plait.arrays import AnyArray, Float32Array, Int32Array, UInt16Array

class TagParts:
    tags: int
    parts: int
    classes: int
    starts: Int32Array
    labels: UInt16Array
    coarse: UInt16Array
    tree: Int32Array
    halves: Int32Array
    def __init__(self, parts: int, starts: AnyArray, labels: AnyArray, coarse: AnyArray) -> None: ...
    def totals(
        self,
        scores: Float32Array,
        tags: Sequence[int] | None = None,
        base: Float32Array | None = None,
        by_tag: bool = False,
    ) -> Float32Array: ...
