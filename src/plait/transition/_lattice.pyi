from collections.abc import Sequence

class Lattice:
    words: int
    length: int
    def __init__(self, begins: Sequence[int], ends: Sequence[int], best: Sequence[int]) -> None: ...
    @property
    def path(self) -> list[int]: ...
