from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from plait.core._delta import Delta
from plait.core._templates import TemplateGroups, Templates
from plait.core._weights import Scorer

PAIR_ATOMS: tuple[str, ...]
GROUPS: dict[str, tuple[str, ...]]

Ints = npt.NDArray[np.int32]
Labels = npt.NDArray[np.uint16]
Floats = npt.NDArray[np.float32]

class Factors:
    nodes: int
    labels: int
    stride: int

class ArrayFactors(Factors):
    def __init__(self, arcs: Floats, siblings: Floats, grandchildren: Floats) -> None: ...

class FactorTemplates:
    arc: TemplateGroups
    between: TemplateGroups
    sibling: TemplateGroups
    grandchild: TemplateGroups
    width: int
    def __init__(
        self,
        arc: Templates,
        between: Templates,
        sibling: Templates,
        grandchild: Templates,
        width: int,
        groups: Mapping[str, Sequence[int]],
        agreement_column: int = 0,
        agreement_slots: int = 0,
    ) -> None: ...

class FeatureFactors(Factors):
    weights: Scorer
    def __init__(
        self,
        templates: FactorTemplates,
        weights: Scorer,
        blocks: npt.NDArray[np.uint64],
        word_of: Ints,
        best: Labels,
        counts: Ints,
        tags: int,
        guide: Ints | None = None,
    ) -> None: ...
    def keys_of(self, h: int, m: int, *, sibling: int | None = None, grandchild: int | None = None) -> list[int]: ...
    def scores_of(self, h: int, m: int, *, sibling: int | None = None, grandchild: int | None = None) -> Floats: ...
    def tree_delta(
        self,
        gold_nodes: Ints,
        gold_heads: Ints,
        gold_labels: Labels,
        nodes: Ints,
        heads: Ints,
        labels: Labels,
        second: bool,
    ) -> Delta: ...

def factor_table(nodes: Ints, heads: Ints) -> Ints: ...
