from collections.abc import Sequence

from plait.core._weights import Scorer
from plait.features._lexicon import TagDictionary
from plait.features._templates import Templates

NODE_COLUMN_NAMES: tuple[str, ...]
SLOT_OF_NEIGHBOUR: dict[int, int]

class Scopes:
    templates: Templates
    count: int
    lowest: int
    highest: int
    def __init__(self, templates: Templates, scopes: Sequence[tuple[tuple[int, ...], int]], seed: int) -> None: ...

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
        scopes: Scopes,
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
        pair: Scopes,
        item: Scopes,
        labels: int,
        shared: bool,
        width: int,
        extras: Sequence[int],
        distances: Sequence[tuple[int, int]],
    ) -> None: ...
