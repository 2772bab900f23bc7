from plait.arrays import Float32Array, Int32Array, UInt8Array, UInt16Array
from plait.graph._factors import Factors

def best_parse(
    factors: Factors,
    starts: Int32Array,
    keep: UInt8Array,
    mask: Float32Array,
    fixed: Int32Array,
    pu: Float32Array,
    pb: Float32Array,
    gold_heads: Int32Array | None = None,
    gold_labels: UInt16Array | None = None,
) -> tuple[Int32Array, Int32Array, UInt16Array, float]: ...
