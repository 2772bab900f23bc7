from collections.abc import Sequence

from plait.arrays import Float64Array, Int32Array, UInt8Array
from plait.core._templates import TemplateGroups, Templates
from plait.core._weights import Scorer
from plait.morphology._known_words import KnownLemmas
from plait.morphology._lemma_search import ScriptIndex
from plait.morphology._word_tag import WordTag

def casing_class(form: str) -> int: ...
def spelling_codes(columns: Sequence[str]) -> Int32Array: ...

class LemmaScorer:
    def __init__(
        self,
        edit_weights: Scorer,
        lemma_weights: Scorer,
        form_templates: tuple[Templates, Int32Array, int, int],
        lemma_templates: tuple[TemplateGroups, Int32Array, int, int],
        of_tag: UInt8Array,
        scripts: ScriptIndex,
        known: KnownLemmas,
        edits: Int32Array,
        casings: Int32Array,
    ) -> None: ...
    def scored(self, form: str, tag: WordTag) -> tuple[list[tuple[int, str]], Float64Array]: ...
    def best(self, form: str, tag: WordTag) -> tuple[str, float]: ...
