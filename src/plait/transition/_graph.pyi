from collections.abc import Sequence

from plait.core._templates import Templates

ROLE_NAMES: tuple[str, ...]
ROLE_COLUMN_NAMES: tuple[str, ...]
SIBLING_ROLES: tuple[str, ...]

class GraphTemplates:
    siblings: Templates
    grandchildren: Templates
    columns: int
    def __init__(
        self,
        siblings: Templates,
        grandchildren: Templates,
        extras: Sequence[int] = (),
        of_tags: Sequence[int] = (),
    ) -> None: ...
