from collections.abc import Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from plait.core._delta import Delta
from plait.core._weights import Scorer
from plait.features._templates import Templates
from plait.transition._graph import GraphTemplates

NODE_COLUMN_NAMES: tuple[str, ...]
SLOT_NAMES: tuple[str, ...]
GLOBAL_NAMES: tuple[str, ...]
UPDATES: tuple[str, ...]

Atoms = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.uint16]
Decoded = tuple[Numbers, npt.NDArray[np.int32], Numbers, float, list[tuple[int, int]]]

class LabelFilter:
    classes: int
    labels: int
    starts: npt.NDArray[np.int32]
    known: npt.NDArray[np.uint16]
    def __init__(
        self, classes: int, labels: int, starts: npt.NDArray[np.int32], known: npt.NDArray[np.uint16]
    ) -> None: ...
    def arrays(self) -> dict[str, npt.NDArray[Any]]: ...
    def labels_of(self, head: int, dependent: int) -> list[int]: ...

class TransitionSearch:
    arcs: Scorer
    tags: Scorer | None
    beam: int
    beam_tags: int
    def __init__(
        self,
        arcs: Scorer,
        tags: Scorer | None,
        arc_templates: Templates,
        tag_templates: Templates,
        choice_templates: Templates,
        graph: GraphTemplates | None,
        filter: LabelFilter,
        classes: Numbers,
        compound: bool,
        extras: Sequence[int],
        width: int,
        beam: int,
        beam_tags: int,
    ) -> None: ...
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
    def learn(
        self,
        atoms: Atoms,
        tags: Numbers,
        counts: Numbers,
        bins: Numbers,
        actions: Numbers,
        choices: Numbers,
        update: str = "early",
    ) -> tuple[Delta, Delta, float, float, int] | None: ...
    def follow(
        self,
        atoms: Atoms,
        tags: Numbers,
        counts: Numbers,
        bins: Numbers,
        actions: Sequence[int],
        choices: Sequence[int],
    ) -> tuple[float, list[tuple[int, int]], Delta, Delta]: ...
