from collections.abc import Sequence

from plait.arrays import UInt16Array, UInt64Array
from plait.core._templates import TemplateGroups
from plait.core._weights import Scorer
from plait.transition._filter import LabelFilter
from plait.transition._graph import GraphTemplates

NODE_COLUMN_NAMES: tuple[str, ...]
SLOT_NAMES: tuple[str, ...]
GLOBAL_NAMES: tuple[str, ...]
SEARCH_COLUMNS: int

class Scoring:
    arcs: Scorer
    tags: Scorer | None
    def __init__(
        self,
        arcs: Scorer,
        tags: Scorer | None,
        arc_templates: TemplateGroups,
        tag_templates: TemplateGroups,
        choice_templates: TemplateGroups,
        graph: GraphTemplates | None,
        filter: LabelFilter,
        classes: UInt16Array,
        compound: bool,
        extras: Sequence[int],
        width: int,
        tag_rows: UInt64Array,
        agreement_slots: int,
        guided: bool = False,
        words: Scorer | None = None,
        word_templates: TemplateGroups | None = None,
        tags_first: bool = False,
    ) -> None: ...
