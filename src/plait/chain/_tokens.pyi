from collections.abc import Callable
from typing import TypeVar

from plait.arrays import Int32Array, UInt8Array

Kind = TypeVar("Kind")

def read_labels(
    kind: Callable[[int, int, str, bool], Kind],
    marks: Int32Array,
    types: Int32Array,
    starts: UInt8Array,
    ends: UInt8Array,
    stops: UInt8Array,
    names: list[str],
) -> list[Kind]: ...
def in_characters(tokens: list[Kind], starts: list[int], ends: list[int]) -> list[Kind]: ...
def surface(
    text: str, start: int, tokens: list[Kind], after: int, joined: str, apart: str
) -> tuple[list[str], list[str], list[tuple[int, int]]]: ...
