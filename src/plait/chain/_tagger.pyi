from collections.abc import Sequence

from plait.arrays import Float64Array, UInt16Array, UInt64Array
from plait.core._delta import Delta
from plait.core._templates import Templates
from plait.core._weights import Scorer
from plait.features._lexicon import TagDictionary

class ChainTagger:
    weights: Scorer
    def __init__(
        self,
        weights: Scorer,
        static: Templates,
        dynamic: Templates,
        width: int,
        pad: int,
        tag_column: int,
        dictionary: TagDictionary,
        limit: int = 0,
    ) -> None: ...
    def decode(self, atoms: UInt64Array, given: Sequence[Sequence[int]] | None = None) -> tuple[UInt16Array, float]: ...
    def max_marginals(self, atoms: UInt64Array) -> tuple[UInt16Array, UInt16Array, Float64Array]: ...
    def difference(self, atoms: UInt64Array, gold: UInt16Array, predicted: UInt16Array) -> tuple[Delta, int]: ...
