"""How much a client may ask: size of a request, time for it, and how many at once."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request

from plait.web.faults import ApiError

T = TypeVar("T")

DISCARD = 8  # of a body that is too large, so many times the limit is read and dropped, so that the client hears why


@dataclass(frozen=True)
class Limits:
    """What one server allows."""

    threads: int = 2
    concurrency: int = 32  # requests being read, waiting or worked on
    max_body: int = 4 << 20  # bytes
    timeout: float = 30.0  # seconds from the first byte of a request to its answer


class Ticket:
    """One request on its way through: its place among the concurrent ones, and until when it may last."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._held = True
        self._stopped = False
        self.deadline = time.monotonic() + desk.limits.timeout

    @property
    def left(self) -> float:
        """Seconds until the deadline."""
        return max(0.0, self.deadline - time.monotonic())

    def stop(self) -> None:
        """Nobody waits for the answer any more."""
        self._stopped = True

    def check(self) -> None:
        """Called between sentences: gives up work that nobody waits for."""
        if self._stopped or self.left == 0.0:
            raise self._desk.too_slow()

    def give_back(self) -> None:
        """Make place for another request; a second call does nothing."""
        if self._held:
            self._held = False
            self._desk.leave()


class Desk:
    """Hands out tickets and runs the work in threads (the decoders release the interpreter lock)."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.inside = 0
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(limits.threads, thread_name_prefix="plait-serve")

    def enter(self) -> Ticket:
        """A ticket, or 503 with the advice to come again."""
        with self._lock:
            if self.inside >= self.limits.concurrency:
                message = f"{self.inside} requests are being worked on, as many as allowed; try again in a second"
                raise ApiError(503, "busy", message, retry_after=1)
            self.inside += 1
        return Ticket(self)

    def leave(self) -> None:
        """One request fewer."""
        with self._lock:
            self.inside -= 1

    def too_slow(self) -> ApiError:
        """The answer when time is up."""
        message = f"no answer within {self.limits.timeout:g} seconds; send less at once"
        return ApiError(504, "timeout", message)

    async def read_body(self, request: Request, ticket: Ticket) -> bytes:
        """The whole body, if it is not too large and comes in time."""
        try:
            async with asyncio.timeout(ticket.left):
                return await self._read_body(request)
        except TimeoutError:
            raise ApiError(408, "slow_request", f"the request took over {self.limits.timeout:g} seconds") from None
        except ClientDisconnect:
            raise ApiError(400, "cut_request", "the request ended early") from None

    async def _read_body(self, request: Request) -> bytes:
        limit = self.limits.max_body
        body = bytearray()
        size = 0
        announced = request.headers.get("content-length", "")
        if announced.isdecimal() and int(announced) > DISCARD * limit:
            raise self._too_large()
        async for piece in request.stream():
            size += len(piece)
            if size > DISCARD * limit:
                break
            if size <= limit:
                body += piece
        if size > limit:
            raise self._too_large()
        return bytes(body)

    def _too_large(self) -> ApiError:
        message = f"the body has more than {self.limits.max_body} bytes; send it in parts, or raise --max-body"
        return ApiError(413, "too_large", message, max_body=self.limits.max_body)

    async def work(self, request: Request, ticket: Ticket, function: Callable[[Ticket], T]) -> T:
        """Run ``function`` in a thread. Its place stays taken until the thread is done, in time or not."""
        future: Future[T] = self._pool.submit(function, ticket)
        future.add_done_callback(lambda _: ticket.give_back())
        result = asyncio.wrap_future(future)
        gone: asyncio.Future[Any] = asyncio.ensure_future(request.receive())  # after the body: a hang-up
        waiting: set[asyncio.Future[Any]] = {result, gone}
        try:
            await asyncio.wait(waiting, timeout=ticket.left, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:  # only the end of the server does this
            raise ApiError(503, "stopping", "the server is being stopped", retry_after=5) from None
        finally:
            gone.cancel()
            if not result.done():
                ticket.stop()
                future.cancel()  # does something only while it waits for a thread
                result.add_done_callback(lambda late: late.cancelled() or late.exception())
        if result.done():
            return result.result()
        raise self.too_slow() if ticket.left == 0.0 else ApiError(499, "hung_up", "the client hung up")

    def close(self) -> bool:
        """Begin no more work; whether all of it is done."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        return self.inside == 0
