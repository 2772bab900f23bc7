from collections.abc import Callable, Sequence

from plait.arrays import UInt64Array

WORD_COLUMNS: tuple[str, ...]
WORD_SETS: dict[str, tuple[str, ...]]

def word_atoms(forms: Sequence[str], columns: Sequence[str], pad: int, given: int = 0) -> UInt64Array: ...

class WordRows:
    columns: tuple[str, ...]
    pad: int
    given: int
    width: int
    def __init__(
        self,
        columns: Sequence[str],
        pad: int,
        given: int,
        complete: Callable[[UInt64Array, Sequence[str]], None] | None,
    ) -> None: ...
    def atoms(self, forms: Sequence[str]) -> UInt64Array: ...
