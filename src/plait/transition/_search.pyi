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
Decoded = tuple[Numbers, npt.NDArray[np.int32], Numbers, float, list[tuple[int, int]]]
# and the candidate words that are its words, counting from 1
Woven = tuple[Numbers, npt.NDArray[np.int32], Numbers, float, list[tuple[int, int]], npt.NDArray[np.int32]]
Difference = tuple[Delta, Delta, float, float, int]

class TransitionSearch:
    scoring: Scoring
    beam: Beam
    def __init__(self, scoring: Scoring, beam: int, beam_tags: int) -> None: ...
    @overload
    def decode(self, atoms: Atoms, tags: Numbers, counts: Numbers, bins: Numbers) -> Decoded: ...
    @overload
    def decode(
        self,
        atoms: Atoms,
        tags: Numbers,
        counts: Numbers,
        bins: Numbers,
        heads: npt.NDArray[np.int32] | None,
        labels: npt.NDArray[np.int32] | None,
    ) -> Decoded | None: ...
    @overload
    def analyses(
        self,
        atoms: Atoms,
        tags: Numbers,
        counts: Numbers,
        bins: Numbers,
        limit: int,
        heads: npt.NDArray[np.int32] | None = None,
        labels: npt.NDArray[np.int32] | None = None,
    ) -> list[Decoded]: ...
    @overload
    def analyses(
        self, atoms: Atoms, tags: Numbers, counts: Numbers, bins: Numbers, limit: int, *, lattice: Lattice
    ) -> list[Woven]: ...
    @overload
    def learn(
        self,
        atoms: Atoms,
        tags: Numbers,
        counts: Numbers,
        bins: Numbers,
        actions: Numbers,
        choices: Numbers,
        update: str = "early",
    ) -> Difference | None: ...
    @overload
    def learn(
        self,
        atoms: Atoms,
        tags: Numbers,
        counts: Numbers,
        bins: Numbers,
        actions: Numbers,
        choices: Numbers,
        update: str,
        words: npt.NDArray[np.int32],
        lattice: Lattice,
    ) -> tuple[Delta, Delta, float, float, int, Delta, float] | None: ...
    @overload
    def follow(
        self,
        atoms: Atoms,
        tags: Numbers,
        counts: Numbers,
        bins: Numbers,
        actions: Sequence[int],
        choices: Sequence[int],
        words: Sequence[int],
        lattice: Lattice,
    ) -> tuple[float, list[tuple[int, int, int]], Delta, Delta, Delta]: ...
    @overload
    def follow(
        self,
        atoms: Atoms,
        tags: Numbers,
        counts: Numbers,
        bins: Numbers,
        actions: Sequence[int],
        choices: Sequence[int],
    ) -> tuple[float, list[tuple[int, int]], Delta, Delta]: ...
