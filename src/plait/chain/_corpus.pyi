from collections.abc import Sequence

from plait.arrays import Int32Array, Int64Array, UInt64Array

class Encoder:
    def __init__(self, segments: Sequence[Sequence[int]]) -> None: ...
    def add(self, keys: UInt64Array) -> None: ...
    def finish(
        self, cutoff: int, tie: bool = ..., max_blocks: int = ...
    ) -> tuple[UInt64Array, Int64Array, Int64Array, Int32Array, Int64Array, Int32Array, Int32Array, Int64Array]: ...

def seen_labels(
    ids: Int32Array,
    starts: Int64Array,
    block_of: Int32Array,
    block_ids: Int32Array,
    block_starts: Int64Array,
    codes: Int32Array,
    rows: int,
    width: int,
) -> tuple[Int64Array, Int32Array]: ...
