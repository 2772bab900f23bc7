from plait.arrays import Float32Array, Int32Array, UInt16Array, UInt64Array
from plait.core._delta import Delta
from plait.core._templates import Templates
from plait.core._weights import Scorer

def tag_scores(
    weights: Scorer,
    unigrams: Templates,
    bigrams: Templates,
    atoms: UInt64Array,
    pad: int,
    column: int,
    starts: Int32Array,
    tag: UInt16Array,
) -> tuple[Float32Array, Float32Array]: ...
def tag_delta(
    unigrams: Templates,
    bigrams: Templates,
    atoms: UInt64Array,
    pad: int,
    column: int,
    gold: UInt16Array,
    predicted: UInt16Array,
) -> Delta: ...
