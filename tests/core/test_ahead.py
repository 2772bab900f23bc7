"""Tables that are unpacked by other threads before they are asked for."""

import os
import threading
from collections import deque

import numpy as np
import pytest

import plait
from plait.core import _frozen, ahead
from plait.core._frozen import freeze
from plait.core.tables import open_table
from plait.errors import ModelError

KEYS = np.sort(np.random.default_rng(0).integers(0, 2**63, 500, dtype=np.uint64))


@pytest.fixture
def table():
    random = np.random.default_rng(1)
    labels = np.tile(np.arange(3, dtype=np.uint16), 500)
    return freeze(KEYS, np.arange(0, 1501, 3), labels, random.normal(size=1500).astype(np.float32), 5, 8)


@pytest.fixture
def begun(monkeypatch):
    """The tables that threads were given."""
    seen = []
    real = _frozen.open_packed

    def watched(packed, *rest):
        seen.append(packed.nbytes)
        return real(packed, *rest)

    monkeypatch.setattr(_frozen, "open_packed", watched)
    monkeypatch.setattr(ahead, "WORTH_A_THREAD", 100)
    return seen


def test_a_table_is_unpacked_once_and_the_same_as_without_threads(table, begun):
    arrays = {"parser.tagger.0.arcs.packed": table.arrays()["packed"]}
    header = {"parser": {"tagger": {"models": [{"tables": {"arcs": table.header()}}]}}}
    with ahead.opening_ahead(header, arrays):
        found = open_table(table.header(), {"packed": arrays["parser.tagger.0.arcs.packed"]})
        assert len(begun) == 1
        assert open_table(table.header(), {"packed": arrays["parser.tagger.0.arcs.packed"]}) is found
        with pytest.raises(ModelError):  # another number of labels is another table
            open_table(table.header() | {"labels": 2}, {"packed": arrays["parser.tagger.0.arcs.packed"]})
    assert not ahead._opening
    later = open_table(table.header(), {"packed": arrays["parser.tagger.0.arcs.packed"]})
    assert later is not found
    assert np.array_equal(found.index, later.index)
    assert np.array_equal(found.arena, later.arena)
    assert np.array_equal(found.scores(KEYS), table.scores(KEYS))


def test_the_same_bytes_can_be_opened_twice_at_once(table, begun):
    header, packed = {"tables": {"t": table.header()}}, table.arrays()["packed"]
    with ahead.opening_ahead(header, {"t.packed": packed}):
        with ahead.opening_ahead(header, {"t.packed": packed}):
            found = open_table(table.header(), {"packed": packed})
        assert len(ahead._opening) == 1  # the first one's still
        assert open_table(table.header(), {"packed": packed}) is found
        (given_up,) = ahead._opening.values()
    assert not ahead._opening
    assert given_up.done()


def test_what_was_given_up_elsewhere_is_opened_here(table, begun):
    from concurrent.futures import Future

    packed = table.arrays()["packed"]
    header = table.header()
    key = ahead._key(packed, *(header[name] for name in ("labels", "bits", "scale", "salt")))
    ahead._opening[key] = Future()
    ahead._opening[key].cancel()
    try:
        assert np.array_equal(open_table(header, {"packed": packed}).scores(KEYS), table.scores(KEYS))
    finally:
        del ahead._opening[key]


def made(rows, labels):
    """A table of so many rows."""
    values = np.random.default_rng(rows).normal(size=3 * rows).astype(np.float32)
    each = np.tile(np.arange(3, dtype=np.uint16), rows)
    return freeze(KEYS[:rows], np.arange(0, 3 * rows + 1, 3), each, values, labels, 8)


def test_the_largest_tables_wherever_they_are_come_first(begun, monkeypatch):
    order = []
    monkeypatch.setattr(ahead, "_unpack_all", lambda work: order.extend(each[1].nbytes for each in work))
    monkeypatch.setattr(ahead, "MAX_THREADS", 1)
    tables = {"a": made(300, 3), "b": made(500, 4), "0.c": made(350, 5), "1.d": made(450, 6), "small": made(250, 3)}
    arrays = {f"{name}.packed": table.arrays()["packed"] for name, table in tables.items()}
    sizes = sorted((array.nbytes for name, array in arrays.items() if name != "small.packed"), reverse=True)
    monkeypatch.setattr(ahead, "WORTH_A_THREAD", sizes[-1])  # just worth it
    header = {
        "tables": {"a": tables["a"].header(), "small": tables["small"].header(), "b": tables["b"].header()},
        "models": [
            {"tables": {"c": tables["0.c"].header()}},
            {"d": tables["1.d"].header(), "gone": tables["a"].header()},
        ],
    }
    with ahead.opening_ahead(header, arrays):
        pass
    assert order == sizes


def test_threads_unpack_what_nobody_has_asked_for_yet(table, begun):
    with ahead.opening_ahead({"tables": {"t": table.header()}}, {"t.packed": table.arrays()["packed"]}):
        (future,) = ahead._opening.values()
        assert np.array_equal(future.result(timeout=60).scores(KEYS), table.scores(KEYS))


def test_what_no_thread_has_come_to_is_unpacked_here_once(table, begun, monkeypatch):
    monkeypatch.setattr(ahead, "_unpack_all", lambda work: None)
    packed = table.arrays()["packed"]
    with ahead.opening_ahead({"tables": {"t": table.header()}}, {"t.packed": packed}):
        found = open_table(table.header(), {"packed": packed})
        assert open_table(table.header(), {"packed": packed}) is found
    assert len(begun) == 1


@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (2, 1), (3, 2), (8, 2), (None, 1)])
def test_threads_leave_a_core_to_whoever_asks(cores, threads, monkeypatch):
    if cores is not None:
        monkeypatch.setattr("os.sched_getaffinity", lambda _: range(cores), raising=False)
        assert ahead._spare_cores() == threads
    monkeypatch.delattr("os.sched_getaffinity", raising=False)  # as on other systems than Linux
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    assert ahead._spare_cores() == threads


def test_a_damaged_table_is_reported_by_whoever_opens_it(table, begun):
    packed = table.arrays()["packed"].copy()
    packed[40:] = 255
    with ahead.opening_ahead({"tables": {"t": table.header()}}, {"t.packed": packed}):
        with pytest.raises(ModelError, match="damaged weight table"):
            open_table(table.header(), {"packed": packed})
        assert len(begun) == 1
    assert not ahead._opening


@pytest.mark.parametrize(
    "change",
    [{"labels": "5"}, {"bits": True}, {"scale": None}, {"salt": 1.0}, {"kind": "rows"}],
)
def test_headers_that_say_something_else_are_left_alone(table, begun, change):
    header = {"tables": {"t": table.header() | change}, "note": ["text", 3, None]}
    with ahead.opening_ahead(header, {"t.packed": table.arrays()["packed"]}):
        assert not ahead._opening
    with ahead.opening_ahead({"tables": {"t": table.header()}}, {"t.packed": table.arrays()["packed"][None, :]}):
        assert not ahead._opening
    with ahead.opening_ahead({"tables": {"other": table.header()}}, {"t.packed": table.arrays()["packed"]}):
        assert not ahead._opening
    assert begun == []


def test_a_forged_header_may_be_deep():
    header: dict = {}
    part = header
    for _ in range(5000):
        part["a"] = part = {}
    with ahead.opening_ahead(header, {}):
        assert not ahead._opening


def test_small_tables_are_not_worth_a_thread(table):
    arrays = {"t.packed": table.arrays()["packed"]}
    assert arrays["t.packed"].nbytes < ahead.WORTH_A_THREAD
    with ahead.opening_ahead({"tables": {"t": table.header()}}, arrays):
        assert not ahead._opening


def test_the_large_tables_of_a_shipped_model_are_found(begun):
    """All but those that are the same as another: names in the header lead to the arrays."""
    from plait.models import shipped
    from plait.system.modelfile import open_model

    path = shipped()["en"]
    _, arrays = open_model(path)
    packed = {(a.ctypes.data, a.nbytes) for name, a in arrays.items() if name.endswith(".packed") and a.nbytes >= 100}
    plait.load(path)
    assert sorted(begun) == sorted(size for _, size in packed)


def test_who_needs_a_table_that_no_thread_has_begun_does_not_wait(table, begun, monkeypatch):
    waiting = threading.Event()
    first, second = table.arrays()["packed"], table.arrays()["packed"].copy()
    real = _frozen.open_packed

    def slow(packed, *rest):
        if packed is first:
            assert waiting.wait(10)
        return real(packed, *rest)

    monkeypatch.setattr(_frozen, "open_packed", slow)
    monkeypatch.setattr(ahead, "_spare_cores", lambda: 1)
    header = {"tables": {"t": table.header(), "u": table.header()}}
    with ahead.opening_ahead(header, {"t.packed": first, "u.packed": second}):
        found = open_table(table.header(), {"packed": second})  # the only thread is at the other one
        assert open_table(table.header(), {"packed": second}) is found
        waiting.set()
        assert np.array_equal(open_table(table.header(), {"packed": first}).scores(KEYS), found.scores(KEYS))
    assert not ahead._opening


@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (2, 1), (3, 2), (64, 2)])
def test_one_core_is_left_for_the_thread_that_asks(cores, threads, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)), raising=False)
    assert ahead._spare_cores() == threads


def test_a_thread_that_comes_too_late_for_the_last_table_ends():
    class JustEmptied(deque):
        def __bool__(self):
            return True

    ahead._unpack_all(JustEmptied())
