from collections.abc import Sequence

from plait.arrays import Float32Array
from plait.core._templates import Templates
from plait.core._weights import Scorer
from plait.features._words import WordRows

class WordScores:
    labels: int
    def __init__(
        self, weights: Scorer, single: Sequence[tuple[int, Templates]], several: Templates, rows: WordRows
    ) -> None: ...
    def scores(self, forms: Sequence[str]) -> Float32Array: ...
