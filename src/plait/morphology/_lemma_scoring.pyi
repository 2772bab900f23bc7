from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from plait.core._templates import TemplateGroups, Templates
from plait.core._weights import Scorer
from plait.morphology._known_words import KnownLemmas
from plait.morphology._lemma_search import ScriptIndex
from plait.morphology._word_tag import WordTag

def casing_class(form: str) -> int: ...
def spelling_codes(columns: Sequence[str]) -> npt.NDArray[np.int32]: ...

class LemmaScorer:
    def __init__(
        self,
        edit_weights: Scorer,
        lemma_weights: Scorer,
        form_templates: tuple[Templates, npt.NDArray[np.int32], int, int],
        lemma_templates: tuple[TemplateGroups, npt.NDArray[np.int32], int, int],
        of_tag: npt.NDArray[np.uint8],
        scripts: ScriptIndex,
        known: KnownLemmas,
        edits: npt.NDArray[np.int32],
        casings: npt.NDArray[np.int32],
    ) -> None: ...
    def scored(self, form: str, tag: WordTag) -> tuple[list[tuple[int, str]], npt.NDArray[np.float64]]: ...
    def best(self, form: str, tag: WordTag) -> tuple[str, float]: ...
