"""The local engine: partitions in this process, or in several on this machine.

Each worker has its own pipe, so that the partition of a worker that dies is known; it is given to a new worker, and a
partition that kills every worker ends the job instead of being retried forever.
"""

from __future__ import annotations

import signal
import sys
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import wait
from typing import Any

from plait.errors import PlaitError
from plait.integrations.bulk.partitions import Outcome, Partition

ATTEMPTS = 3  # workers that a partition may take with it

Work = Callable[[Partition], Outcome]


def run_local(task: Work, partitions: Sequence[Partition], workers: int) -> Iterator[Outcome]:
    """The outcomes of the partitions, as they are finished."""
    if workers == 1 or len(partitions) <= 1:
        yield from map(task, partitions)
        return
    waiting = deque(partitions)
    attempts: Counter[str] = Counter()
    pool: dict[Any, Worker] = {}
    try:
        for _ in range(min(workers, len(partitions))):
            _assign(Worker(task), waiting, pool)
        while pool:
            for pipe in wait(list(pool)):
                worker = pool.pop(pipe)
                answer = worker.answer()
                if isinstance(answer, Outcome):
                    _assign(worker, waiting, pool)
                    yield answer
                elif isinstance(answer, BaseException):
                    pool[pipe] = worker  # to be ended with the others
                    raise answer
                else:
                    partition = worker.partition
                    assert partition is not None
                    attempts[partition.target] += 1
                    if attempts[partition.target] == ATTEMPTS:
                        raise worker_failure(partition, f"exit code {answer}")
                    waiting.appendleft(partition)
                    _assign(Worker(task), waiting, pool)
    finally:
        for worker in pool.values():
            worker.end()


def worker_failure(partition: Partition, reason: str) -> PlaitError:
    """The error for a partition that no worker survives."""
    where = f"{partition.source}:{partition.cut.first_line}" if partition.cut.first_line > 1 else partition.source
    return PlaitError(
        f"{where}: {ATTEMPTS} workers died on the partition {partition.target} ({reason}); is the memory enough? "
        "Fewer --workers or a smaller --partition-size need less"
    )


def _assign(worker: Worker, waiting: deque[Partition], pool: dict[Any, Worker]) -> None:
    if waiting:
        worker.give(waiting.popleft())
        pool[worker.pipe] = worker
    else:
        worker.shut_down()


class Worker:
    """A process that does one partition after the other."""

    def __init__(self, task: Work) -> None:
        # a fresh interpreter on every system: a fork would copy the locks of the host program's threads
        context = get_context("spawn")
        self.pipe: Any
        self.pipe, theirs = context.Pipe()
        self.partition: Partition | None = None
        self.process: Any = context.Process(target=_serve, args=(theirs, task), daemon=True)
        self.process.start()
        theirs.close()

    def give(self, partition: Partition) -> None:
        """Hand over the next partition."""
        self.partition = partition
        with suppress(BrokenPipeError, ConnectionResetError):  # it died before; asking for its answer will tell
            self.pipe.send(partition)

    def answer(self) -> Outcome | BaseException | int:
        """The outcome, the error that came instead, or the exit code of a process that died."""
        try:
            answer = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            self.pipe.close()
            self.process.join()
            return int(self.process.exitcode)
        assert isinstance(answer, (Outcome, BaseException))
        return answer

    def shut_down(self) -> None:
        """End the process, since there is nothing left to do."""
        self.pipe.close()
        self.process.join()

    def end(self) -> None:
        """Stop the process during its work; it removes its temporary files."""
        stop(self.process, 5)
        self.pipe.close()


def _serve(pipe: Any, task: Work) -> None:
    """The loop of a worker process; it ends silently when its parent is gone."""
    ignore_terminal()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            partition = pipe.recv()  # EOFError: no more work, or the parent died
            pipe.send(_answer(task, partition))


def stop(process: Any, patience: float) -> None:
    """End a process, by force if it has not ended after so many seconds."""
    process.terminate()
    process.join(patience)
    if process.is_alive():
        process.kill()
        process.join()


def ignore_terminal() -> None:
    """Ignore signals from the terminal: the parent gets them too and ends this process."""
    for name in ("SIGINT", "SIGHUP"):
        if hasattr(signal, name):  # Windows has no SIGHUP
            signal.signal(getattr(signal, name), signal.SIG_IGN)


def outcome_or_fault(task: Work, partition: Partition) -> Outcome | PlaitError | OSError:
    """Process a partition; errors in data or files are returned, so that the parent can raise them."""
    try:
        return task(partition)
    except PlaitError as error:
        return error
    except OSError as error:
        return OSError(error.errno, error.strerror or str(error), error.filename)


def _answer(task: Work, partition: Partition) -> Outcome | Exception:
    try:
        return outcome_or_fault(task, partition)
    except Exception as error:
        trace = "".join(traceback.format_exception(error))
        return RuntimeError(f"{type(error).__name__}: {error}\nin a worker:\n{trace}")
