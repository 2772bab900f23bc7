"""The heaviest features of a CRF's marks and types, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

import numpy as np

from plait.arrays import BoolArray, Float64Array, UInt64Array
from plait.chain.training.problem import CrfProblem
from plait.features.heaviest import HeavyFeatures, Named
from plait.features.sequence import describe

Show = Callable[[str, int], str]  # (column, item) -> the text of that atom
Source = tuple[UInt64Array, Show]  # padded atoms, and how to read them

SEQUENCES = 3000  # searched; features that do not occur in them stay unnamed


def heaviest_features(problem: CrfProblem, w: Float64Array, sources: Iterable[Source], count: int = 8) -> Named:
    """For each mark and type its heaviest features under these weights; features of label pairs are left out."""
    features = problem.features
    heavy: dict[str, HeavyFeatures] = {}
    for view, names in (("s", problem.space.marks), ("t", problem.space.types)):
        if view not in problem.rows:
            continue
        heavy[view] = HeavyFeatures(count)
        rows = problem.rows[view]
        values = w[rows.starts[0] : rows.starts[-1]]
        keys = np.repeat(rows.keys, np.diff(rows.starts))
        for number, name in enumerate(names):
            of_label = rows.codes == number
            heavy[view].add_label(name.replace("\t", " ").replace("\n", "+"), keys[of_label], values[of_label])
    wanted = {view: np.array(sorted(one.unnamed), dtype=np.uint64) for view, one in heavy.items()}
    for atoms, show in islice(sources, SEQUENCES):
        for view, table in features.keys(atoms):
            if view in heavy and heavy[view].unnamed:
                templates = features.by_view[view]
                if 2 * len(heavy[view].unnamed) < len(wanted[view]):
                    wanted[view] = np.array(sorted(heavy[view].unnamed), dtype=np.uint64)
                flat = table.reshape(-1)
                places = np.nonzero(among(flat, wanted[view]))[0].tolist()

                def text(at: int) -> str:
                    i, k = divmod(places[at], table.shape[1])  # noqa: B023 (called at once)
                    return describe(templates[k], features.columns, i, len(table), show)  # noqa: B023

                heavy[view].name(flat[places].tolist(), text)
    return {label: pairs for one in heavy.values() for label, pairs in one.named().items()}


def among(keys: UInt64Array, ordered: UInt64Array) -> BoolArray:
    """Which keys are among some others; these are sorted, and at least one.

    >>> among(np.array([5, 9, 2], np.uint64), np.array([2, 5], np.uint64)).tolist()
    [True, False, True]
    """
    found: BoolArray = ordered[np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)] == keys
    return found
