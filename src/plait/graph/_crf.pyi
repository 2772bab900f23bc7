from plait.arrays import Float32Array, Float64Array, Int32Array, UInt8Array, UInt16Array, UInt64Array
from plait.core._goldrows import GoldRows
from plait.graph._factors import FeatureFactors

def arc_scores(
    factors: FeatureFactors, mask: Float32Array, fixed: Int32Array, keep: UInt8Array | None = None, sums: bool = False
) -> tuple[Float64Array, UInt16Array, Float64Array | None]: ...
def gold_features(factors: FeatureFactors, heads: Int32Array) -> tuple[UInt64Array, Int32Array]: ...
def add_gradient(
    rows: GoldRows,
    factors: FeatureFactors,
    p: Float64Array,
    heads: Int32Array,
    labels: UInt16Array,
    mask: Float32Array,
    threshold: float,
) -> None: ...
