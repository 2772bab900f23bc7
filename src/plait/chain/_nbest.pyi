from collections.abc import Iterator

from plait.chain._chart import Chart
from plait.chain._search import Float, Labels

class Ranking:
    def __init__(
        self,
        chart: Chart,
        s: Float,
        t: Float,
        st: Float | None = None,
        ss: Float | None = None,
        tt: Float | None = None,
    ) -> None: ...
    def __iter__(self) -> Iterator[tuple[Labels, Labels, float]]: ...
    def __next__(self) -> tuple[Labels, Labels, float]: ...
