"""Memory shared by slow clients: incomplete bodies, unfetched responses. The oldest are dropped first."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class MemoryPool:
    """A number of bytes for all clients together.

    Refusing new requests when it is full would let a few slow clients lock out all others. So the oldest one is
    evicted instead: a normal request takes milliseconds and is never the oldest for long.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.used = 0
        self._allocations: dict[Allocation, None] = {}  # oldest first

    @asynccontextmanager
    async def allocate(self, seconds: float, size: int = 0) -> AsyncIterator[Allocation]:
        """An allocation for at most this long; ``TimeoutError`` when time is up or it is evicted."""
        async with asyncio.timeout(seconds) as timeout:
            allocation = Allocation(self, timeout)
            self._allocations[allocation] = None
            try:
                allocation.grow(size)
                yield allocation
            finally:
                self._remove(allocation)

    def _remove(self, allocation: Allocation) -> None:
        if allocation in self._allocations:
            del self._allocations[allocation]
            self.used -= allocation.size

    def evict_oldest(self) -> None:
        """Evict the oldest until the rest fits."""
        while self.used > self.size and self._allocations:
            oldest = next(allocation for allocation in self._allocations if allocation.size)
            self._remove(oldest)
            oldest.evict()


class Allocation:
    """The memory of one request."""

    def __init__(self, pool: MemoryPool, timeout: asyncio.Timeout) -> None:
        self.size = 0
        self._pool = pool
        self._timeout = timeout

    def grow(self, size: int) -> None:
        """Allocate more bytes."""
        self.size += size
        if self in self._pool._allocations:
            self._pool.used += size
            self._pool.evict_oldest()

    def evict(self) -> None:
        """End the holder's ``async with`` block with ``TimeoutError`` at its next await."""
        if not self._timeout.expired():
            self._timeout.reschedule(asyncio.get_running_loop().time())
