from collections.abc import Callable, Sequence

from plait.morphology._known_words import KnownWords
from plait.morphology._lemma_scoring import LemmaScorer
from plait.morphology.lemma_exceptions import Exceptions

MAX_CACHED_WORDS: int
MAX_CACHED_TAGS: int

class LemmaFinder:
    def __init__(
        self,
        scorer: LemmaScorer,
        exceptions: Exceptions,
        words: KnownWords | None,
        tidy: Callable[[str], str] | None = None,
    ) -> None: ...
    def __len__(self) -> int: ...
    def lemmas(
        self,
        forms: Sequence[str],
        upos: Sequence[str] | None,
        xpos: Sequence[str] | None,
        feats: Sequence[str] | None,
    ) -> list[str]: ...
