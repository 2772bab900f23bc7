import numpy.typing as npt

from plait.arrays import Int64Array

def frequencies(counts: npt.ArrayLike) -> Int64Array: ...
