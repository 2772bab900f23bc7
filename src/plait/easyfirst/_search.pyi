from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from plait.core._delta import Delta
from plait.easyfirst._scoring import ArcScoring, TagScoring

Uint16 = npt.NDArray[np.uint16]
Int32 = npt.NDArray[np.int32]

Decoded = tuple[Uint16, Int32, Uint16, Int32, Int32, npt.NDArray[np.float32]]

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
    def decode(self, atoms: npt.NDArray[np.uint64], given: Uint16 | None = None, beam: int = 0) -> Decoded: ...
    def decode_all(self, atoms: npt.NDArray[np.uint64], given: Uint16 | None, width: int) -> list[Decoded]: ...
    def valid_actions(
        self, atoms: npt.NDArray[np.uint64], given: Uint16 | None, actions: Sequence[tuple[int, int]], limit: int
    ) -> list[tuple[int, list[tuple[int, int, int, float]]]]: ...
    def decode_given(
        self,
        atoms: npt.NDArray[np.uint64],
        given: Uint16 | None,
        allowed: npt.NDArray[np.uint8] | None,
        heads: Int32 | None,
        labels: Int32 | None,
    ) -> Decoded | None: ...
    def learn(
        self,
        atoms: npt.NDArray[np.uint64],
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
        atoms: npt.NDArray[np.uint64],
        given: Uint16 | None,
        actions: Sequence[tuple[int, int]],
        word: int,
        direction: int = -1,
    ) -> npt.NDArray[np.uint64]: ...
    def survey(
        self,
        atoms: npt.NDArray[np.uint64],
        given: Uint16 | None,
        actions: Sequence[tuple[int, int]],
        fresh: bool = False,
        gold_tags: Uint16 | None = None,
        gold_heads: Int32 | None = None,
        gold_labels: Uint16 | None = None,
        loss: int = 0,
    ) -> tuple[list[tuple[int, int, float, bool]], tuple[int, int] | None]: ...
