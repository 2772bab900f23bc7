import numpy.typing as npt

class Chart:
    S: int
    T: int
    def __init__(
        self, begin: npt.ArrayLike, end: npt.ArrayLike, pair: npt.ArrayLike, triple: npt.ArrayLike
    ) -> None: ...
    def set_scores(self, start: npt.ArrayLike, sts: npt.ArrayLike, tst: npt.ArrayLike) -> None: ...
