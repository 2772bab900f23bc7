from collections.abc import Iterable, Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from plait.core._templates import Templates
from plait.core._weights import Scorer

class KnownLemmas:
    hashes: npt.NDArray[np.uint32]
    def __init__(self, hashes: npt.NDArray[np.uint32]) -> None: ...
    def __len__(self) -> int: ...
    @classmethod
    def of(cls, words: Iterable[tuple[str, str, str]]) -> Self: ...
    def levels(self, form: str, lemmas: list[str], upos: str) -> tuple[list[int], list[int]]: ...

TemplatesWithColumns = tuple[Templates, npt.NDArray[np.int32], int, int]

def spelling_codes(columns: Sequence[str]) -> npt.NDArray[np.int32]: ...

class LemmaScorer:
    def __init__(
        self,
        edit_weights: Scorer,
        lemma_weights: Scorer,
        form_templates: TemplatesWithColumns,
        lemma_templates: TemplatesWithColumns,
        known: KnownLemmas,
        edits: npt.NDArray[np.int32],
        casings: npt.NDArray[np.int32],
    ) -> None: ...
    def scores(
        self, form: str, candidates: list[tuple[int, str]], case: int, tag: npt.NDArray[np.uint64], upos: str
    ) -> npt.NDArray[np.float64]: ...
    def best(
        self, form: str, candidates: list[tuple[int, str]], case: int, tag: npt.NDArray[np.uint64], upos: str
    ) -> tuple[str, float]: ...
