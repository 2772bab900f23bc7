"""Two systems over several training runs: the mean difference and its significance.

A test on one run of each says nothing about other seeds, and the p-values of several runs cannot be combined, since all
of them are on the same sentences. Here a sentence is one unit: the counts of its runs are summed, and the permutation
test swaps all runs of a sentence together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from plait.arrays import Int64Array
from plait.errors import DataError
from plait.evaluation.pairing import pair_all
from plait.evaluation.scores import Scores, Source, document, score, shared_measures
from plait.evaluation.significance import f1_of, paired_bootstrap, paired_permutation


class RunDifference(NamedTuple):
    """One measure of two systems over all their runs, in per cent."""

    measure: str
    a: float
    b: float
    low: float  # the middle 95 % of the resampled differences (paired bootstrap over sentences)
    high: float
    permutation_p: float

    @property
    def difference(self) -> float:
        """A − B in per cent points."""
        return self.a - self.b


def compare_runs(
    gold: Source, a: Sequence[Source], b: Sequence[Source], *, punct: bool = True, seed: int = 0, samples: int = 10_000
) -> dict[str, RunDifference]:
    """Compare all runs of system A with all runs of system B, by measure.

    a, b: the predictions of the runs, as many of A as of B, each for all of gold.
    The rest is as for ``compare``.
    """
    if not a or len(a) != len(b):
        raise DataError(f"there are {len(a)} runs of A and {len(b)} of B; expected as many of each, at least one")
    pairings = pair_all(document(gold), [document(run) for run in (*a, *b)])
    scores = [score(pairing, punct=punct) for pairing in pairings]
    keys = shared_measures(scores)
    if not keys:
        raise DataError("no measure applies to all runs")

    def summed(of: Sequence[Scores]) -> Int64Array:
        return np.asarray(np.sum([[s.tallies[key].counts for key in keys.values()] for s in of], axis=0))

    counts_a, counts_b = summed(scores[: len(a)]), summed(scores[len(a) :])
    f1_a, f1_b = (f1_of(counts.sum(axis=1).astype(np.float64)).tolist() for counts in (counts_a, counts_b))
    intervals = paired_bootstrap(counts_a, counts_b, samples=samples, seed=seed)
    p_values = paired_permutation(counts_a, counts_b, samples=samples, seed=seed)
    return {
        name: RunDifference(name, f1_a[k], f1_b[k], intervals[k].low, intervals[k].high, p_values[k])
        for k, name in enumerate(keys)
    }
