from collections.abc import Sequence
from typing import overload

import numpy as np
import numpy.typing as npt

from plait.core._delta import Delta
from plait.transition._beam import Beam
from plait.transition._lattice import Lattice
from plait.transition._scoring import Scoring

UPDATES: tuple[str, ...]

Atoms = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.uint16]
Ints = npt.NDArray[np.int32]
Candidates = tuple[Numbers, Numbers, Numbers]
Decoded = tuple[Numbers, Ints, Numbers, float, list[tuple[int, int]]]
# and the candidate words that are its words, counting from 1
Woven = tuple[Numbers, Ints, Numbers, float, list[tuple[int, int]], Ints]
Difference = tuple[Delta, Delta, float, float, int]

class TransitionSearch:
    scoring: Scoring
    beam: Beam
    def __init__(self, scoring: Scoring, beam: int, beam_tags: int) -> None: ...
    @overload
    def decode(self, atoms: Atoms, candidates: Candidates) -> Decoded: ...
    @overload
    def decode(
        self, atoms: Atoms, candidates: Candidates, heads: Ints | None, labels: Ints | None
    ) -> Decoded | None: ...
    @overload
    def analyses(
        self, atoms: Atoms, candidates: Candidates, limit: int, heads: Ints | None = None, labels: Ints | None = None
    ) -> list[Decoded]: ...
    @overload
    def analyses(self, atoms: Atoms, candidates: Candidates, limit: int, *, lattice: Lattice) -> list[Woven]: ...
    @overload
    def learn(
        self, atoms: Atoms, candidates: Candidates, actions: Numbers, choices: Numbers, update: str = "early"
    ) -> Difference | None: ...
    @overload
    def learn(
        self,
        atoms: Atoms,
        candidates: Candidates,
        actions: Numbers,
        choices: Numbers,
        update: str,
        words: Ints,
        lattice: Lattice,
    ) -> tuple[Delta, Delta, float, float, int, Delta, float] | None: ...
    @overload
    def follow(
        self,
        atoms: Atoms,
        candidates: Candidates,
        actions: Sequence[int],
        choices: Sequence[int],
        words: Sequence[int],
        lattice: Lattice,
    ) -> tuple[float, list[tuple[int, int, int]], Delta, Delta, Delta]: ...
    @overload
    def follow(
        self, atoms: Atoms, candidates: Candidates, actions: Sequence[int], choices: Sequence[int]
    ) -> tuple[float, list[tuple[int, int]], Delta, Delta]: ...
