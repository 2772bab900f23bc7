NODE_COLUMN_NAMES: tuple[str, ...]
SLOT_NAMES: tuple[str, ...]
GLOBAL_NAMES: tuple[str, ...]
SEARCH_COLUMNS: int

class Scoring: ...
