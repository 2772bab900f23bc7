from collections.abc import Sequence

from plait.arrays import Float32Array, Int32Array, UInt8Array, UInt16Array, UInt64Array
from plait.core._delta import Delta
from plait.easyfirst._scoring import ArcScoring, TagScoring

Uint16 = UInt16Array
Int32 = Int32Array

Decoded = tuple[Uint16, Int32, Uint16, Int32, Int32, Float32Array]

class EasyFirst:
    tagging: TagScoring | None
    parsing: ArcScoring | None
    tags: int
    beam: int
    debug: bool
    def __init__(
        self,
        tagging: TagScoring | None,
        parsing: ArcScoring | None,
        columns: int,
        pad: int,
        beam: int = 1,
        debug: bool = False,
    ) -> None: ...
    def decode(self, atoms: UInt64Array, given: Uint16 | None = None, beam: int = 0) -> Decoded: ...
    def decode_all(self, atoms: UInt64Array, given: Uint16 | None, width: int) -> list[Decoded]: ...
    def valid_actions(
        self, atoms: UInt64Array, given: Uint16 | None, actions: Sequence[tuple[int, int]], limit: int
    ) -> list[tuple[int, list[tuple[int, int, int, float]]]]: ...
    def decode_given(
        self,
        atoms: UInt64Array,
        given: Uint16 | None,
        allowed: UInt8Array | None,
        heads: Int32 | None,
        labels: Int32 | None,
    ) -> Decoded | None: ...
    def learn(
        self,
        atoms: UInt64Array,
        given: Uint16 | None,
        gold_tags: Uint16 | None,
        gold_heads: Int32 | None,
        gold_labels: Uint16 | None,
        loss: int = 0,
        beam: int = 0,
        all_errors: bool = False,
        resume: bool = False,
        force_correct: bool = False,
    ) -> tuple[Delta, Delta, int, int] | None: ...
    def keys_of(
        self,
        atoms: UInt64Array,
        given: Uint16 | None,
        actions: Sequence[tuple[int, int]],
        word: int,
        direction: int = -1,
    ) -> UInt64Array: ...
    def survey(
        self,
        atoms: UInt64Array,
        given: Uint16 | None,
        actions: Sequence[tuple[int, int]],
        fresh: bool = False,
        gold_tags: Uint16 | None = None,
        gold_heads: Int32 | None = None,
        gold_labels: Uint16 | None = None,
        loss: int = 0,
    ) -> tuple[list[tuple[int, int, float, bool]], tuple[int, int] | None]: ...
