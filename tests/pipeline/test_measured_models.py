"""How fast a model is, what the shipped ones say of themselves, and the threads that share the work."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from pretend import Pretend, PretendSegmenter, pretend_model

from plait import Document, Sentence
from plait.core.ahead import usable_cores
from plait.errors import DataError
from plait.pipeline import shipped as shipped_module
from plait.pipeline import speed as speed_module
from plait.pipeline import streams
from plait.pipeline.shipped import describe_shipped
from plait.pipeline.speed import LengthSpeed, Speed, measure_speed, peak_memory
from plait.pipeline.streams import in_order, size_of


@pytest.fixture
def clock(monkeypatch):
    """Every look at the clock is half a second after the last."""
    times = iter(range(10**6))
    monkeypatch.setattr(speed_module, "perf_counter", lambda: 10 + next(times) / 2)


def test_the_first_pass_gives_the_curve_and_the_others_the_rate(clock, monkeypatch):
    monkeypatch.setattr(speed_module, "peak_memory", lambda: 77)
    nlp = pretend_model(PretendSegmenter())
    tracked = []

    def track(items, label):
        tracked.append((list(items), label))
        return items

    units = ["a b . c", "d", " ".join("x" * 12)]
    found = measure_speed(nlp, units, runs=2, threads=2, track=track)
    assert tracked == [(units, "warm-up")]
    assert (found.units, found.sentences, found.words, found.threads) == (3, 4, 17, 2)
    assert found.runs == (0.5, 0.5)
    assert found.peak_memory == 77
    assert found.by_length == (LengthSpeed("1–10", 2, 500.0, 5.0), LengthSpeed("11–20", 1, 500.0, 24.0))
    assert len(nlp.system.calls) == 9
    assert measure_speed(nlp, iter(units)).threads == 1
    assert len(measure_speed(nlp, units).runs) == 3


def test_the_rate_is_that_of_so_many_threads():
    nlp, asked = pretend_model(), []
    nlp.pipe = lambda units, threads: asked.append((units, threads)) or []
    measure_speed(nlp, ["a"], runs=2, threads=5)
    assert asked == [(["a"], 5)] * 2


def test_there_must_be_something_to_measure():
    with pytest.raises(DataError, match=r"^nothing to analyse; expected at least one sentence$"):
        measure_speed(pretend_model(), [])


def test_units_are_grouped_by_their_length():
    lengths = [0, 1, 10, 11, 40, 41, 60, 61, 100, 101, 5000]
    rows = speed_module._by_length(lengths, [1.0] * len(lengths))
    assert [(row.words, row.units) for row in rows] == [
        ("1–10", 2), ("11–20", 1), ("31–40", 1), ("41–60", 2), ("61–100", 2), ("101+", 2),
    ]  # fmt: skip
    assert rows[0] == LengthSpeed("1–10", 2, 1000.0, 5.5)
    (immediate,) = speed_module._by_length([4], [0.0])
    assert immediate.words_per_second == pytest.approx(4e9)


def test_rates_are_those_of_the_median_run():
    speed = Speed(3, 6, 30, 2, (1.0, 4.0, 2.0), (LengthSpeed("1–10", 3, 5.0, 6.0),), None)
    assert (speed.seconds, speed.sentences_per_second, speed.words_per_second) == (2.0, 3.0, 15.0)
    assert speed.to_dict() == {
        "units": 3, "sentences": 6, "words": 30, "threads": 2, "runs": [1.0, 4.0, 2.0], "seconds": 2.0,
        "sentences_per_second": 3.0, "words_per_second": 15.0,
        "by_length": [{"words": "1–10", "units": 3, "milliseconds": 5.0, "words_per_second": 6.0}],
        "peak_memory": None,
    }  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="the system does not tell")
def test_memory_is_counted_in_bytes_whatever_the_system_counts_in(monkeypatch):
    import resource

    asked = []
    monkeypatch.setattr(resource, "getrusage", lambda who: asked.append(who) or SimpleNamespace(ru_maxrss=1000))
    for platform, held in (("linux", 1_024_000), ("darwin", 1000)):
        monkeypatch.setattr(sys, "platform", platform)
        assert peak_memory() == held
    assert asked == [resource.RUSAGE_SELF] * 2


def test_memory_is_not_known_everywhere(monkeypatch):
    monkeypatch.setitem(sys.modules, "resource", None)
    assert peak_memory() is None


def test_shipped_models_are_described_by_their_headers(monkeypatch, tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    (tmp_path / "b").write_bytes(b"123")
    models = {
        "a": pretend_model(PretendSegmenter(), training={"test": {"las": 1.0}, "dev": {"las": 2.0}}, licence="CC0"),
        "b": pretend_model(Pretend(fills=("heads",)), training={"dev": {"las": 3.0}}, attribution="me"),
        "c": pretend_model(Pretend(fills=("heads",))),
    }
    monkeypatch.setattr(shipped_module, "shipped", lambda: {"a": tmp_path / "a", "b": tmp_path / "b", "c": Path()})
    monkeypatch.setattr(shipped_module, "load", models.__getitem__)
    one, two, three = describe_shipped()
    assert one.to_dict() == {
        "name": "a", "system": "pretend-segmenter", "predicts": ["sentences", "words", "upos"],
        "scores": {"las": 1.0}, "bytes": 5, "licence": "CC0", "attribution": "",
    }  # fmt: skip
    assert (two.name, two.predicts, two.scores, two.bytes, two.attribution) == (
        "b", ("heads",), {"las": 3.0}, 3, "me",
    )  # fmt: skip
    assert three.scores == {}


def test_cores_are_those_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {3, 5, process}, raising=False)
    assert usable_cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert usable_cores() == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_cores() == 1


@pytest.mark.parametrize(
    ("item", "size"),
    [("abc", 3), ("", 0), ((3, "abcd"), 4), ((1, (2, "ab")), 2), (("abcde",), 5),
     (Document([Sentence(["a", "b"])]), 10), (Sentence(["a", "b", "c"]), 15), (["a"], 100), ((), 100), (7, 100)],
)  # fmt: skip
def test_the_size_of_inputs_is_told_in_characters(item, size):
    assert size_of(item) == size


def test_batches_end_where_they_are_full(monkeypatch):
    monkeypatch.setattr(streams, "BATCH_SIZE", 10)
    source = iter("abcdefgh")
    assert streams._take(source, 3, lambda item: 1) == (["a", "b", "c"], None)
    assert streams._take(source, 9, lambda item: 5) == (["d", "e", "f"], None)
    assert streams._take(source, 9, lambda item: 1) == (["g", "h"], None)
    assert streams._take(source, 9, lambda item: 1) == ([], None)


def test_a_batch_that_is_cut_short_is_given_with_the_error():
    def source():
        yield 1
        raise KeyError("two")

    items, fault = streams._take(source(), 5, lambda item: 1)
    assert items == [1]
    assert repr(fault) == "KeyError('two')"


@pytest.mark.parametrize("threads", [0, 1, 2, 4])
def test_results_come_in_order_with_any_number_of_threads(threads):
    assert list(in_order(str, range(200), threads, 3)) == [str(k) for k in range(200)]
    assert list(in_order(str, [], threads)) == []
    assert list(in_order(len, iter(["aa", "b"]), threads)) == [2, 1]


@pytest.mark.parametrize("threads", [1, 3])
def test_what_is_done_together_is_done_one_by_one_after_a_fault(threads):
    blocks = []

    def together(numbers):
        blocks.append(numbers)
        return [one(number) for number in numbers]

    def one(number):
        if number == 7:
            raise KeyError(number)
        return str(number)

    assert list(in_order(one, range(6), threads, 4, together=together)) == ["0", "1", "2", "3", "4", "5"]
    assert sorted(blocks) == [[0, 1, 2, 3], [4, 5]]
    assert list(in_order(one, [], threads, 4, together=together)) == []
    found = []
    with pytest.raises(KeyError):
        found.extend(in_order(one, range(20), threads, 4, together=together))
    assert found == ["0", "1", "2", "3", "4", "5", "6"]


@pytest.mark.parametrize("threads", [1, 3])
def test_what_was_read_before_a_fault_of_the_source_is_given(threads):
    def source():
        yield from range(5)
        raise KeyError("five")

    found = []
    with pytest.raises(KeyError):
        found.extend(in_order(str, source(), threads, 4, together=lambda numbers: [*map(str, numbers)]))
    assert found == ["0", "1", "2", "3", "4"]


def test_a_block_is_read_only_when_it_is_needed():
    taken = []
    results = in_order(str, (taken.append(k) or k for k in range(9)), 1, 4, together=lambda ks: [*map(str, ks)])
    assert next(results) == "0"
    assert taken == [0, 1, 2, 3]


def test_there_are_as_many_threads_as_were_asked_for(monkeypatch):
    import concurrent.futures

    asked = []
    plain = concurrent.futures.ThreadPoolExecutor
    monkeypatch.setattr(concurrent.futures, "ThreadPoolExecutor", lambda count: asked.append(count) or plain(count))
    assert list(in_order(str, range(3), 2)) == ["0", "1", "2"]
    assert asked == [2]


def test_an_error_in_the_work_of_a_thread_is_raised():
    def fail(number):
        if number == 7:
            raise KeyError(number)
        return number

    found = []
    with pytest.raises(KeyError):
        found.extend(in_order(fail, range(20), 2, 1))
    assert found == list(range(7))


def test_only_so_many_batches_wait():
    taken = []

    def source():
        for number in range(100):
            taken.append(number)
            yield number

    results = in_order(str, source(), 2, 1)
    assert next(results) == "0"
    assert len(taken) == 5
    assert next(results) == "1"
    assert len(taken) == 6
    results.close()
