from collections.abc import Sequence

from plait.arrays import Float32Array, Float64Array

def probabilities_of_edges(counts: Sequence[int], scores: Float32Array, edges: Float32Array) -> Float64Array: ...
