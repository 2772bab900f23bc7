from collections.abc import Sequence
from typing import overload

from plait.arrays import Int32Array, UInt16Array, UInt64Array
from plait.core._delta import Delta
from plait.transition._beam import Beam
from plait.transition._lattice import Lattice
from plait.transition._scoring import Scoring

UPDATES: tuple[str, ...]

Candidates = tuple[UInt16Array, UInt16Array, UInt16Array]
Decoded = tuple[UInt16Array, Int32Array, UInt16Array, float, list[tuple[int, int]]]
# and the candidate words that are its words, counting from 1
Woven = tuple[UInt16Array, Int32Array, UInt16Array, float, list[tuple[int, int]], Int32Array]
Difference = tuple[Delta, Delta, float, float, int]

class TransitionSearch:
    scoring: Scoring
    beam: Beam
    def __init__(self, scoring: Scoring, beam: int, beam_tags: int) -> None: ...
    @overload
    def decode(self, atoms: UInt64Array, candidates: Candidates) -> Decoded: ...
    @overload
    def decode(
        self, atoms: UInt64Array, candidates: Candidates, heads: Int32Array | None, labels: Int32Array | None
    ) -> Decoded | None: ...
    @overload
    def analyses(
        self,
        atoms: UInt64Array,
        candidates: Candidates,
        limit: int,
        heads: Int32Array | None = None,
        labels: Int32Array | None = None,
    ) -> list[Decoded]: ...
    @overload
    def analyses(self, atoms: UInt64Array, candidates: Candidates, limit: int, *, lattice: Lattice) -> list[Woven]: ...
    @overload
    def learn(
        self,
        atoms: UInt64Array,
        candidates: Candidates,
        actions: UInt16Array,
        choices: UInt16Array,
        update: str = "early",
    ) -> Difference | None: ...
    @overload
    def learn(
        self,
        atoms: UInt64Array,
        candidates: Candidates,
        actions: UInt16Array,
        choices: UInt16Array,
        update: str,
        words: Int32Array,
        lattice: Lattice,
    ) -> tuple[Delta, Delta, float, float, int, Delta, float] | None: ...
    @overload
    def follow(
        self,
        atoms: UInt64Array,
        candidates: Candidates,
        actions: Sequence[int],
        choices: Sequence[int],
        words: Sequence[int],
        lattice: Lattice,
    ) -> tuple[float, list[tuple[int, int, int]], Delta, Delta, Delta]: ...
    @overload
    def follow(
        self, atoms: UInt64Array, candidates: Candidates, actions: Sequence[int], choices: Sequence[int]
    ) -> tuple[float, list[tuple[int, int]], Delta, Delta]: ...
