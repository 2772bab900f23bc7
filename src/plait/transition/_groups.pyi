from collections.abc import Sequence

from plait.features._templates import Templates

class Grouped:
    templates: Templates
    count: int
    def __init__(self, templates: Templates, sees: Sequence[int], seed: int) -> None: ...
