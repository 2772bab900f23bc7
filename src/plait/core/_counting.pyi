from plait.core._weights import Scorer

class CountingScorer(Scorer):
    table: Scorer
    keys: int
    rows: int
    def __init__(self, table: Scorer) -> None: ...
    def reset(self) -> None: ...
