"""Constraints: what of an analysis an input fixes beforehand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Keep = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Given:
    """What an input fixes: tags (−1: open), heads (−1: open) and labels (−1: open) of the words 1, 2, ..."""

    tags: npt.NDArray[np.int64]
    heads: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int32]  # entry 0 is the root's

    @classmethod
    def nothing(cls, n: int) -> Given:
        """Everything is open."""
        return cls(np.full(n, -1), np.full(n, -1), np.full(n + 1, -1, dtype=np.int32))

    def keep(self) -> Keep | None:
        """The arcs that given heads leave; None when none is given."""
        n = len(self.heads)
        if (self.heads < 0).all():
            return None
        keep = np.ones((n + 1, n + 1), dtype=np.uint8)
        for m, h in enumerate(self.heads.tolist(), 1):
            if h >= 0:
                keep[:, m] = 0
                keep[h, m] = 1
        return keep
