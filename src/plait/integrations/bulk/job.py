"""Annotating whole folders: split into partitions, processed by an engine, resumable."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import plait
from plait.errors import DataError, OptionError
from plait.files.leftovers import sweep
from plait.files.locks import LockedError, hold
from plait.integrations.annotator import Annotator
from plait.integrations.bulk.cluster import run_ray
from plait.integrations.bulk.inputs import find_inputs, stem_of
from plait.integrations.bulk.local import run_local
from plait.integrations.bulk.manifest import NAME as MANIFEST
from plait.integrations.bulk.manifest import Manifest, load_manifest
from plait.integrations.bulk.partitions import Counts, Kind, Outcome, Partition, Task

ENGINES = ("local", "ray")
LOCK = "_plait.lock"
PATIENCE = 5.0  # seconds


@dataclass
class Summary(Counts):
    """What a run did; ``resumed`` partitions were finished before it."""

    partitions: int = 0
    resumed: int = 0

    def add(self, outcome: Outcome) -> None:
        """Count a finished partition."""
        self.partitions += 1
        self.documents += outcome.documents
        self.sentences += outcome.sentences
        self.words += outcome.words
        self.faults += outcome.faults
        self.messages += outcome.messages


def annotate_files(
    input: str | Path,
    output: str | Path,
    annotator: Annotator,
    *,
    kind: str | None = None,
    partition_size: int = 2000,
    engine: str = "local",
    workers: int = 1,
    address: str | None = None,
    restart: bool = False,
    on_plan: Callable[[Sequence[Partition]], object] = lambda partitions: None,
    on_partition: Callable[[Outcome], object] = lambda outcome: None,
) -> Summary:
    """Annotate a file or a folder into a folder.

    The input is Parquet, JSON lines or text. It is split into partitions of ``partition_size`` documents, and the
    output does not depend on engine or workers. Finished partitions are not repeated; a folder of a job with another
    model, other options or other input is rejected unless ``restart`` is true. ``on_plan`` is called with the remaining
    partitions, ``on_partition`` after each one.

    A script that asks for Ray or for more than one local worker needs ``if __name__ == "__main__":``, as every script
    that uses ``multiprocessing`` does.
    """
    if engine not in ENGINES:
        raise OptionError(f'unknown engine "{engine}"; available: {", ".join(ENGINES)}')
    if partition_size < 1 or workers < 1:
        raise OptionError("partition size and workers must be at least 1")
    source, target = Path(input), Path(output)
    if target.exists() and not target.is_dir():
        raise DataError(f"{target}: is a file; expected a folder")
    found, files = find_inputs(source, kind, target)
    found.check(annotator)
    with ExitStack() as held:
        job = _begin(held, source, target, found, files, annotator, partition_size, restart)
        task = Task(source.resolve(), target.resolve(), str(source), found, annotator, annotator.digest)
        todo = [partition for partition in job.partitions if not (target / partition.target).exists()]
        _sweep(target, todo)
        summary = Summary(resumed=len(job.partitions) - len(todo))
        on_plan(todo)
        # after workers that died on the way; those of a cluster that was lost take a moment to notice
        held.callback(_sweep, target, todo, PATIENCE if engine == "ray" else 0)
        # with nothing to do, no cluster is started
        run = run_ray(task, todo, workers, address) if engine == "ray" and todo else run_local(task, todo, workers)
        for outcome in run:
            summary.add(outcome)
            on_partition(outcome)
        if not job.complete:
            job.complete = True
            job.save(target)
    return summary


def _begin(
    held: ExitStack,
    source: Path,
    target: Path,
    kind: Kind,
    files: Sequence[str],
    annotator: Annotator,
    size: int,
    restart: bool,
) -> Manifest:
    """The manifest of the job, with its folder locked; the folder is only created for a job that can start."""
    was_there = target.is_dir()
    if was_there:
        held.enter_context(only_run(target))
    job, removed, is_new = _prepare(source, target, kind, files, annotator, size, restart)
    if not was_there:
        target.mkdir(parents=True, exist_ok=True)
        held.enter_context(only_run(target))
        if (target / MANIFEST).exists():
            raise DataError(f"{target}: another plait annotate has just started there; choose another folder")
    if is_new:
        _sweep(target, removed)
        for partition in removed:
            (target / partition.target).unlink(missing_ok=True)
        job.complete = False
        job.save(target)
    return job


@contextmanager
def only_run(folder: Path) -> Iterator[None]:
    """Hold the lock of an output folder; DataError when another run does."""
    try:
        with hold(folder / LOCK):
            yield
    except LockedError as error:
        raise DataError(
            f"{folder}: another plait annotate is running there ({error.holder}); wait for it, or stop it"
        ) from None


def _prepare(
    source: Path, target: Path, kind: Kind, files: Sequence[str], annotator: Annotator, size: int, restart: bool
) -> tuple[Manifest, Sequence[Partition], bool]:
    """The manifest of the job, as it was or new; partitions of an earlier one to remove; whether it must be written."""
    settings = {
        "model": annotator.digest,
        "plait": plait.__version__,
        "input": kind.name,
        "to": annotator.output,
        "output_column": annotator.output_column,
        "text_column": annotator.text_column,
        "scores": annotator.scores,
        "on_error": annotator.on_error,
        "partition_size": size,
    }
    there = load_manifest(target)
    if there is None and target.exists() and any(path.name != LOCK for path in target.iterdir()):
        raise DataError(f"{target}: not empty, and not created by plait annotate; choose an empty or new folder")
    job = Manifest(settings) if there is None or restart else there
    job.refuse_other_settings(settings, target)
    is_new = _add_inputs(job, source, kind, files, annotator, size)
    return job, there.partitions if there is not None and restart else (), is_new


def _add_inputs(job: Manifest, source: Path, kind: Kind, files: Sequence[str], annotator: Annotator, size: int) -> bool:
    """Split new files into partitions; it is an error if one has changed or is missing since the job was started."""
    gone = sorted({*job.inputs} - {*files})
    if gone:
        raise DataError(f"{source}: {gone[0]} was part of the job and is missing; restore it, or use --restart")
    taken = {partition.target: partition.source for partition in job.partitions}
    added = False
    for name in files:
        path = source / name if source.is_dir() else source
        status = path.stat()
        state: dict[str, int] = {"size": status.st_size, "changed": status.st_mtime_ns}
        if name in job.inputs:
            if job.inputs[name] != state:
                raise DataError(f"{path}: has changed since the job was started; use --restart to start over")
            continue
        added = True
        job.inputs[name] = state
        cuts = list(kind.cut(path, size))
        for number, cut in enumerate(cuts):
            part = f".{number:05d}" if len(cuts) > 1 else ""
            target = f"{stem_of(name)}{part}{kind.suffix(annotator)}"
            if target in taken:
                raise DataError(f"{path}: would be written to {target}, like {taken[target]}; rename one of them")
            taken[target] = name
            job.partitions.append(Partition(name, target, cut))
    return added


def _sweep(target: Path, partitions: Sequence[Partition], patience: float = 0) -> None:
    """Remove the temporary files of workers that died; wait up to ``patience`` seconds for those that are ending."""
    folders = {(target / partition.target).parent for partition in partitions}
    end = time.monotonic() + patience
    while folders := {folder for folder in folders if not sweep(folder, age=0)}:
        if time.monotonic() >= end:
            break
        time.sleep(0.1)
