"""Pruning: the tags that a tagger and the arcs that a first-order parser hold for possible, and what that costs.

A tag or head stays when its probability is at least a given part of that of the word's best one. The first-order
parser's best tree always stays, so there is always a tree left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Keep = npt.NDArray[np.uint8]
Matrix = npt.NDArray[np.float64]

MOST_TAGS = 3  # candidates of one word; the cost grows with the fourth power


@dataclass(frozen=True)
class Candidates:
    """The nodes of a sentence: every word with each of its candidate tags; node 0 is the root."""

    starts: npt.NDArray[np.int32]  # [words + 2]: the first node of a word, then the number of nodes
    token: npt.NDArray[np.int32]
    tag: npt.NDArray[np.uint16]

    @classmethod
    def of(cls, tags: Sequence[Sequence[int]], root: int) -> Candidates:
        """From the candidate tags of each word, and the number that the root has for a tag."""
        counts = [1, *map(len, tags)]
        return cls(
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
            np.repeat(np.arange(len(counts)), counts).astype(np.int32),
            np.array([root, *(tag for word in tags for tag in word)], dtype=np.uint16),
        )

    def nodes(self, tags: Sequence[int]) -> npt.NDArray[np.int32]:
        """The nodes of a tagging, the root's first."""
        found = [0]
        for w, tag in enumerate(tags, 1):
            of_word = self.tag[self.starts[w] : self.starts[w + 1]].tolist()
            found.append(int(self.starts[w]) + of_word.index(tag))
        return np.array(found, dtype=np.int32)


def keep_tags(p: Matrix, threshold: float, most: int = MOST_TAGS) -> list[list[int]]:
    """For each word (row of ``p``) the tags at least ``threshold`` times as probable as the best, the best first.

    >>> keep_tags(np.array([[0.6, 0.1, 0.3], [0.999, 0.001, 0.0]]), 0.2)
    [[0, 2], [0]]
    """
    found = []
    for row in p:
        order = np.argsort(-row, kind="stable")[:most]
        found.append([int(t) for k, t in enumerate(order) if k == 0 or row[t] >= threshold * row[order[0]]])
    return found


def keep_arcs(p: Matrix, threshold: float, heads: npt.NDArray[np.int32], most: int = 0) -> Keep:
    """keep[h, m] for arcs at least ``threshold`` times as probable as the word's best head, and those of a tree.

    With ``most`` a word keeps no more heads than that, the most probable ones (and its head in the tree).
    """
    keep: Keep = (p >= threshold * p.max(axis=0)).astype(np.uint8)
    if 0 < most < len(p):
        less = np.argsort(-p, axis=0, kind="stable")[most:]
        np.put_along_axis(keep, less, 0, axis=0)
    keep[heads[1:], np.arange(1, len(heads))] = 1
    keep[:, 0] = 0
    np.fill_diagonal(keep, 0)
    return keep


@dataclass
class PruningReport:
    """What pruning leaves of some sentences with known tags and trees."""

    words: int = 0
    tags: int = 0
    tags_right: int = 0
    arcs: int = 0
    arcs_possible: int = 0
    heads_right: int = 0

    def add(self, tags: Sequence[Sequence[int]], gold: Sequence[int], keep: Keep, heads: npt.NDArray[np.int32]) -> None:
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
