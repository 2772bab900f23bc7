from collections.abc import Sequence

from plait.arrays import Int32Array, UInt8Array

SHIFT: int
SWAP: int
LEFT: int
RIGHT: int

def oracle(heads: Sequence[int], lazy: bool = True) -> tuple[UInt8Array, Int32Array]: ...
def components(heads: Sequence[int]) -> list[int]: ...
