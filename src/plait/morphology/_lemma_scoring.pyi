from collections.abc import Iterable
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

def score_candidates(
    edits: Scorer,
    lemmas: Scorer,
    of_form: Templates,
    of_lemma: Templates,
    form: npt.NDArray[np.uint64],
    made: npt.NDArray[np.uint64],
    edit: npt.NDArray[np.int32],
    casing: npt.NDArray[np.int32],
) -> npt.NDArray[np.float64]: ...
