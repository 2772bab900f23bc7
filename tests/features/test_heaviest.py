"""Heavy features get their names from data."""

import numpy as np
import pytest

from plait.features.heaviest import HeavyFeatures, show_form


@pytest.mark.parametrize(
    ("column", "form", "shown"),
    [
        ("w", "Ab", "Ab"), ("low", "Ab", "ab"), ("pre2", "abc", "ab"), ("suf2", "abc", "bc"), ("ch1", "abc", "a"),
        ("che1", "abc", "c"), ("inner1", "abc", "b"), ("rest2", "abc", "c"), ("init1", "abc", "a"),
        ("rep1", "xaab", "a"), ("begins", "abc", "a"), ("ends", "abc", "c"), ("digit", "a1", "yes"),
        ("len", "abc", "3"), ("single", "a", "a"),
    ],
)  # fmt: skip
def test_columns_in_words(column, form, shown):
    assert show_form(column, form) == shown


def test_the_heaviest_that_have_a_name_in_order_and_no_negative_ones():
    heavy = HeavyFeatures(count=2)
    heavy.add_label("A", np.array([1, 2, 3, 4], np.uint64), np.array([1.0, 4.0, 3.0, -5.0]))
    heavy.add_label("B", np.array([1], np.uint64), np.array([0.5]))
    heavy.name([9, 1, 1, 4], lambda k: f"at {k}")
    heavy.name([3], lambda k: "three")
    assert len(heavy.unnamed) == 1
    assert heavy.named() == {"A": [["three", 3.0], ["at 1", 1.0]], "B": [["at 1", 0.5]]}


def test_a_hash_kernel_has_no_names():
    heavy = HeavyFeatures()
    heavy.add_table({"values": np.ones(4)}, ["A"])
    assert heavy.named() == {}
