"""Processing of requests in threads: limits on concurrency and time, and small requests never wait for large ones."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from starlette.requests import Request

from plait.web.errors import ApiError
from plait.web.limits import Limits

T = TypeVar("T")

SMALL_BODY = 32 << 10  # bytes; a longer body makes a request large, whatever it contains


@dataclass(frozen=True)
class Deferred(Generic[T]):
    """Returned by a thread for small requests when the work turns out to be large: the work still to be done."""

    work: Callable[[], T]


class Slot:
    """The slot of one request among the concurrent ones, and its deadline.

    It is free again when neither the request nor a thread working for it uses it any more.
    """

    def __init__(self, workers: WorkerPool) -> None:
        self._workers = workers
        self._stopped = False
        self._users = 1
        self.large = False
        self.deadline = time.monotonic() + workers.limits.timeout

    @property
    def left(self) -> float:
        """Seconds until the deadline."""
        return max(0.0, self.deadline - time.monotonic())

    def stop(self) -> None:
        """Stop the work: the client no longer waits for the response."""
        self._stopped = True

    def check(self) -> None:
        """Raise an error if the work was stopped or the deadline has passed; called wherever work can be abandoned."""
        if self._stopped or self.left == 0.0:
            raise self._workers.too_slow()

    def acquire(self) -> None:
        """Add a user."""
        with self._workers.lock:
            self._users += 1

    def release(self) -> None:
        """Remove a user; the last one frees the slot."""
        with self._workers.lock:
            self._users -= 1
            if self._users == 0:
                self._workers.active -= 1
                self._workers.large_active -= self.large


class WorkerPool:
    """Hands out slots and runs the work in threads (the decoders release the interpreter lock)."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.active = 0
        self.large_active = 0
        self.lock = threading.Lock()
        self._small = ThreadPoolExecutor(limits.threads, thread_name_prefix="plait-small")
        self._large = ThreadPoolExecutor(limits.large_threads, thread_name_prefix="plait-large")

    def enter(self) -> Slot:
        """A slot for a request whose body has arrived, or 503 with advice to try again."""
        with self.lock:
            if self.active >= self.limits.concurrency:
                message = f"{self.active} requests are in progress, the maximum; try again in a second"
                raise ApiError(503, "busy", message, retry_after=1)
            self.active += 1
        return Slot(self)

    def too_slow(self) -> ApiError:
        """The response after the deadline."""
        message = f"no result within {self.limits.timeout:g} seconds; send less at once"
        return ApiError(504, "timeout", message)

    async def work(self, request: Request, slot: Slot, size: int, function: Callable[[], T | Deferred[T]]) -> T:
        """Run ``function`` for a body of this size in a thread, and the rest of it in another if it turns out large."""
        if size > SMALL_BODY:
            self._count_as_large(slot)
        found = await self._run(request, slot, function)
        if isinstance(found, Deferred):
            self._count_as_large(slot)
            return await self._run(request, slot, found.work)
        return found

    def _count_as_large(self, slot: Slot) -> None:
        """Count a slot as a large one, of which fewer are allowed."""
        with self.lock:
            if self.large_active >= self.limits.large_concurrency:
                message = f"{self.large_active} large requests are in progress, the maximum"
                raise ApiError(503, "busy", f"{message}; try again in a few seconds, or send less", retry_after=5)
            self.large_active += 1
            slot.large = True

    async def _run(self, request: Request, slot: Slot, function: Callable[[], T]) -> T:
        """Run ``function`` in a thread. The slot is in use until the thread is done, in time or not."""
        slot.acquire()
        pool = self._large if slot.large else self._small
        future: Future[T] = pool.submit(function)
        future.add_done_callback(lambda _: slot.release())
        result = asyncio.wrap_future(future)
        gone: asyncio.Future[Any] = asyncio.ensure_future(request.receive())  # after the body: a hang-up
        waiting: set[asyncio.Future[Any]] = {result, gone}
        try:
            await asyncio.wait(waiting, timeout=slot.left, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:  # only the end of the server does this
            raise ApiError(503, "stopping", "the server is shutting down", retry_after=5) from None
        finally:
            gone.cancel()
            if not result.done():
                slot.stop()
                future.cancel()  # does something only while it waits for a thread
                result.add_done_callback(lambda late: late.cancelled() or late.exception())
        if result.done():
            return result.result()
        raise self.too_slow() if slot.left == 0.0 else ApiError(499, "hung_up", "the client disconnected")

    def close(self) -> bool:
        """Start no more work; returns whether all of it is done."""
        for pool in (self._small, self._large):
            pool.shutdown(wait=False, cancel_futures=True)
        return self.active == 0
