"""Differences of feature vectors against a dictionary."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.core._delta import Delta
from plait.core._kernel import HashKernel
from plait.core._weights import Weights

entries = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.sampled_from([-1.0, 1.0, 0.5])), max_size=60)


@given(entries, entries)
def test_delta_equals_a_dictionary(first, second):
    delta, slow, weights = Delta(), {}, Weights(4)
    for key, label, value in first:
        if key:
            weights.update(key, label, value)
    for key, label, value in second:
        delta.add(key, label, value)
        if key:  # key 0 is a template that did not fire
            slow[key, label] = slow.get((key, label), 0.0) + value
    slow = {place: value for place, value in slow.items() if value}
    assert delta.items() == sorted((k, label, value) for (k, label), value in slow.items())
    assert len(delta) == len(slow)
    assert delta.norm2() == pytest.approx(sum(value**2 for value in slow.values()))
    before = {place: weights.get(*place) for place in slow}
    assert delta.dot(weights) == pytest.approx(sum(slow[p] * before[p] for p in slow))
    delta.apply(weights, 0.25)
    assert {p: weights.get(*p) for p in slow} == pytest.approx({p: before[p] + 0.25 * slow[p] for p in slow})


def test_a_label_beyond_the_row_is_refused():
    delta = Delta()
    delta.add(1, 9, 1.0)
    with pytest.raises(IndexError):
        delta.apply(Weights(4), 1.0)
    with pytest.raises(IndexError):
        delta.dot(HashKernel(4, 8))


def test_clear_forgets_everything():
    delta = Delta()
    delta.add(1, 1, 1.0)
    delta.clear()
    assert delta.items() == []
    assert np.isclose(delta.norm2(), 0)
