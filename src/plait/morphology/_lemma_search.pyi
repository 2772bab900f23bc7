from collections.abc import Sequence

from plait.morphology.edit_scripts import EditScript

class ScriptIndex:
    def __init__(self, scripts: Sequence[EditScript], last_characters: Sequence[str]) -> None: ...
    def candidates(self, form: str) -> list[tuple[int, str]]: ...
