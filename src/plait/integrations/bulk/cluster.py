"""The Ray engine: a partition is a task on a cluster, or on a local one that is started for the job.

Tasks rather than a Ray Data pipeline: Ray then runs a partition whose worker died again, but not for ever, and an
output file is written by the one worker that made it. The model is opened once in each of Ray's processes.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from plait.errors import OptionError, PlaitError
from plait.integrations.bulk.local import ATTEMPTS, Work, deadly
from plait.integrations.bulk.partitions import Outcome, Partition

WAITING = 2  # partitions handed to Ray for each that can run at once


def run_ray(task: Work, partitions: Sequence[Partition], workers: int, address: str | None = None) -> Iterator[Outcome]:
    """The outcomes of the partitions, as they are finished.

    ``address`` is that of a running cluster; without it RAY_ADDRESS is looked at, and then a local one is started.
    """
    try:
        import ray
    except ImportError:
        raise OptionError("the engine ray needs Ray; install it with: pip install 'plait[ray]'") from None

    started = not ray.is_initialized()
    if started:
        own = address is None and "RAY_ADDRESS" not in os.environ
        limits: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False} if own else {"address": address}
        ray.init(log_to_driver=False, logging_level="error", **limits)
    try:
        yield from _run(ray, task, partitions, workers)
    finally:
        if started:
            ray.shutdown()


def _run(ray: Any, task: Work, partitions: Sequence[Partition], workers: int) -> Iterator[Outcome]:
    # CPU slots are Ray's way to bound how many run at once
    remote = ray.remote(num_cpus=1, max_retries=ATTEMPTS - 1)(_partition)
    sent = ray.put(ray.cloudpickle.dumps(task))
    waiting = deque(partitions)
    running: dict[Any, Partition] = {}
    try:
        while waiting or running:
            while waiting and len(running) < WAITING * workers:
                partition = waiting.popleft()
                running[remote.remote(sent, partition)] = partition
            (done,), _ = ray.wait(list(running), num_returns=1)
            partition = running.pop(done)
            try:
                answer = ray.get(done)
            except (ray.exceptions.WorkerCrashedError, ray.exceptions.OutOfMemoryError) as error:
                raise deadly(partition, type(error).__name__) from None
            if isinstance(answer, Exception):
                raise answer
            yield answer
    finally:
        for left in running:
            ray.cancel(left, force=True)


def _partition(task: bytes, partition: Partition) -> Outcome | Exception:
    """One task; an error in the data is an answer, so that it arrives as it was raised."""
    try:
        return _opened(task)(partition)
    except PlaitError as error:
        return error
    except OSError as error:
        return OSError(error.errno, error.strerror or str(error), error.filename)


@lru_cache(maxsize=1)
def _opened(task: bytes) -> Work:
    """The work of a job, made once in each process with its model."""
    from ray import cloudpickle

    work: Work = cloudpickle.loads(task)
    return work
