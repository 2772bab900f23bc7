"""Limits on connections: time for reading heads and sending answers, and the number of sockets."""

from __future__ import annotations

import asyncio
from collections import Counter

from uvicorn.protocols.http.h11_impl import H11Protocol

from plait.web.host_check import is_loopback

HEAD_SECONDS = 10.0  # from the opening of a connection, or the end of its keep-alive time, to a whole request head
KEEP_ALIVE = 15  # seconds that an idle connection stays open after an answer
STALL_SECONDS = 20.0  # that a client may leave a full buffer of an answer untouched
PIECE = 16 << 10  # bytes looked at before others have their turn
RATIO = 3  # bytes on the wire that a byte of a body may cost: chunks of single bytes cost six, and time besides


class Connections:
    """All open connections of a server, ordered by the time since their last request."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.limit_per_address = max(1, limit // 2)  # of one address; those of this machine may be a proxy's
        self._open: dict[GuardedProtocol, str] = {}
        self._by_address: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._open)

    def add(self, connection: GuardedProtocol) -> None:
        """Add a new connection; if there are too many, the slowest is closed."""
        address = connection.client[0] if connection.client else ""
        self._open[connection] = address
        self._by_address[address] += 1
        if len(self._open) > self.limit:
            self._make_room(connection, None)
        elif address and self._by_address[address] > self.limit_per_address and not is_loopback(address):
            self._make_room(connection, address)  # a Unix socket has none

    def remove(self, connection: GuardedProtocol) -> None:
        """Remove a closed connection; a second call has no effect."""
        address = self._open.pop(connection, None)
        if address is not None:
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]

    def refresh(self, connection: GuardedProtocol) -> None:
        """Mark a connection as just used: it is the last to be closed."""
        if connection in self._open:
            self._open[connection] = self._open.pop(connection)

    def _make_room(self, newest: GuardedProtocol, address: str | None) -> None:
        """Close the slowest connection, of this address if one is given; if all are at work, the newest."""
        candidates = (c for c, a in self._open.items() if (address is None or a == address) and c.can_give_way)
        slowest = next(candidates, newest)
        self.remove(slowest)
        slowest.transport.abort()


class GuardedProtocol(H11Protocol):
    """uvicorn's HTTP/1.1, which by itself waits forever for a request head and for a client that does not read."""

    guard: Connections
    _head_timer: asyncio.TimerHandle | None = None
    _stall_timer: asyncio.TimerHandle | None = None
    _spent = 0  # bytes that the body in progress has cost beyond its size

    @property
    def can_give_way(self) -> bool:
        """Whether the connection waits for the client, not for this server."""
        cycle = self.cycle
        return cycle is None or cycle.response_complete or cycle.more_body or self.flow.write_paused

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """As in uvicorn, and the head must arrive in time."""
        super().connection_made(transport)
        self._expect_head(HEAD_SECONDS)
        self.guard.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """As in uvicorn; no timer may outlive the connection."""
        self.guard.remove(self)
        self._stop_timers()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """As in uvicorn, but in small pieces; only a complete head stops the timer for it."""
        for at in range(0, len(data), PIECE):
            if self.transport.is_closing():
                return
            before = self.cycle
            held = 0 if before is None else len(before.body)
            super().data_received(data[at : at + PIECE])
            self._look_for_request(before)
            if self.cycle is before and before is not None and before.more_body:
                self._spent += min(PIECE, len(data) - at) - RATIO * (len(before.body) - held)
                if self._spent > PIECE:
                    self.transport.abort()
            else:
                self._spent = 0

    def on_response_complete(self) -> None:
        """As in uvicorn, and the next head must arrive in time."""
        before = self.cycle
        self.guard.refresh(self)
        self._expect_head(KEEP_ALIVE + HEAD_SECONDS)
        super().on_response_complete()  # may find the next request already here
        self._look_for_request(before)

    def pause_writing(self) -> None:
        """The client does not read: it has some time to start again."""
        super().pause_writing()
        if self._stall_timer is None:
            self._stall_timer = self.loop.call_later(STALL_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None
        super().resume_writing()

    def _look_for_request(self, before: object) -> None:
        if self.cycle is not before and self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _expect_head(self, seconds: float) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
        self._head_timer = self.loop.call_later(seconds, self.transport.abort)

    def _stop_timers(self) -> None:
        for timer in (self._head_timer, self._stall_timer):
            if timer is not None:
                timer.cancel()
        self._head_timer = self._stall_timer = None


def guarded_protocol(limit: int) -> type[GuardedProtocol]:
    """The protocol of one server, with its own count of connections."""
    return type("ServerProtocol", (GuardedProtocol,), {"guard": Connections(limit)})
