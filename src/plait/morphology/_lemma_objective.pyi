from plait.arrays import Float64Array, Int32Array, Int64Array

class LemmaObjective:
    words: int
    size: int
    def __init__(
        self,
        row_offsets: Int64Array,
        rows: Int32Array,
        row_starts: Int64Array,
        labels: Int32Array,
        candidate_offsets: Int64Array,
        edits: Int32Array,
        casings: Int32Array,
        feature_offsets: Int64Array,
        features: Int32Array,
        gold: Int32Array,
        weights: Float64Array,
        label_count: int,
        feature_count: int,
    ) -> None: ...
    def value_and_gradient(self, w: Float64Array) -> tuple[float, Float64Array]: ...
    def adagrad_pass(
        self, order: Int64Array, w: Float64Array, squares: Float64Array, rate: float, decay: float
    ) -> float: ...
