from plait.features._templates import Templates

ROLE_NAMES: tuple[str, ...]
ROLE_COLUMN_NAMES: tuple[str, ...]
SIBLING_ROLES: tuple[str, ...]

class GraphTemplates:
    siblings: Templates
    grandchildren: Templates
    def __init__(self, siblings: Templates, grandchildren: Templates) -> None: ...
