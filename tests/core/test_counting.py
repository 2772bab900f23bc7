"""The table that counts what is asked of another one."""

import numpy as np

from plait.core._counting import CountingScorer
from plait.core._frozen import freeze
from plait.core._weights import Weights


def test_known_and_unknown_keys_are_counted_and_score_as_ever():
    table = Weights(3)
    for key, label in ((5, 0), (7, 2), (9, 1), (9, 2)):
        table.update(key, label, 1.5)
    asked = np.array([5, 6, 0, 9, 9, 11], dtype=np.uint64)
    for inner in (table, freeze(*table.export(averaged=False)[:4], 3, 16)):
        counting = CountingScorer(inner)
        assert counting.scores(asked).tolist() == inner.scores(asked).tolist()
        assert (counting.keys, counting.rows) == (5, 3)
        counting.reset()
        assert (counting.keys, counting.rows) == (0, 0)
