"""The accuracy of a member by tag, as the weight of its votes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

PRIOR = 20.0  # words that a rare tag borrows from all the others
ARCS, LABELS = "heads", "deprels"


@dataclass(frozen=True)
class Rates:
    """Accuracies by tag; an unseen tag has the accuracy on all words."""

    overall: float
    by_tag: Mapping[str, float]

    @classmethod
    def count(cls, outcomes: Iterable[tuple[str, bool]]) -> Self:
        """From (tag, whether the member was right) of many words.

        >>> Rates.count([("NOUN", True), ("NOUN", False)]).of("VERB")
        0.5
        """
        total: Counter[str] = Counter()
        right: Counter[str] = Counter()
        for tag, is_right in outcomes:
            total[tag] += 1
            right[tag] += is_right
        words = sum(total.values())
        overall = sum(right.values()) / words if words else 1.0
        return cls(overall, {tag: (right[tag] + PRIOR * overall) / (total[tag] + PRIOR) for tag in sorted(total)})

    def of(self, tag: str) -> float:
        """The accuracy for words with this tag."""
        return self.by_tag.get(tag, self.overall)

    def header(self) -> dict[str, Any]:
        """For the model file."""
        return {"overall": self.overall, "by_tag": dict(self.by_tag)}

    @classmethod
    def from_header(cls, header: Any) -> Self:
        """The inverse of ``header``; a ValueError for invalid rates."""
        by_tag = {str(tag): float(rate) for tag, rate in header["by_tag"].items()}
        overall = float(header["overall"])
        if not all(math.isfinite(rate) and 0.0 <= rate <= 1.0 for rate in (overall, *by_tag.values())):
            raise ValueError("an accuracy that is not between 0 and 1")
        return cls(overall, by_tag)


Reliability = Mapping[str, Rates]  # by column; none: votes weigh the same


def weight(reliability: Reliability | None, column: str, tag: str) -> float:
    """The weight of one vote on a column for a word with this tag."""
    return 1.0 if reliability is None or column not in reliability else reliability[column].of(tag)


def reliability_from_header(header: Any, columns: Sequence[str]) -> Reliability | None:
    """The reliability of one member from a model file."""
    if header is None:
        return None
    if not set(header) <= set(columns):
        raise ValueError("there are accuracies for columns that the member does not predict")
    return {column: Rates.from_header(rates) for column, rates in header.items()}
