"""The units of a text for a segmenter, and their atoms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from plait.arrays import UInt64Array
from plait.data.folding import Folding
from plait.features._units import UNIT_COLUMNS, find_units, unit_atoms
from plait.features.label_templates import LabelTemplates
from plait.features.word_lexicon import MATCH_COLUMNS, Lexicon

SEGMENTER_COLUMNS = (*UNIT_COLUMNS, *MATCH_COLUMNS)
JOINED = 1  # the gap of a unit that nothing separates from the one before


class Units(NamedTuple):
    """The starts and ends of the units of a text, and the gap before each (see ``features/_units.pyx``)."""

    starts: list[int]
    ends: list[int]
    gaps: list[int]

    def part(self, first: int, last: int) -> Units:
        """The units from ``first`` to ``last`` − 1."""
        return Units(*(column[first:last] for column in self))

    @property
    def places(self) -> tuple[dict[int, int], dict[int, int]]:
        """Numbers of the units by the character they begin at, and by the one after their end."""
        return {at: i for i, at in enumerate(self.starts)}, {at: i for i, at in enumerate(self.ends)}


@dataclass(frozen=True, eq=False, repr=False)
class UnitReader:
    """How a trained segmenter reads units: whether letter runs are units, abbreviations, a lexicon, folding."""

    runs: bool
    abbreviations: Mapping[str, int] = field(default_factory=dict)  # lower case, without the last period: its kind
    lexicon: Lexicon | None = None
    folding: Folding = field(default_factory=Folding)

    def find(self, text: str, cuts: Iterable[int] = ()) -> Units:
        """The units of a text; none extends across one of the cuts."""
        return Units(*find_units(self.folding.text(text), self.runs, cuts))

    def atoms(self, text: str, units: Units, features: LabelTemplates) -> UInt64Array:
        """The padded matrix of the atoms that these templates use."""
        text = self.folding.text(text)
        found: UInt64Array = unit_atoms(text, *units, features.columns, features.pad, self.abbreviations)
        if self.lexicon is not None:
            rows = found[features.pad : features.pad + len(units.starts)]
            self.lexicon.fill_units(rows, features.columns, text, units.starts, units.ends)
        return found
