from collections.abc import Iterator

from plait.arrays import Int32Array
from plait.chain._chart import Chart
from plait.chain._search import Scores

class Ranking:
    def __init__(self, chart: Chart, scores: Scores) -> None: ...
    def __iter__(self) -> Iterator[tuple[Int32Array, Int32Array, float]]: ...
    def __next__(self) -> tuple[Int32Array, Int32Array, float]: ...
