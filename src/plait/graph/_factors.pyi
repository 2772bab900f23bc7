from collections.abc import Mapping, Sequence

from plait.arrays import Float32Array, Int32Array, UInt16Array, UInt64Array
from plait.core._delta import Delta
from plait.core._templates import TemplateGroups, Templates
from plait.core._weights import Scorer

PAIR_ATOMS: tuple[str, ...]
GROUPS: dict[str, tuple[str, ...]]

class Factors:
    nodes: int
    labels: int

class ArrayFactors(Factors):
    def __init__(self, arcs: Float32Array, siblings: Float32Array, grandchildren: Float32Array) -> None: ...

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
        blocks: UInt64Array,
        word_of: Int32Array,
        best: UInt16Array,
        counts: Int32Array,
        tags: int,
        guide: Int32Array | None = None,
    ) -> None: ...
    def keys_of(self, h: int, m: int, *, sibling: int | None = None, grandchild: int | None = None) -> list[int]: ...
    def scores_of(
        self, h: int, m: int, *, sibling: int | None = None, grandchild: int | None = None
    ) -> Float32Array: ...
    def tree_delta(
        self,
        gold_nodes: Int32Array,
        gold_heads: Int32Array,
        gold_labels: UInt16Array,
        nodes: Int32Array,
        heads: Int32Array,
        labels: UInt16Array,
        second: bool,
    ) -> Delta: ...

def factor_table(nodes: Int32Array, heads: Int32Array) -> Int32Array: ...
