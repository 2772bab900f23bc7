"""On a real local Ray cluster: the callable as an actor pool, the engine of plait annotate, killed workers."""

import json
import os
import signal
import sys
from pathlib import Path

import pytest

import plait
from plait.integrations import Annotator
from plait.integrations.bulk import annotate_files
from plait.integrations.bulk.cluster import run_ray
from plait.integrations.bulk.partitions import Cut, Outcome, Partition

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'plait[ray]'")
ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'plait[ray]'")

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # Ray's own
    pytest.mark.skipif(os.name == "nt", reason="workers are killed by a signal that Windows does not have"),
]

TEXTS = ["Mary sees a book .", None, "Dogs bark .\nThe cat sleeps ."] * 20


class Dying(Annotator):
    """The callable, but the first process that uses it is killed in the middle of its work."""

    def __init__(self, model: Path, marker: Path) -> None:
        super().__init__(model)
        self.marker = marker

    def __call__(self, batch):
        if not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(batch)


class DyingWork:
    """Work that kills its process some times when it meets the second partition."""

    def __init__(self, folder: Path, times: int) -> None:
        self.folder = folder
        self.times = times

    def __call__(self, partition: Partition) -> Outcome:
        if partition.target == "1" and (before := len(list(self.folder.iterdir()))) < self.times:
            (self.folder / str(before)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return Outcome(partition, documents=1)


@pytest.fixture(scope="module")
def cluster():
    import ray.data

    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # Ray's workers do not see the tests
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, logging_level="error")
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()


def blocks(table):
    return ray.data.from_arrow([table.slice(k, 10) for k in range(0, len(table), 10)])


def rows(dataset) -> list[dict]:
    return sorted(dataset.take_all(), key=lambda row: row["id"])


def test_an_actor_pool_gives_what_one_process_gives(cluster, parser_file):
    table = pa.table({"id": range(len(TEXTS)), "text": TEXTS})
    dataset = blocks(table).map_batches(
        Annotator,
        fn_constructor_args=(parser_file,),
        fn_constructor_kwargs={"output": "tokens"},
        batch_format="pyarrow",
        batch_size=7,
        compute=ray.data.ActorPoolStrategy(size=2),
    )  # fmt: skip
    assert rows(dataset) == Annotator(parser_file, output="tokens")(table).to_pylist()


def test_a_killed_actor_changes_nothing(cluster, parser_file, tmp_path):
    table = pa.table({"id": range(len(TEXTS)), "text": TEXTS})
    dataset = blocks(table).map_batches(
        Dying,
        fn_constructor_args=(parser_file, tmp_path / "died"),
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(size=2),
    )  # fmt: skip
    assert rows(dataset) == Annotator(parser_file)(table).to_pylist()
    assert (tmp_path / "died").exists()


def test_the_files_are_those_of_the_local_engine(cluster, parser_file, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS), encoding="utf-8")
    for engine in ("local", "ray"):
        summary = annotate_files(path, tmp_path / engine, Annotator(parser_file), partition_size=7, engine=engine)
        assert summary.documents == len(TEXTS)
    names = sorted(file.name for file in (tmp_path / "local").iterdir())
    assert len(names) == 10
    for name in names:
        assert (tmp_path / "local" / name).read_bytes() == (tmp_path / "ray" / name).read_bytes()


def test_a_bad_document_stops_the_job_with_its_place(cluster, parser_file, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "Dogs bark ."}\n' * 4 + "{", encoding="utf-8")
    with pytest.raises(plait.DataError, match=r"x\.jsonl:5: not JSON"):
        annotate_files(path, tmp_path / "out", Annotator(parser_file), partition_size=2, engine="ray", workers=2)
    assert not (tmp_path / "out" / "x.00002.jsonl").exists()


def partitions() -> list[Partition]:
    return [Partition("x", str(k), Cut(k, k + 1, 1, 1)) for k in range(6)]


def test_a_partition_whose_worker_was_killed_is_done_again(cluster, tmp_path):
    outcomes = list(run_ray(DyingWork(tmp_path, times=2), partitions(), workers=2))
    assert sorted(outcome.partition.target for outcome in outcomes) == list("012345")


def test_a_partition_that_kills_every_worker_ends_the_job(cluster, tmp_path):
    with pytest.raises(plait.PlaitError, match="3 workers died on the partition 1"):
        list(run_ray(DyingWork(tmp_path, times=100), partitions(), workers=2))
