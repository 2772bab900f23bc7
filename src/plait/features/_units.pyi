from collections.abc import Iterable, Mapping, Sequence

from plait.arrays import UInt64Array

UNIT_COLUMNS: tuple[str, ...]

def is_unspaced_script(text: str) -> bool: ...
def find_units(text: str, runs: bool = True, cuts: Iterable[int] = ()) -> tuple[list[int], list[int], list[int]]: ...
def unit_atoms(
    text: str,
    starts: Sequence[int],
    ends: Sequence[int],
    gaps: Sequence[int],
    columns: Sequence[str],
    pad: int,
    abbreviations: Mapping[str, int] | None = None,
) -> UInt64Array: ...
