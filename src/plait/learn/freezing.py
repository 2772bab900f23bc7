"""Freezing: trained weights → the tables of a model file, smaller only if held-out data shows that nothing is lost.

A stored model should be equivalent to the trained one. Fewer bits and rows are therefore used only as long as the
analyses of the development set stay the same: hardly a word may change, no measure may fall, and both must hold on two
halves of the data, one to choose by and one to confirm. A score alone proves little, since gains and losses cancel out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from plait.core._weights import Scorer
from plait.core.tables import Arrays, Frozen, freeze_arrays, pruned
from plait.learn.outcome import Outcome, Words

Measure = Callable[[Mapping[str, Scorer]], Outcome]

SLACK = 0.05  # points that any measure may lose on dev for a smaller stored model
# Words of which the analysis may change, for each that a measure may lose. Changes that help and that harm are about
# equally many, so their difference on other data is about the square root of their number: with 0.2 % of 12,000 words
# that is 5 words, or 0.04 points.
CHANGES = 4.0
ROUNDED = 20.0  # the same for weights that are rounded to 16 bits and not dropped
# shares of the rows that may be dropped
SHARES = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.94, 0.96)


@dataclass(frozen=True)
class Stored:
    """Tables for use, and their analyses of the development set."""

    tables: dict[str, Frozen]
    outcome: Outcome | None

    @cached_property
    def size(self) -> int:
        """Bytes of all tables in a model file."""
        return sum(array.nbytes for table in self.tables.values() for array in table.arrays().values())


@dataclass
class Freezer:
    """Freezes one set of weights in different ways; ``measure`` analyses development data, where there is any."""

    weights: Mapping[str, Arrays]
    labels: Mapping[str, int]
    measure: Measure | None

    def freeze(
        self, bits: int = 0, slack: float = SLACK, *, prune: bool = False, megabytes: float = 0.0
    ) -> tuple[dict[str, Frozen], dict[str, float]]:
        """Tables for use, and their dev scores.

        With ``bits`` 0 the fewest bits are used (8, 16, 32) that give the same analyses of the development set as full
        precision, within ``slack``; without such data, 16. With ``prune`` the rows with the smallest weights are
        dropped under the same condition: fewer rows are found faster. With ``megabytes`` more rows are dropped until
        the tables fit, whatever that costs.
        """
        chosen = self._smallest(bits, slack, prune) if self.measure else self._at(bits or 16)
        if megabytes and chosen.size > 1e6 * megabytes:
            chosen = self._squeezed(bits or 8, 1e6 * megabytes)
        return chosen.tables, {} if chosen.outcome is None else chosen.outcome.scores

    def _smallest(self, bits: int, slack: float, prune: bool) -> Stored:
        """The smallest tables that lose no more than the slack against full precision."""
        found = [
            chosen
            for width in ((bits,) if bits else (8, 16))
            if (chosen := self._most_pruned(width, slack, prune)) is not None
        ]
        if found:
            return min(found, key=lambda chosen: chosen.size)
        plain = self._at(bits or 16)
        return plain if bits or not self._harms(plain, slack) else self._at(32)

    def _most_pruned(self, width: int, slack: float, prune: bool) -> Stored | None:
        """The tables with this many bits and as few rows as the slack allows; None if the bits alone are too few."""
        plain = self._at(width)
        choose, confirm = self.full.halves()
        if not (self._keeps(plain, choose, slack) and self._keeps(plain, confirm, slack, margin=False)):
            return None
        tried = {0: plain}

        def tables(k: int) -> Stored:
            if k not in tried:
                tried[k] = self._at(width, SHARES[k])
            return tried[k]

        low, high = 0, len(SHARES) if prune and any("keys" in w for w in self.weights.values()) else 1
        while high - low > 1:  # the analyses drift away steadily as more is dropped
            middle = (low + high) // 2
            low, high = (middle, high) if self._keeps(tables(middle), choose, slack) else (low, middle)
        return next(tables(k) for k in range(low, -1, -1) if self._keeps(tables(k), confirm, slack, margin=False))

    def _keeps(self, frozen: Stored, words: Words, slack: float, *, margin: bool = True) -> bool:
        """Whether the analyses of these words and all measures stay the same within the slack.

        With a margin for chance: if none of n words changes, 3 of n others may; so a small set never proves enough.
        """
        allowed = slack / 100.0 * int(words.sum())
        changed = int((self._changes(frozen) & words).sum())
        expected = changed + (1 + 2 * math.sqrt(changed + 1) if margin else 0)
        if expected > CHANGES * allowed:
            return False
        return all(loss <= allowed for loss in self._losses(frozen, words))

    def _harms(self, plain: Stored, slack: float) -> bool:
        """Whether 16 bits are too few: here harm must be shown, not its absence, since rounding errors are unbiased.

        One rounded weight may change the tree of a whole sentence, so more words may change, and more may be lost by
        chance, than if weights are dropped.
        """
        allowed = slack / 100.0 * sum(self.full.lengths)
        changed = int(self._changes(plain).sum())
        words = np.ones(sum(self.full.lengths), bool)
        lost = allowed + 2 * math.sqrt(changed)
        return changed > ROUNDED * allowed or any(loss > lost for loss in self._losses(plain, words))

    def _losses(self, frozen: Stored, words: Words) -> Iterator[int]:
        """For each measure, how many fewer of these words are right than in full precision."""
        assert frozen.outcome is not None
        for name in self.full.measures:
            yield int((self.full.right(name) & words).sum()) - int((frozen.outcome.right(name) & words).sum())

    def _changes(self, frozen: Stored) -> Words:
        assert frozen.outcome is not None
        return self.full.changed(frozen.outcome)

    @cached_property
    def full(self) -> Outcome:
        """The analyses of the development set by all weights in full precision."""
        outcome = self._at(32).outcome
        assert outcome is not None
        return outcome

    def _at(self, width: int, share: float = 0.0) -> Stored:
        tables = self._tables(width, share)
        return Stored(tables, self.measure(tables) if self.measure else None)

    def _tables(self, width: int, share: float) -> dict[str, Frozen]:
        return {
            group: freeze_arrays(pruned(weights, share), self.labels[group], width)
            for group, weights in self.weights.items()
        }

    def _squeezed(self, width: int, size: float) -> Stored:
        low, high = 0.0, 1.0  # the smallest share that fits, within a thousandth
        while high - low > 0.001:
            share = (low + high) / 2
            fits = Stored(self._tables(width, share), None).size <= size
            low, high = (low, share) if fits else (share, high)
        return self._at(width, high)
