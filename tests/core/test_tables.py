"""Tables as arrays: averaged, pruned, saved and restored in training, opened from a model file; forgeries refused."""

import numpy as np
import pytest

from plait.core._kernel import HashKernel
from plait.core._weights import Weights
from plait.core.rows import LARGEST, check_rows, check_scale, check_weights, checked
from plait.core.tables import (
    averaged,
    check_averaged,
    freeze_arrays,
    load_state,
    new_table,
    open_table,
    pruned,
    save_state,
)
from plait.errors import ModelError

KINDS = ["exact", "hash"]
A, B, C, D = (k << 58 | k << 3 for k in (1, 2, 3, 4))  # keys that do not meet in a small kernel


def trained(kind, labels=3):
    """Three weights of which one came late and one went back to 0; four examples were seen."""
    table = new_table(kind, labels, 8)
    table.update(A, 1, 2.0)
    table.update(C, 2, 1.0)
    for _ in range(3):
        table.tick()
    table.update(B, 0, 4.0)
    table.update(C, 2, -1.0)
    table.tick()
    return table


def scores(table, key):
    return table.scores(np.array([key], dtype=np.uint64)).tolist()


def test_a_hash_kernel_has_the_requested_number_of_weights():
    assert isinstance(new_table("exact", 3, 8), Weights)
    table = new_table("hash", 3, 8)
    assert isinstance(table, HashKernel)
    assert table.size == 1 << 8


@pytest.mark.parametrize("kind", KINDS)
def test_averaged_weights_are_means_over_the_examples(kind):
    frozen = freeze_arrays(averaged(trained(kind)), 3, 32)
    assert [scores(frozen, key) for key in (A, B, C)] == [[0.0, 2.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.75]]


@pytest.mark.parametrize("kind", KINDS)
def test_a_restored_table_goes_on_as_if_it_had_not_stopped(kind):
    table = trained(kind)
    again = load_state(save_state(table), new_table(kind, 3, 8))
    assert (again.clock, again.get(B, 0), again.get(C, 2)) == (4.0, 4.0, 0.0)
    for one in (table, again):
        one.update(C, 0, 3.0)
        one.tick()
    for mine, theirs in zip(averaged(again).values(), averaged(table).values(), strict=True):
        assert mine.tolist() == theirs.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_that_has_seen_nothing_can_be_saved(kind):
    assert load_state(save_state(new_table(kind, 3, 8)), new_table(kind, 3, 8)).clock == 0.0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"clock": np.array([-1.0])}, "-1.0 examples seen"),
        ({"clock": np.array([1])}, "array clock is int64 of shape .1,.; expected float64 of shape .1,."),
        ({"sums": None}, r"arrays .*values; expected clock, .*sums"),
        ({"more": np.zeros(1)}, "arrays clock, .*more"),
        ({"sums": np.zeros(2)}, "array sums is float64 of shape .2,."),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_states_that_no_table_saves_are_refused(kind, change, words):
    arrays = {name: array for name, array in {**save_state(trained(kind)), **change}.items() if array is not None}
    with pytest.raises(ValueError, match=words):
        load_state(arrays, new_table(kind, 3, 8))


@pytest.mark.parametrize("kind", KINDS)
def test_sums_of_another_type_are_refused(kind):
    arrays = save_state(trained(kind))
    arrays["sums"] = arrays["sums"].astype(np.float32)
    with pytest.raises(ValueError, match="array sums is float32"):
        load_state(arrays, new_table(kind, 3, 8))


@pytest.mark.parametrize("kind", KINDS)
def test_averaged_weights_of_another_table_are_refused(kind):
    table = trained(kind)
    arrays = averaged(table)
    check_averaged(arrays, table)
    with pytest.raises(ValueError, match="expected"):
        check_averaged({**arrays, "more": arrays["values"]}, table)
    with pytest.raises(ValueError, match=r"expected|label 2 of 2"):
        check_averaged(arrays, new_table(kind, 2, 9))
    with pytest.raises(ValueError, match="arrays missing; expected"):
        check_averaged({}, table)


def test_an_array_is_checked_in_type_shape_and_values():
    arrays = {"w": np.array([1.0, np.nan]), "v": np.array([1.0, 2.0])}
    for name, dtype, shape, words in [
        ("u", np.float64, (2,), "no array u"),
        ("v", np.float32, (2,), "array v is float64 of shape .2,.; expected float32 of shape .2,."),
        ("v", np.float64, (3,), "expected float64 of shape .3,."),
        ("w", np.float64, (2,), "array w contains values that are not finite"),
    ]:
        with pytest.raises(ValueError, match=words):
            checked(arrays, name, dtype, shape)
    copy = checked(arrays, "v", np.float64, (2,))
    copy[0] = 5.0
    assert arrays["v"][0] == 1.0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"starts": [0, 2]}, "the arrays of rows do not match"),
        ({"starts": [1, 1, 2]}, "the arrays of rows do not match"),
        ({"starts": [0, 1, 3]}, "the arrays of rows do not match"),
        ({"values": [1.0]}, "the arrays of rows do not match"),
        ({"starts": [0, 3, 2]}, "rows or keys out of order"),
        ({"keys": [4, 4]}, "rows or keys out of order"),
        ({"keys": [0, 4]}, "rows or keys out of order"),
        ({"keys": [2, 6, 4], "starts": [0, 1, 2, 2]}, "rows or keys out of order"),
        ({"labels": [0, 3]}, "label 3 of 3"),
        ({"values": [1.0, float("nan")]}, "a weight is not finite, or too large"),
    ],
)
def test_rows_that_no_table_has_are_refused(change, words):
    rows = {"keys": [2, 4], "starts": [0, 1, 2], "labels": [0, 2], "values": [1.0, -1.0]}
    check_rows(*rows.values(), 3)
    with pytest.raises(ValueError, match=words):
        check_rows(*(rows | change).values(), 3)


@pytest.mark.parametrize("bits", [8, 16])
def test_the_scale_of_a_table_is_a_power_of_two_within_bounds(bits):
    largest = LARGEST / 2 ** (bits - 2)
    for scale in (largest, 1.0, 2.0**-90):
        check_scale(scale, bits)
    for scale in (2 * largest, 2.0**-110, 0.75, 0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match=f"is not the scale of a weight table of {bits} bits"):
            check_scale(scale, bits)


def test_weights_in_single_precision_have_no_scale():
    check_scale(1.0, 32)
    for scale in (0.5, 2.0):
        with pytest.raises(ValueError, match="is not the scale of a weight table of 32 bits"):
            check_scale(scale, 32)


def test_the_largest_weight_is_allowed_on_both_sides():
    check_weights([-LARGEST, LARGEST])
    check_weights([])
    for value in (-1.01 * LARGEST, 1.01 * LARGEST):
        with pytest.raises(ValueError, match="a weight is not finite, or too large"):
            check_weights([value])


def test_where_there_is_nothing_to_prune_the_arrays_stay():
    rows = averaged(trained("exact"))
    assert pruned(rows, 0.0) is rows
    kernel = averaged(trained("hash"))
    assert pruned(kernel, 0.5) is kernel
    empty = averaged(new_table("exact", 3, 8))
    assert pruned(empty, 0.5) is empty


def test_rows_without_weights_are_pruned_first():
    arrays = {
        "keys": np.arange(1, 4, dtype=np.uint64),
        "starts": np.array([0, 1, 2, 2], dtype=np.int64),
        "labels": np.zeros(2, dtype=np.uint16),
        "values": np.array([4.0, 3.0], dtype=np.float32),
    }
    left = pruned(arrays, 0.5)  # the median of 4, 3 and 0 is 3
    assert (left["keys"].tolist(), left["values"].tolist()) == ([1, 2], [4.0, 3.0])


def test_a_weight_of_just_half_the_quantile_is_kept():
    arrays = {
        "keys": np.arange(1, 4, dtype=np.uint64),
        "starts": np.array([0, 1, 2, 4], dtype=np.int64),
        "labels": np.array([0, 0, 0, 1], dtype=np.uint16),
        "values": np.array([4.0, 4.0, 4.0, -2.0], dtype=np.float32),
    }
    assert pruned(arrays, 0.5)["values"].tolist() == [4.0, 4.0, 4.0, -2.0]
    arrays["values"][3] = -1.9
    assert pruned(arrays, 0.5)["values"].tolist() == [4.0, 4.0, 4.0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bits", [8, 16, 32])
def test_a_stored_table_is_opened_again(kind, bits):
    frozen = freeze_arrays(averaged(trained(kind)), 3, bits)
    assert frozen.bits == bits
    again = open_table(frozen.header(), frozen.arrays())
    assert (again.labels, again.bits) == (3, bits)
    for key in (A, B, C, D):
        assert scores(again, key) == scores(frozen, key)


@pytest.mark.parametrize(
    ("kind", "change", "words"),
    [
        ("exact", {"kind": "else"}, "unknown kind 'else'"),
        ("exact", {"kind": None}, "'kind'"),
        ("exact", {"labels": "three"}, "three"),
        ("exact", {"bits": 7}, "7"),
        ("exact", {"scale": 0.3}, "0.3"),
        ("exact", {"salt": None}, "salt"),
        ("hash", {"labels": 0}, ""),
        ("hash", {"scale": float("nan")}, "nan"),
        ("hash", {"bits": None}, "bits"),
    ],
)
def test_a_forged_table_is_a_model_error(kind, change, words):
    frozen = freeze_arrays(averaged(trained(kind)), 3, 16)
    header = {name: value for name, value in {**frozen.header(), **change}.items() if value is not None}
    with pytest.raises(ModelError, match=f"damaged weight table: .*{words}.*; train or download the model again"):
        open_table(header, frozen.arrays())
    with pytest.raises(ModelError, match="damaged weight table"):
        open_table(frozen.header(), {})


@pytest.mark.parametrize(("name", "dtype"), [("index", np.uint64), ("arena", np.uint32)])
def test_arrays_of_another_type_are_refused(name, dtype):
    frozen = freeze_arrays(averaged(trained("exact")), 3, 16)
    arrays = frozen.arrays()
    with pytest.raises(ModelError, match="arrays of another type"):
        open_table(frozen.header(), {**arrays, name: arrays[name].astype(dtype)})
