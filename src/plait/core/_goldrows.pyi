from plait.arrays import Float32Array, Float64Array, Int64Array, UInt16Array, UInt64Array
from plait.core._weights import Scorer

class GoldRows(Scorer):
    keys: UInt64Array
    starts: Int64Array
    codes: UInt16Array
    w: Float32Array
    gradient: Float64Array
    squares: Float32Array
    def __init__(self, keys: UInt64Array, starts: Int64Array, codes: UInt16Array, labels: int) -> None: ...
    def step(self, rate: float, decay: float) -> None: ...
