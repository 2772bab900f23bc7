"""The best tags of large tag sets are those that sorting all of them would find."""

import numpy as np
import pytest

from plait.trees.candidates import DEPTH, best_tags, ranked


@pytest.mark.parametrize("tags", [3, 4 * DEPTH, 4 * DEPTH + 1, 900])
@pytest.mark.parametrize("likely", [0, 1, 40, DEPTH + 5])
def test_few_likely_tags_among_many(tags: int, likely: int) -> None:
    random = np.random.default_rng(tags + likely)
    p = np.zeros((6, tags))
    for row in p:
        chosen = random.choice(tags, size=min(likely, tags), replace=False)
        row[chosen] = random.choice([0.5, 0.25, 0.1, 1e-60], size=len(chosen))  # with equals, and one that rounds to 0
    found = ranked(p)
    order = np.argsort(-p.astype(np.float32), axis=1, kind="stable")[:, :DEPTH]
    assert found.tags.tolist() == order.tolist()
    assert found.probabilities.tolist() == np.take_along_axis(p, order, axis=1).tolist()
    numbers = np.arange(tags, dtype=np.uint16)[::-1].copy()
    assert ranked(p, numbers).tags.tolist() == numbers[order].tolist()
    assert best_tags(p, 2, 1.0).tags.tolist() == order[:, :2].tolist()
    best = best_tags(p, 1, 0.0)
    expected = ranked(p).within(1, 0.0)
    for field in ("tags", "counts", "bins"):
        one, other = getattr(best, field), getattr(expected, field)
        assert (one.tolist(), one.dtype, one.flags.c_contiguous) == (other.tolist(), other.dtype, True)
