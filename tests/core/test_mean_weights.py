"""The mean of several tables of averaged weights, and empty tables of the same kind."""

import numpy as np
import pytest

from plait.core.tables import empty_like, mean_weights, new_table


def table(weights):
    """Arrays of averaged weights from {key: {label: value}}."""
    keys = sorted(weights)
    return {
        "keys": np.array(keys, dtype=np.uint64),
        "starts": np.cumsum([0, *(len(weights[key]) for key in keys)]).astype(np.int64),
        "labels": np.array([label for key in keys for label in sorted(weights[key])], dtype=np.uint16),
        "values": np.array([weights[key][label] for key in keys for label in sorted(weights[key])], dtype=np.float32),
    }


def test_the_mean_of_tables_is_the_mean_of_each_weight():
    rng = np.random.default_rng(0)
    for count in (1, 2, 3):
        given = [
            {int(key): {int(label): float(rng.integers(-8, 9)) for label in rng.choice(5, rng.integers(1, 5), False)}
             for key in rng.choice(2**40 + np.arange(12), rng.integers(0, 9), False)}
            for _ in range(count)
        ]  # fmt: skip
        expected: dict[int, dict[int, float]] = {}
        for weights in given:
            for key, row in weights.items():
                for label, value in row.items():
                    mine = expected.setdefault(key, {})
                    mine[label] = mine.get(label, 0.0) + value / count
        found, wanted = mean_weights([table(weights) for weights in given]), table(expected)
        for name, array in wanted.items():
            assert found[name].dtype == array.dtype
            np.testing.assert_allclose(found[name], array, rtol=1e-6)


def test_the_mean_of_kernels_is_the_mean_of_each_number():
    found = mean_weights([{"values": np.array(values, np.float32)} for values in ([1, 2, 0], [2, 4, -6])])
    assert found["values"].tolist() == [1.5, 3.0, -3.0]
    assert found["values"].dtype == np.float32


@pytest.mark.parametrize("kind", ["exact", "hash"])
@pytest.mark.parametrize("labels", [3, 400])
def test_an_empty_table_is_of_the_same_kind_and_size(kind, labels):
    given = new_table(kind, labels, hash_bits=9)
    found = empty_like(given)
    assert type(found) is type(given)
    assert found.labels == labels
    assert [len(part) for part in found.export()] == [len(part) for part in given.export()]


def test_the_mean_of_empty_tables_is_empty():
    for tables in ([table({})], [table({}), table({})]):
        for name, array in mean_weights(tables).items():
            assert array.dtype == table({})[name].dtype
            assert array.tolist() == ([0] if name == "starts" else [])


def test_weights_of_the_same_key_or_label_are_not_mixed_up():
    found = mean_weights([table({7: {1: 2.0, 3: 4.0}, 9: {3: 6.0}}), table({7: {3: 2.0}, 9: {4: 8.0}})])
    expected = table({7: {1: 1.0, 3: 3.0}, 9: {3: 3.0, 4: 4.0}})
    assert {name: array.tolist() for name, array in found.items()} == {n: a.tolist() for n, a in expected.items()}


def test_equal_weights_of_several_keys_are_added_up_for_each_key():
    found = mean_weights([table({7: {1: 2.0}, 8: {1: 4.0}, 9: {1: 6.0}})] * 2)
    expected = table({7: {1: 2.0}, 8: {1: 4.0}, 9: {1: 6.0}})
    assert {name: array.tolist() for name, array in found.items()} == {n: a.tolist() for n, a in expected.items()}
