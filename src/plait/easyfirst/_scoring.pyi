from collections.abc import Sequence

from plait.core._templates import TemplateGroups, Templates
from plait.core._weights import Scorer
from plait.features._lexicon import TagDictionary

NODE_COLUMN_NAMES: tuple[str, ...]
SLOT_OF_NEIGHBOUR: dict[int, int]

class TagScoring:
    weights: Scorer
    dictionary: TagDictionary
    labels: int
    def __init__(
        self,
        weights: Scorer,
        dictionary: TagDictionary,
        alone: Templates,
        around: Templates,
        groups: TemplateGroups,
        width: int,
        pad: int,
        tag_column: int,
        tagged_column: int,
        left_column: int,
        right_column: int,
    ) -> None: ...

class ArcScoring:
    weights: Scorer
    labels: int
    labelled: bool
    shared: bool
    def __init__(
        self,
        weights: Scorer,
        pair: TemplateGroups,
        item: TemplateGroups,
        labels: int,
        shared: bool,
        width: int,
        extras: Sequence[int],
        distances: Sequence[tuple[int, int]],
        agreements: Sequence[tuple[int, int]] = (),
        agreement_column: int = 0,
        agreement_slots: int = 0,
    ) -> None: ...
