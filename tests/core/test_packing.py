"""Packed tables: what comes back scores the same, is as small as it should be, and no bytes lead astray."""

import numpy as np
import pytest

from plait.core._entropy import frequencies
from plait.core._frozen import FrozenWeights, freeze, open_packed
from plait.core._packing import is_packable, pack
from plait.core._unpacking import unpack
from plait.core.tables import open_table
from plait.errors import ModelError

FIELDS = ("features", "buckets", "units", "shared", "context", "models", "contexts", "rest", "slots", "labels")


def table(seed, features, labels, bits, *, share=0.5, longest=None):
    """Rows of random weights; many features have one of a few rows, as in a trained model."""
    random = np.random.default_rng(seed)
    keys = np.unique(random.integers(1, 2**63, features, dtype=np.uint64))
    common = [row(random, labels, longest) for _ in range(7)]
    rows = [common[random.integers(7)] if random.random() < share else row(random, labels, longest) for _ in keys]
    starts = np.concatenate([[0], np.cumsum([len(found) for found, _ in rows])]).astype(np.int64)
    found = np.concatenate([r[0] for r in rows] or [np.zeros(0)]).astype(np.uint16)
    values = np.concatenate([r[1] for r in rows] or [np.zeros(0)]).astype(np.float32)
    return keys, freeze(keys, starts, found, values, labels, bits)


def row(random, labels, longest):
    count = int(random.integers(1, min(labels, longest or labels) + 1))
    found = np.sort(random.choice(labels, count, replace=False))
    return found, np.rint(random.normal(0, 3, count)) + random.choice([-0.5, 0.5], count)


def again(frozen):
    packed = pack(frozen.index, frozen.arena, frozen.labels, frozen.bits)
    return packed, open_packed(packed, frozen.labels, frozen.bits, frozen.scale, frozen.salt)


def same_scores(one, other, keys):
    for key in keys:
        alone = np.array([key], dtype=np.uint64)
        assert one.scores(alone).tobytes() == other.scores(alone).tobytes()


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("labels", [1, 2, 8, 9, 17, 104, 256, 257, 900])
@pytest.mark.parametrize("features", [0, 1, 9, 300])
def test_a_packed_table_scores_the_same(bits, labels, features):
    if bits == 8 and labels > 256:
        pytest.skip("8 bits hold at most 256 labels")
    keys, frozen = table(features + labels, features, labels, bits, longest=40)
    packed, opened = again(frozen)
    same_scores(frozen, opened, [*keys.tolist(), *range(1, 50)])
    assert len(opened) == len(frozen)
    assert len(opened.arena) == len(frozen.arena)
    assert np.array_equal(np.sort(opened.index[:, :8], axis=1), np.sort(frozen.index[:, :8], axis=1))
    repacked, _ = again(opened)
    assert repacked.tobytes() == packed.tobytes()


@pytest.mark.parametrize("seed", range(12))
def test_random_tables_come_back(seed):
    random = np.random.default_rng(seed)
    bits = int(random.choice([8, 16, 32]))
    labels = int(random.integers(1, 257 if bits == 8 else 400))
    keys, frozen = table(seed, int(random.integers(1, 2000)), labels, bits, share=random.random())
    same_scores(frozen, open_table(frozen.header(), frozen.arrays()), keys.tolist())


def sparse(arena, places, bits=16, labels=4):
    """A table of one bucket, with these rows for the fingerprints 10, 11, …, in that order, and its twin."""
    index = np.zeros((1, 16), dtype=np.uint32)
    index[0, : len(places)] = 10 + np.arange(len(places))
    index[0, 8 : 8 + len(places)] = places
    frozen = FrozenWeights(index, np.array(arena, dtype=np.uint16), labels, bits, 1.0, 1)
    return frozen, again(frozen)[1]


@pytest.mark.parametrize(
    ("bits", "entries"),
    [
        (16, [3, 2, 0, 2, 5, 0xFFFF, 0x8000]),  # labels that descend and repeat, the smallest weight
        (16, [0]),
        (8, [4, 0x0305, 0x0080, 0x03FF, 0x017F]),
        (32, [2, 3, 1, 0x0000, 0x8000, 0xABCD, 0x3F80]),  # −0.0
    ],
)
def test_sparse_rows_come_back_as_they_are(bits, entries):
    _, opened = sparse([*entries], [0], bits)
    assert opened.arena.tolist() == entries
    many, opened = sparse([*entries], [0], bits, 256 if bits == 8 else 5000)
    assert opened.arena.tolist() == entries
    assert many.labels == opened.labels


def test_a_dense_row_keeps_all_its_bits():
    frozen, opened = sparse([0, 0x8000, 0, 0, 0xBEEF, 0x3F80, 1, 0], [1], 32)
    assert opened.arena.tolist() == frozen.arena.tolist()


def test_shared_rows_stay_shared_and_come_first():
    _, opened = sparse([1, 2, 7, 1, 3, 8, 1, 1, 9], [0, 6, 12, 12, 6, 12])
    assert opened.index[0, 8:14].tolist() == [12, 6, 0, 0, 6, 0]
    assert opened.arena.tolist() == [1, 1, 9, 1, 3, 8, 1, 2, 7]


def test_fingerprints_are_sorted_in_their_bucket_and_stay_there():
    index = np.zeros((2, 16), dtype=np.uint32)
    index[0, :3], index[0, 8:11] = [0xFFFFFFFF, 1, 0x01000000], [0, 6, 0]
    index[1, :2], index[1, 8:10] = [7, 3], [6, 6]
    frozen = FrozenWeights(index, np.array([1, 2, 7, 1, 0, 8], dtype=np.uint16), 4, 16, 1.0, 1)
    _, opened = again(frozen)
    assert opened.index[:, :4].tolist() == [[1, 0x01000000, 0xFFFFFFFF, 0], [3, 7, 0, 0]]
    weight = {place: opened.arena[(place >> 1) + 2] for place in set(opened.index[:, 8:].flat)}
    assert [weight[p] for p in opened.index[0, 8:11]] == [8, 7, 7]
    assert [weight[p] for p in opened.index[1, 8:10]] == [8, 8]


def test_a_packed_table_takes_little_more_than_its_entropy():
    """20,000 features in rows of one weight: 3 bits for one of 8 labels, 4 for one of 16 weights, 30.4 for the key."""
    random = np.random.default_rng(5)
    keys = np.unique(random.integers(1, 2**63, 20_000, dtype=np.uint64))
    values = random.integers(1, 17, len(keys)).astype(np.float32)
    found = random.integers(0, 8, len(keys)).astype(np.uint16)
    frozen = freeze(keys, np.arange(len(keys) + 1), found, values, 40, 8)
    packed, opened = again(frozen)
    assert len(packed) < 1.01 * len(keys) * (32 + np.log2(np.e * len(frozen.index) / len(keys)) + 3 + 4) / 8 + 1000
    assert 1.9 * len(packed) < frozen.index.nbytes + frozen.arena.nbytes
    assert opened.index.shape == frozen.index.shape


def test_labels_are_coded_in_the_context_of_those_before_them():
    """Rows of two labels, the second of which follows from the first, cost no more than rows of one."""
    random = np.random.default_rng(6)
    keys = np.unique(random.integers(1, 2**63, 20_000, dtype=np.uint64))
    first = random.integers(0, 100, len(keys))
    both = np.stack([first, first + 100], axis=1).astype(np.uint16)
    values = np.tile([1.0, 2.0], len(keys)).astype(np.float32)
    # 32 bits: equal rows are not shared
    two = freeze(keys, 2 * np.arange(len(keys) + 1), both.reshape(-1), values, 200, 32)
    one = freeze(keys, np.arange(len(keys) + 1), both[:, 0].copy(), values[::2].copy(), 200, 32)
    assert len(again(two)[0]) - 4 * len(keys) < len(again(one)[0]) + 4000


@pytest.mark.parametrize("seed", range(5))
def test_frequencies_add_up_and_none_is_zero(seed):
    random = np.random.default_rng(seed)
    for counts in (random.integers(0, 5, 256), random.zipf(1.3, 256) % 10**9, np.full(256, 7), np.eye(256)[3] * 10**9):
        counts = np.asarray(counts, dtype=np.int64)
        found = frequencies(counts)
        assert found.sum() == 2048
        assert ((found > 0) == (counts > 0)).all()
    counts = np.concatenate([random.integers(10**3, 10**6, 30), np.zeros(226, dtype=np.int64)])
    cost = -(counts[:30] * np.log2(frequencies(counts)[:30] / 2048)).sum()
    least = -(counts[:30] * np.log2(counts[:30] / counts.sum())).sum()
    assert cost <= 1.001 * least
    assert frequencies(np.zeros(256)).sum() == 0


@pytest.mark.parametrize(
    ("field", "number", "words"),
    [
        ("features", 2**32 - 1, "cut off"),
        ("features", 0, "larger than its features allow|more features|cut off"),
        ("buckets", 2**32 - 1, "larger than its features allow"),
        ("buckets", 0, "no index"),
        ("units", 2**32 - 1, "larger than its features allow"),
        ("units", 5, "more rows than there is space for"),
        ("shared", 2**32 - 1, "larger than its features allow"),
        ("context", 2, "contexts that this version does not read"),
        ("models", 2**32 - 1, "cut off"),
        ("contexts", 2**32 - 1, "cut off"),
        ("rest", 2**32 - 1, "cut off"),
        ("slots", 2**32 - 1, "cut off"),
        ("labels", 2**32 - 1, "cut off"),
        ("models", 0, "frequencies"),
    ],
)
def test_forged_fields_are_refused(field, number, words):
    _, frozen = table(3, 400, 17, 8)
    packed = pack(frozen.index, frozen.arena, 17, 8).copy()
    packed[:40].view("<u4")[FIELDS.index(field)] = number
    with pytest.raises(ModelError, match=f"damaged weight table: the packed table .*({words})"):
        open_table({"kind": "packed", **_numbers(frozen)}, {"packed": packed})


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("change", [-1, 1])
def test_a_field_that_is_off_by_one_is_refused(field, change):
    _, frozen = table(3, 400, 17, 8)
    packed = pack(frozen.index, frozen.arena, 17, 8).copy()
    fields = packed[:40].view("<u4")
    fields[FIELDS.index(field)] = (int(fields[FIELDS.index(field)]) + change) % 2**32
    with pytest.raises(ValueError, match=r"packed table|weight table"):
        open_packed(packed, 17, 8, frozen.scale, frozen.salt)


def _numbers(frozen):
    return {name: getattr(frozen, name) for name in ("labels", "bits", "scale", "salt")}


@pytest.mark.parametrize(("labels", "bits"), [(17, 8), (104, 8), (17, 16), (300, 16), (5, 32), (300, 32)])
def test_damaged_bytes_are_refused_or_a_table_like_any_other(labels, bits):
    """Digests are checked before: this is what somebody could do who knows the format."""
    keys, frozen = table(labels, 200, labels, bits, longest=20)
    packed = pack(frozen.index, frozen.arena, labels, bits)
    random = np.random.default_rng(7)
    refused = 0
    for _ in range(600):
        damaged = packed.copy()
        for place in random.integers(0, len(packed), random.choice([1, 1, 2, 20])):
            damaged[place] = random.choice([0, 1, 255, random.integers(256), damaged[place] ^ 1])
        if random.random() < 0.2:
            damaged = damaged[: random.integers(0, len(damaged) + 1)]
        try:
            opened = open_packed(damaged, labels, bits, frozen.scale, frozen.salt)
        except ValueError:
            refused += 1
            continue
        FrozenWeights(opened.index, opened.arena, labels, bits, frozen.scale, frozen.salt)  # checks the rows as well
        assert np.isfinite(opened.scores(keys)).all()
    assert 0 < refused < 600


def test_every_truncation_is_refused():
    _, frozen = table(1, 60, 17, 8)
    packed = pack(frozen.index, frozen.arena, 17, 8)
    for cut in range(len(packed)):
        with pytest.raises(ValueError, match=r"packed table"):
            unpack(packed[:cut], 17, 8)
    with pytest.raises(ValueError, match="streams of another length"):
        unpack(np.concatenate([packed, packed[:4]]), 17, 8)


@pytest.mark.parametrize(("labels", "bits"), [(16, 8), (104, 8), (17, 16), (0, 8), (257, 8), (70000, 16), (17, 7)])
def test_another_shape_than_it_was_packed_with_is_refused_or_sound(labels, bits):
    keys, frozen = table(2, 300, 17, 8)
    packed = pack(frozen.index, frozen.arena, 17, 8)
    try:
        opened = open_packed(packed, labels, bits, frozen.scale, frozen.salt)
    except ValueError:
        return
    assert np.isfinite(opened.scores(keys)).all()


def test_a_small_file_cannot_ask_for_much_memory():
    assert is_packable(1000, 150, 60_000)
    assert not is_packable(1000, 1009, 60_000)
    assert not is_packable(1000, 150, 129_537)
    assert not is_packable(0, 9, 1)


def test_tables_out_of_proportion_and_tiny_ones_are_stored_as_they_are():
    _, tiny = table(1, 5, 3, 8)
    assert tiny.header()["kind"] == "rows"
    keys = np.arange(1, 1400, dtype=np.uint64)
    full = np.tile(np.arange(100, dtype=np.uint16), len(keys))
    values = np.random.default_rng(1).normal(0, 1, len(full)).astype(np.float32)
    for bits, kind in ((32, "rows"), (8, "packed")):
        frozen = freeze(keys, 100 * np.arange(len(keys) + 1), full, values, 100, bits)
        assert frozen.header()["kind"] == kind
        same_scores(frozen, open_table(frozen.header(), frozen.arrays()), keys[:50].tolist())


@pytest.mark.parametrize("packed", [np.zeros((4, 60), np.uint8), np.zeros(200, np.uint16), np.zeros(0, np.uint8)])
def test_another_array_than_a_packed_one_is_refused(packed):
    _, frozen = table(1, 60, 17, 8)
    with pytest.raises(ModelError, match=r"damaged weight table: (arrays of another type|the packed table is cut off)"):
        open_table({"kind": "packed", **_numbers(frozen)}, {"packed": packed})


def test_weights_that_are_not_numbers_are_refused():
    keys, frozen = table(4, 400, 5, 32)
    arena = frozen.arena.copy()
    arena[np.flatnonzero(frozen.arena >= 0x3F00)[:50]] = 0x7FC0
    packed = pack(frozen.index, arena, 5, 32)
    with pytest.raises(ValueError, match="not finite"):
        open_packed(packed, 5, 32, 1.0, frozen.salt)
    assert len(keys) == 400
