"""The weight tables against twenty obvious lines of Python."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.core._frozen import FrozenWeights, freeze
from plait.core._kernel import FrozenKernel, HashKernel, freeze_kernel
from plait.core._weights import Weights
from plait.core.tables import open_table


class SlowTable:
    """Weights and their average over all times, kept the slow way: every value at every time is summed."""

    def __init__(self):
        self.w = {}
        self.sum = {}
        self.times = 0

    def update(self, key, label, amount):
        self.w[key, label] = self.w.get((key, label), 0.0) + amount

    def tick(self):
        for place, value in self.w.items():
            self.sum[place] = self.sum.get(place, 0.0) + value
        self.times += 1

    def average(self, key, label):
        return self.sum.get((key, label), 0.0) / self.times


changes = st.lists(
    st.tuples(
        st.integers(1, 12).map(lambda k: k * 0x9E3779B97F4A7C15 % 2**64),
        st.integers(0, 8),
        st.sampled_from([-2.0, -1.0, -0.5, 0.25, 1.0]),
        st.booleans(),
    ),
    max_size=120,
)


def train(table, slow, steps):
    for key, label, amount, tick in steps:
        table.update(key, label, amount)
        slow.update(key, label, amount)
        if tick:
            table.tick()
            slow.tick()
    table.tick()
    slow.tick()


@given(changes)
def test_weights_equal_the_slow_table(steps):
    table, slow = Weights(9), SlowTable()
    train(table, slow, steps)
    for key, label, *_ in steps:
        assert table.get(key, label) == pytest.approx(slow.w[key, label], abs=1e-5)
    keys = np.array(sorted({key for key, *_ in steps}), dtype=np.uint64)
    expected = [sum(slow.w.get((int(k), label), 0.0) for k in keys) for label in range(9)]
    assert table.scores(keys) == pytest.approx(expected, abs=1e-4)


@given(changes)
def test_averages_equal_the_mean_over_all_times(steps):
    table, slow = Weights(9), SlowTable()
    train(table, slow, steps)
    keys, starts, labels, values, _ = table.export(averaged=True)
    exported = {
        (int(key), int(labels[j])): values[j] for i, key in enumerate(keys) for j in range(starts[i], starts[i + 1])
    }
    for key, label in slow.w:
        assert exported.get((key, label), 0.0) == pytest.approx(slow.average(key, label), abs=1e-4)


@given(changes, st.sampled_from([8, 16, 32]))
def test_frozen_scores_equal_the_averaged_weights_within_half_a_step(steps, bits):
    table, slow = Weights(9), SlowTable()
    train(table, slow, steps)
    keys, starts, labels, values, _ = table.export(averaged=True)
    frozen = freeze(keys, starts, labels, values, 9, bits)
    step = frozen.scale if bits < 32 else 1e-6
    for i, key in enumerate(keys):
        expected = np.zeros(9)
        expected[labels[starts[i] : starts[i + 1]]] = values[starts[i] : starts[i + 1]]
        assert frozen.scores(np.array([key], dtype=np.uint64)) == pytest.approx(expected, abs=step / 2 + 1e-7)
    unseen = np.array([12345, 0], dtype=np.uint64)
    assert not frozen.scores(unseen).any()


@given(changes)
def test_training_goes_on_from_an_export_as_if_it_had_not_stopped(steps):
    table = Weights(9)
    half = len(steps) // 2
    train(table, SlowTable(), steps[:half])
    arrays = table.export(averaged=False, zeros=True)
    again = Weights.restore(9, table.clock, *arrays)
    train(table, SlowTable(), steps[half:])
    train(again, SlowTable(), steps[half:])
    for mine, theirs in zip(table.export(), again.export(), strict=True):
        assert np.array_equal(mine, theirs)


def test_many_rows_survive_growth_of_index_and_rows():
    random = np.random.default_rng(5)
    keys = random.integers(1, 2**63, size=5000, dtype=np.uint64)
    table = Weights(40)
    expected = np.zeros((5000, 40), dtype=np.float32)
    for _ in range(40000):
        i, label = random.integers(5000), random.integers(40)
        table.update(int(keys[i]), int(label), 1.0)
        expected[i, label] += 1
    assert len(table) <= 5000
    assert np.array_equal(np.array([table.scores(keys[i : i + 1]) for i in range(5000)]), expected)
    frozen = freeze(*table.export(averaged=False)[:4], 40, 16)
    assert np.array_equal(np.array([frozen.scores(keys[i : i + 1]) for i in range(5000)]), expected)
    assert np.array_equal(frozen.scores(keys), expected.sum(0))


def test_keys_that_look_like_known_ones_to_the_filter_add_nothing():
    random = np.random.default_rng(6)
    known = random.integers(2**40, 2**63, size=3000, dtype=np.uint64)
    alike = known ^ np.uint64(1)  # the filter does not look at the low bits
    table = Weights(3)
    for key in known.tolist():
        table.update(key, 1, 1.0)
    assert table.scores(alike).tolist() == [0, 0, 0]
    assert table.scores(known).tolist() == [0, len(set(known.tolist())), 0]


@pytest.mark.parametrize("rows", [0, 1, 7, 300, 5000])
@pytest.mark.parametrize("bits", [8, 16])
def test_a_frozen_table_with_a_filter_scores_as_without_it(rows, bits):
    random = np.random.default_rng(8)
    known = np.unique(random.integers(1, 2**63, size=rows, dtype=np.uint64))
    starts = np.arange(len(known) + 1, dtype=np.int64)
    labels = random.integers(0, 6, len(known)).astype(np.uint16)
    arrays = known, starts, labels, random.integers(1, 90, len(known)).astype(np.float32)
    plain, filtered = freeze(*arrays, 6, bits), freeze(*arrays, 6, bits)
    filtered.filter_unknown()
    filtered.filter_unknown()  # a second time changes nothing
    unknown = random.integers(1, 2**63, size=400, dtype=np.uint64)
    asked = random.permutation(np.concatenate([known, unknown, np.zeros(9, dtype=np.uint64)]))
    expected = np.bincount(labels, weights=arrays[3], minlength=6)
    assert plain.scores(asked).tolist() == filtered.scores(asked).tolist() == expected.tolist()
    for i in range(0, len(known), 97):
        assert filtered.scores(known[i : i + 1])[labels[i]] == arrays[3][i]


def test_rows_are_added_in_the_order_of_their_keys():
    random = np.random.default_rng(7)
    known = random.integers(1, 2**63, size=300, dtype=np.uint64)
    table, weights = Weights(5), (random.normal(size=300) * 10.0 ** random.integers(-6, 6, 300)).astype(np.float32)
    for key, weight in zip(known.tolist(), weights.tolist(), strict=True):
        table.update(key, 2, weight)
    asked, expected = [], np.float32(0)
    for i in random.integers(0, 300, 1000):  # most keys of a search have no row, and some templates do not fire
        asked += [known[i], *random.integers(1, 2**63, int(i) % 5, dtype=np.uint64), np.uint64(0)]
        expected += weights[i]
    assert table.scores(np.array(asked, dtype=np.uint64))[2] == expected


@given(changes, st.sampled_from([8, 16, 32]))
@settings(deadline=None)
def test_the_hash_kernel_equals_the_slow_table_where_rows_do_not_meet(steps, bits):
    steps = [(key % 12 * 20 + 20, label, amount, tick) for key, label, amount, tick in steps]
    kernel, slow = HashKernel(9, 10), SlowTable()
    train(kernel, slow, steps)
    for key, label, *_ in steps:
        assert kernel.get(key, label) == pytest.approx(slow.w[key, label], abs=1e-5)
    values, _ = kernel.export(averaged=False)
    frozen = freeze_kernel(values, 9, bits)
    keys = np.array(sorted({key for key, *_ in steps}), dtype=np.uint64)
    tolerance = (frozen.scale / 2 if bits < 32 else 1e-6) * len(keys) + 1e-6
    assert frozen.scores(keys) == pytest.approx(kernel.scores(keys), abs=tolerance)


def test_the_hash_kernel_resumes():
    kernel = HashKernel(3, 8)
    kernel.update(5, 1, 0.5)
    kernel.tick()
    again = HashKernel.restore(3, kernel.clock, *kernel.export(averaged=False))
    for k in (kernel, again):
        k.update(5, 1, 1.0)
        k.tick()
    assert all(np.array_equal(a, b) for a, b in zip(kernel.export(), again.export(), strict=True))


def test_colliding_features_share_weights_in_the_kernel_and_not_in_the_exact_table():
    near, far = 300, 300 + 2**8
    kernel, exact = HashKernel(2, 8), Weights(2)
    for table in (kernel, exact):
        table.update(near, 1, 1.0)
    assert kernel.get(far, 1) == 1.0
    assert exact.get(far, 1) == 0.0


def bucket(*slots):
    """One bucket of an index: (fingerprint, place, dense) each."""
    marks = [mark for mark, _, _ in slots] + [0] * (8 - len(slots))
    return [*marks, *(place << 1 | dense for _, place, dense in slots), *[0] * (8 - len(slots))]


@pytest.mark.parametrize(
    ("index", "arena", "labels", "bits", "scale"),
    [
        ([bucket((7, 9, 0))], [1, 0, 5], 2, 16, 1.0),  # row outside the arena
        ([bucket((7, 0, 0))], [9, 0, 5], 2, 16, 1.0),  # row runs past the end
        ([bucket((7, 2, 1))], [1, 0, 5], 2, 16, 1.0),  # dense row runs past the end
        ([bucket((7, 0, 0))], [1, 7, 5], 2, 16, 1.0),  # no such label
        ([bucket(*[(k, 0, 0) for k in range(1, 9)])], [1, 0, 5], 2, 16, 1.0),  # no free slot: look-ups would never end
        (
            [bucket((0, 0, 0), *[(k, 0, 0) for k in range(1, 8)])],
            [1, 0, 5],
            2,
            16,
            1.0,
        ),  # nor with a hole before the end
        ([bucket((0, 0, 0), (7, 0, 0))], [1, 0, 5], 2, 16, 1.0),  # a slot behind a free one is never found
        ([bucket((7, 0, 0))], [1, 0, 5], 2, 16, 1e308),
        ([bucket((7, 0, 0))], [1, 0, 5], 2, 12, 1.0),  # unknown width
        ([bucket((7, 0, 0))], [1, 0, 5], 300, 8, 1.0),  # too many labels for 8 bits
        ([bucket((7, 0, 0))], [1, 0, 5], 2, 16, float("nan")),
        ([bucket((7, 0, 0))], [], 2, 16, 1.0),
        ([[1, 2, 3]], [1], 2, 16, 1.0),
    ],
)
def test_a_damaged_frozen_table_is_refused(index, arena, labels, bits, scale):
    with pytest.raises(ValueError):
        FrozenWeights(np.array(index, dtype=np.uint32), np.array(arena, dtype=np.uint16), labels, bits, scale, 1)


def test_a_kernel_of_odd_size_is_refused():
    with pytest.raises(ValueError, match="power of two"):
        FrozenKernel(np.zeros(1000, dtype=np.int16), 3, 16, 1.0)


def test_labels_and_keys_out_of_range_are_refused():
    table = Weights(3)
    with pytest.raises(IndexError):
        table.update(1, 3, 1.0)
    with pytest.raises(ValueError, match="did not fire"):
        table.update(0, 1, 1.0)
    with pytest.raises(ValueError):
        Weights(0)


def test_an_empty_table_freezes_and_scores_nothing():
    frozen = freeze(*Weights(4).export()[:4], 4, 8)
    assert len(frozen) == 0
    assert frozen.scores(np.array([1, 2, 3], dtype=np.uint64)).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("keys", "starts", "labels", "values"),
    [
        ([5, 5], [0, 1, 2], [0, 1], [1.0, 1.0]),  # a key twice
        ([7, 5], [0, 1, 2], [0, 1], [1.0, 1.0]),
        ([0], [0, 1], [0], [1.0]),
        ([5], [0, 9], [0], [1.0]),  # runs past the end
        ([5, 6], [0, -4, 1], [0], [1.0]),
        ([5], [0, 1], [4], [1.0]),  # no such label
        ([5], [0, 1], [0], [float("nan")]),
        ([5], [0, 1], [0, 1], [1.0]),
    ],
)
def test_unsound_rows_are_neither_frozen_nor_restored(keys, starts, labels, values):
    arrays = (
        np.array(keys, dtype=np.uint64),
        np.array(starts, dtype=np.int64),
        np.array(labels, dtype=np.uint16),
        np.array(values, dtype=np.float32),
    )
    with pytest.raises(ValueError):
        freeze(*arrays, 4, 16)
    with pytest.raises(ValueError):
        Weights.restore(4, 1.0, *arrays, np.zeros(len(values)))


def test_floats_of_a_frozen_table_are_added_in_the_order_of_their_keys():
    random = np.random.default_rng(3)
    keys = np.unique(random.integers(1, 2**63, size=200, dtype=np.uint64))
    rows = (random.normal(size=(len(keys), 9)) * 10.0 ** random.integers(-6, 6, (len(keys), 9))).astype(np.float32)
    rows[:, 2:] *= random.random((len(keys), 1)) < 0.5  # sparse and dense rows
    kept = [np.flatnonzero(row) for row in rows]
    values = np.concatenate([row[k] for row, k in zip(rows, kept, strict=True)])
    starts = np.cumsum([0, *map(len, kept)])
    frozen = freeze(keys, starts, np.concatenate(kept).astype(np.uint16), values, 9, 32)
    expected = np.zeros(9, dtype=np.float32)
    for row in rows:
        expected += row
    assert frozen.scores(keys).tolist() == expected.tolist()


def test_buckets_are_cache_lines():
    for features in (1, 50, 3000):
        keys = np.arange(1, features + 1, dtype=np.uint64)
        one = np.ones(features, dtype=np.float32)
        frozen = freeze(keys, np.arange(features + 1), np.zeros(features, np.uint16), one, 2, 16)
        opened = open_table(frozen.header(), frozen.arrays())
        for table in (frozen, opened):
            assert table.index.ctypes.data % 64 == 0
        shifted = np.zeros(frozen.index.size + 3, dtype=np.uint32)[3:].reshape(frozen.index.shape)
        shifted[:] = frozen.index
        other = FrozenWeights(shifted, frozen.arena, 2, 16, frozen.scale, frozen.salt)
        assert other.scores(keys).tolist() == [features, 0]


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("labels", [1, 7, 16, 17, 40, 131])
def test_sparse_and_dense_rows_add_up_exactly_in_any_mixture(labels, bits):
    random = np.random.default_rng(labels)
    rows = random.integers(-127, 128, size=(90, labels)) * (random.random((90, labels)) < random.random((90, 1)) ** 2)
    rows[0, 0] = 127  # the largest, so that one step is 1
    keys = np.sort(random.choice(2**40, size=90, replace=False).astype(np.uint64)) + np.uint64(1)
    kept = [np.flatnonzero(row) for row in rows]
    starts = np.cumsum([0, *map(len, kept)])
    values = np.concatenate([row[k] for row, k in zip(rows, kept, strict=True)]).astype(np.float32)
    frozen = freeze(keys, starts, np.concatenate(kept).astype(np.uint16), values, labels, bits)
    for count in (1, 2, 33, 90):
        chosen = random.permutation(90)[:count]
        assert np.array_equal(frozen.scores(keys[chosen]), rows[chosen].sum(0).astype(np.float32))


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("labels", [3, 40])
def test_features_with_equal_rows_share_one(labels, bits):
    random = np.random.default_rng(labels)
    kinds = [(random.random(labels) < p) * random.integers(1, 9, labels) for p in (0.1, 0.2, 0.3, 1.0)]
    keys = np.arange(1, 401, dtype=np.uint64)
    rows = [kinds[k % 4] for k in range(400)]
    filled = [np.flatnonzero(row) for row in rows]
    starts = np.concatenate([[0], np.cumsum([len(where) for where in filled])])
    numbers = np.concatenate(filled).astype(np.uint16)
    values = np.concatenate([row[where] for row, where in zip(rows, filled, strict=True)]).astype(np.float32)
    table = freeze(keys, starts, numbers, values, labels, bits)
    for key, row in zip(keys, rows, strict=True):
        assert table.scores(np.array([key])).tolist() == row.tolist()
    if bits < 32:
        assert len(table.arena) <= 4 * (2 * labels + 1)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 3.4e38, -3.4e38, 2.0**41])
@pytest.mark.parametrize("rows", ["sparse", "dense"])
def test_a_weight_that_could_overflow_a_sum_is_refused(bad, rows):
    labels = [0, 1, 2, 3] if rows == "dense" else [2]
    values = np.ones(len(labels), dtype=np.float32)
    width = 4 if rows == "dense" else 40
    table = freeze(np.array([7], np.uint64), np.array([0, len(labels)]), np.array(labels, np.uint16), values, width, 32)
    assert (table.index[0, 8] & 1) == (rows == "dense")
    arena = table.arena.copy()
    place = np.flatnonzero(arena == 0x3F80)[0] - 1  # the upper half of 1.0
    arena[place : place + 2] = np.array([bad], np.float32).view(np.uint16)
    with pytest.raises(ValueError, match="weight"):
        FrozenWeights(table.index, arena, width, 32, 1.0, table.salt)
    kernel = np.zeros(256 + 3, dtype=np.float32)
    kernel[5] = bad
    with pytest.raises(ValueError, match="weight"):
        FrozenKernel(kernel, 3, 32, 1.0)


@pytest.mark.parametrize("scale", [9e29, 3.0, 0.0, -1.0, 2.0**40, float("nan"), float("inf")])
@pytest.mark.parametrize("bits", [8, 16, 32])
def test_a_scale_that_freezing_would_not_choose_is_refused(scale, bits):
    index = np.array([bucket((7, 0, 0))], dtype=np.uint32)
    arena = np.array([1, 0, 5, 0], dtype=np.uint16)
    FrozenWeights(index, arena, 2, bits, 1.0, 1)
    with pytest.raises(ValueError, match="scale"):
        FrozenWeights(index, arena, 2, bits, scale, 1)
    with pytest.raises(ValueError, match="scale"):
        FrozenKernel(np.zeros(258), 2, bits, scale)


def test_the_largest_weights_can_be_frozen():
    for bits in (8, 16, 32):
        values = np.array([2.0**40], np.float32)
        table = freeze(np.array([7], np.uint64), np.array([0, 1]), np.array([1], np.uint16), values, 3, bits)
        assert table.scores(np.array([7], np.uint64))[1] == pytest.approx(2.0**40, rel=0.01)


def test_rows_that_overlap_are_refused():
    index = np.array([bucket((7, 0, 0), (8, 1, 0))], dtype=np.uint32)
    arena = np.array([2, 0, 1, 5, 5], dtype=np.uint16)
    with pytest.raises(ValueError, match="overlap"):
        FrozenWeights(index, arena, 3, 16, 1.0, 1)


def test_a_table_that_is_searched_from_end_to_end_is_refused():
    """All buckets but one are full: every look-up would go through them all."""
    full = bucket(*[(k, 0, 0) for k in range(1, 9)])
    index = np.array([full] * 2000 + [bucket((9, 0, 0))], dtype=np.uint32)
    arena = np.array([1, 0, 5], dtype=np.uint16)
    with pytest.raises(ValueError, match="full"):
        FrozenWeights(index, arena, 2, 16, 1.0, 1)
    FrozenWeights(np.array([full] * 500 + [bucket((9, 0, 0))] + [full] * 500, dtype=np.uint32), arena, 2, 16, 1.0, 1)


def test_checking_takes_time_by_the_size_of_the_file():
    """Many slots for one long row: it is looked at once."""
    labels = 60_000
    arena = np.concatenate([[labels], np.arange(labels), np.zeros(labels)]).astype(np.uint16)
    index = np.array([bucket(*[(k, 0, 0) for k in range(1, 8)])] * 20_000, dtype=np.uint32)
    started = time.perf_counter()
    FrozenWeights(index, arena, labels, 16, 1.0, 1)
    assert time.perf_counter() - started < 2
