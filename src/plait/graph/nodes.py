"""The nodes of a chart: words with their candidate tags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plait.arrays import Int32Array, UInt16Array


@dataclass(frozen=True)
class Candidates:
    """The nodes of a sentence: every word with each of its candidate tags; node 0 is the root."""

    starts: Int32Array  # [words + 2]: the first node of a word, then the number of nodes
    token: Int32Array
    tag: UInt16Array

    @classmethod
    def of(cls, tags: Sequence[Sequence[int]], root: int) -> Candidates:
        """From the candidate tags of each word, and the number that the root has for a tag."""
        counts = [1, *map(len, tags)]
        return cls(
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
            np.repeat(np.arange(len(counts)), counts).astype(np.int32),
            np.array([root, *(tag for word in tags for tag in word)], dtype=np.uint16),
        )

    def nodes(self, tags: Sequence[int]) -> Int32Array:
        """The nodes of a tagging, the root's first."""
        found = [0]
        for w, tag in enumerate(tags, 1):
            of_word = self.tag[self.starts[w] : self.starts[w + 1]].tolist()
            found.append(int(self.starts[w]) + of_word.index(tag))
        return np.array(found, dtype=np.int32)
