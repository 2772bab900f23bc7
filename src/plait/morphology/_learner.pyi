from plait.arrays import Float32Array, Float64Array, Int32Array, Int64Array, UInt8Array, UInt16Array
from plait.morphology._parts import TagParts

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
        row_at: Int64Array,
        row_label: UInt16Array,
        features: Int32Array,
        lexical: UInt8Array,
        sentence_at: Int64Array,
        gold: UInt16Array,
        candidate_list: Int32Array,
        candidates_at: Int64Array,
        candidates: UInt16Array,
        tag_pair: Int32Array | None,
        tag_pair_count: int,
        triples: bool,
    ) -> None: ...
    def values(self, averaged: bool) -> Float32Array: ...
    def restart_averaging(self) -> None: ...
    def drop(self, dropped: UInt8Array) -> None: ...
    def state(self) -> tuple[Float32Array, Float32Array, Float64Array, float]: ...
    def restore(self, w: Float32Array, squares: Float32Array, u: Float64Array, clock: float) -> None: ...
    def run(
        self,
        sentences: Int64Array,
        order: int,
        threshold: float,
        eta: float,
        l1: float,
        l2: float,
        damping: float,
        hidden: UInt8Array,
    ) -> float: ...
    def objective(self, sentence: int, order: int, threshold: float) -> tuple[float, Float64Array]: ...
