from collections.abc import Callable
from typing import Any

def brown_clusters(
    pairs: Any, counts: Any, words: int, clusters: int, track: Callable[[Any, str], Any] | None = None
) -> list[str]: ...
