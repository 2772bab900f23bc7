from collections.abc import Sequence

from plait.arrays import UInt16Array
from plait.chain._chart import Chart
from plait.chain._word_scores import WordScores

class LinearDecoder:
    def __init__(self, words: WordScores, chart: Chart, names: Sequence[str]) -> None: ...
    def best(self, forms: Sequence[str]) -> tuple[list[str], float]: ...
    def best_numbers(self, forms: Sequence[str]) -> tuple[UInt16Array, float]: ...
