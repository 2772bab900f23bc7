"""The oracle accuracy of pruning: how much of the gold standard remains in the search space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plait.arrays import Int32Array
from plait.graph.pruning import Keep


@dataclass
class PruningReport:
    """Counts what pruning keeps of some sentences with gold tags and trees."""

    words: int = 0
    tags: int = 0
    tags_right: int = 0
    arcs: int = 0
    arcs_possible: int = 0
    heads_right: int = 0

    def add(self, tags: Sequence[Sequence[int]], gold: Sequence[int], keep: Keep, heads: Int32Array) -> None:
        """Count one sentence; tags never seen in training count as lost."""
        n = len(gold)
        self.words += n
        self.tags += sum(map(len, tags))
        self.tags_right += sum(right in word for word, right in zip(tags, gold, strict=True))
        self.arcs += int(keep.sum())
        self.arcs_possible += n * n
        self.heads_right += int(keep[heads[1:], np.arange(1, n + 1)].sum())

    @property
    def dev(self) -> dict[str, float]:
        """Nothing is measured on held-out data: this is a record of the training data."""
        return {}

    def line(self) -> str:
        """The report as the command line prints it before the first epoch."""
        found = self.to_dict()
        return (
            f"pruning leaves {found['tags_per_word']:.2f} tags a word (oracle {found['tag_oracle']:.2f}) "
            f"and {found['arcs_kept']:.1f} % of the arcs (oracle {found['arc_oracle']:.2f})"
        )

    def to_dict(self) -> dict[str, float]:
        """Tags per word, share of arcs, and how much an oracle could still get right, in per cent."""
        words = max(self.words, 1)
        return {
            "tags_per_word": round(self.tags / words, 4),
            "tag_oracle": round(100.0 * self.tags_right / words, 4),
            "arcs_kept": round(100.0 * self.arcs / max(self.arcs_possible, 1), 4),
            "arc_oracle": round(100.0 * self.heads_right / words, 4),
        }
