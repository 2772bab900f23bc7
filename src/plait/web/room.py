"""Memory that slow clients share: bodies not yet whole, answers not yet fetched. Whoever holds on longest gives way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Room:
    """So many bytes for all clients together.

    Refusing newcomers when it is full would let a few slow clients lock out everybody else. So the one that has been
    here longest is sent away instead: an honest request is through in milliseconds and is never the oldest for long.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.taken = 0
        self._holders: dict[Holder, None] = {}  # oldest first

    @asynccontextmanager
    async def hold(self, seconds: float, size: int = 0) -> AsyncIterator[Holder]:
        """A place in the room for at most this long; ``TimeoutError`` when time is up or others need the room."""
        async with asyncio.timeout(seconds) as timeout:
            holder = Holder(self, timeout)
            self._holders[holder] = None
            try:
                holder.grow(size)
                yield holder
            finally:
                self._forget(holder)

    def _forget(self, holder: Holder) -> None:
        if holder in self._holders:
            del self._holders[holder]
            self.taken -= holder.size

    def make_room(self) -> None:
        """Send the oldest away until the rest fits."""
        while self.taken > self.size and self._holders:
            oldest = next(holder for holder in self._holders if holder.size)
            self._forget(oldest)
            oldest.send_away()


class Holder:
    """One request's place in the room."""

    def __init__(self, room: Room, timeout: asyncio.Timeout) -> None:
        self.size = 0
        self._room = room
        self._timeout = timeout

    def grow(self, size: int) -> None:
        """Take so many bytes more."""
        self.size += size
        if self in self._room._holders:
            self._room.taken += size
            self._room.make_room()

    def send_away(self) -> None:
        """End the holder's ``async with`` block with ``TimeoutError`` at its next await."""
        if not self._timeout.expired():
            self._timeout.reschedule(asyncio.get_running_loop().time())
