"""Features that take part from their n-th update on, against a twin in plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.core._delta import Delta, UpdateCutoff

features = st.dictionaries(st.tuples(st.integers(1, 6), st.integers(0, 2)), st.sampled_from([-1.0, 1.0]), max_size=8)


def delta_of(entries):
    delta = Delta()
    for (key, label), value in entries.items():
        delta.add(key, label, value)
    return delta


@given(st.lists(features, max_size=12), st.integers(1, 4), st.integers(0, 12))
def test_features_are_admitted_from_their_nth_update_on(updates, needed, stop):
    cutoff, counts = UpdateCutoff(needed), {}
    for k, update in enumerate(updates):
        if k == stop:  # interrupted and resumed
            cutoff = UpdateCutoff.restore(needed, *cutoff.export())
        for key in {key for key, _ in update}:
            counts[key] = counts.get(key, 0) + 1
        delta = delta_of(update)
        cutoff.filter(delta)
        expected = [(*place, value) for place, value in sorted(update.items()) if counts[place[0]] >= needed]
        assert delta.items() == expected
    keys, kept = cutoff.export()
    assert dict(zip(keys.tolist(), kept.tolist(), strict=True)) == {k: min(c, needed) for k, c in counts.items()}


def test_a_cutoff_with_many_features():
    cutoff = UpdateCutoff(2)
    for turn in (1, 2):
        delta = delta_of({(key, 0): 1.0 for key in range(1, 5001)})
        cutoff.filter(delta)
        assert len(delta) == (0 if turn == 1 else 5000)
    assert len(cutoff) == 5000


@pytest.mark.parametrize(
    ("keys", "counts"),
    [([0], [1]), ([2, 1], [1, 1]), ([1, 1], [1, 1]), ([1], [0]), ([1], [3]), ([1, 2], [1]), ([1], [2**64 - 1])],
)
def test_arrays_that_no_cutoff_gives_are_refused(keys, counts):
    with pytest.raises(ValueError, match="features"):
        UpdateCutoff.restore(2, np.array(keys, dtype=np.uint64), np.array(counts, dtype=np.uint64))


def test_a_cut_off_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        UpdateCutoff(0)
