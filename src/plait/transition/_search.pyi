from collections.abc import Sequence
from typing import overload

import numpy as np
import numpy.typing as npt

from plait.core._delta import Delta
from plait.core._templates import TemplateGroups
from plait.core._weights import Scorer
from plait.transition._beam import Beam
from plait.transition._filter import LabelFilter
from plait.transition._graph import GraphTemplates

UPDATES: tuple[str, ...]

Atoms = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.uint16]
Decoded = tuple[Numbers, npt.NDArray[np.int32], Numbers, float, list[tuple[int, int]]]

class TransitionSearch(Beam):
    arcs: Scorer
    tags: Scorer | None
    beam: int
    beam_tags: int
    def __init__(
        self,
        arcs: Scorer,
        tags: Scorer | None,
        arc_templates: TemplateGroups,
        tag_templates: TemplateGroups,
        choice_templates: TemplateGroups,
        graph: GraphTemplates | None,
        filter: LabelFilter,
        classes: Numbers,
        compound: bool,
        extras: Sequence[int],
        width: int,
        beam: int,
        beam_tags: int,
        guided: bool = False,
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
    def analyses(
        self,
        atoms: Atoms,
        tags: Numbers,
        counts: Numbers,
        bins: Numbers,
        most: int,
        heads: npt.NDArray[np.int32] | None = None,
        labels: npt.NDArray[np.int32] | None = None,
    ) -> list[Decoded]: ...
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
