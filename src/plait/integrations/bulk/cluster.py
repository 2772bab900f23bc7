"""The Ray engine: a partition is a task on a cluster, or on a local one that is started for the job.

Tasks are used rather than a Ray Data pipeline: Ray then retries a partition whose worker died, but not forever, and an
output file is written by the worker that made it. The model is opened once in each of Ray's processes.

Ray silently ends the driver process when the cluster is lost. So the driver is a separate process here, and this one
can report what happened.
"""

from __future__ import annotations

import os
import socket
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from multiprocessing import get_context
from typing import Any

from plait.errors import OptionError, PlaitError
from plait.integrations.bulk.local import ATTEMPTS, Work, ignore_terminal, outcome_or_fault, stop, worker_failure
from plait.integrations.bulk.partitions import Outcome, Partition

WAITING = 2  # partitions handed to Ray for each that can run at once
DONE = "done"

AGAIN = "finished files stay; run the same command again to go on"


def run_ray(task: Work, partitions: Sequence[Partition], workers: int, address: str | None = None) -> Iterator[Outcome]:
    """The outcomes of the partitions, as they are finished.

    ``address`` is that of a running cluster; the default is RAY_ADDRESS, or a new local cluster. If the caller is
    already connected to Ray, its connection is used.
    """
    try:
        import ray
    except ImportError:
        raise OptionError("the engine ray needs Ray; install it with: pip install 'plait[ray]'") from None
    if ray.is_initialized():
        yield from _run(ray, task, partitions, workers)
    else:
        _check_address(address or os.environ.get("RAY_ADDRESS"))
        yield from _supervised(task, partitions, workers, address)


def _check_address(address: str | None) -> None:
    """Try to connect to HOST:PORT first, since Ray itself would try for many minutes."""
    host, colon, port = (address or "").rpartition(":")
    if colon and port.isdecimal() and "/" not in host:
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
        except OSError as error:
            reason = error.strerror or error
            raise PlaitError(
                f"no Ray cluster responds at {address} ({reason}); check that it is running, and --address"
            ) from None


def _supervised(task: Work, partitions: Sequence[Partition], workers: int, address: str | None) -> Iterator[Outcome]:
    context = get_context("spawn")
    pipe, theirs = context.Pipe()
    driver = context.Process(target=_drive, args=(theirs, task, partitions, workers, address))
    driver.start()
    theirs.close()
    try:
        while True:
            try:
                answer: Any = pipe.recv()
            except (EOFError, ConnectionResetError):
                driver.join()
                raise PlaitError(f"the Ray cluster was lost (exit code {driver.exitcode}); {AGAIN}") from None
            if answer == DONE:
                driver.join(30)
                break
            if isinstance(answer, Exception):
                raise answer
            yield answer
    finally:
        pipe.close()
        stop(driver, 10)  # Ray shuts its processes down when its driver is terminated


def _drive(pipe: Any, task: Work, partitions: Sequence[Partition], workers: int, address: str | None) -> None:
    """The driver process."""
    ignore_terminal()
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), 1)  # Ray's logs
    import ray

    own = address is None and "RAY_ADDRESS" not in os.environ
    limits: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False} if own else {"address": address}
    with suppress(BrokenPipeError, ConnectionResetError):  # the parent is gone
        try:
            ray.init(log_to_driver=False, logging_level="error", **limits)
        except (OSError, RuntimeError, ValueError) as error:
            where = "a local Ray cluster" if own else f"the Ray cluster at {address or os.environ['RAY_ADDRESS']}"
            first = (str(error).splitlines() or [type(error).__name__])[0]
            pipe.send(PlaitError(f"{where} cannot be reached ({first}); check that it runs, and the --address"))
            return
        try:
            for outcome in _run(ray, task, partitions, workers):
                pipe.send(outcome)
            pipe.send(DONE)
        except (PlaitError, OSError) as error:
            pipe.send(error)
        finally:
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
                raise worker_failure(partition, type(error).__name__) from None
            except ray.exceptions.RayTaskError:
                raise  # a fault of our own
            except ray.exceptions.RayError as error:
                raise PlaitError(f"the Ray cluster failed ({type(error).__name__}); {AGAIN}") from None
            if isinstance(answer, Exception):
                raise answer
            yield answer
    finally:
        for left in running:
            with suppress(Exception):  # nothing to cancel on a cluster that is gone
                ray.cancel(left, force=True)


def _partition(task: bytes, partition: Partition) -> Outcome | Exception:
    """One Ray task."""
    return outcome_or_fault(_opened(task), partition)


@lru_cache(maxsize=1)
def _opened(task: bytes) -> Work:
    """The task with its model, opened once in each process."""
    from ray import cloudpickle

    work: Work = cloudpickle.loads(task)
    return work
