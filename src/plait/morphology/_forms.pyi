from collections.abc import Sequence

from plait.arrays import UInt8Array, UInt64Array

class FormAtoms:
    width: int
    def __init__(
        self,
        plain: Sequence[str],
        lower: Sequence[str],
        words: UInt64Array,
        symbols: UInt64Array,
        kinds: UInt8Array,
        more: int,
    ) -> None: ...
    def table(self, forms: Sequence[str]) -> UInt64Array: ...
