"""Reading bodies from slow clients, and sending responses to them in pieces."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from plait.web.errors import ApiError
from plait.web.limits import Limits
from plait.web.memory_pool import MemoryPool

DISCARD = 8  # an oversized body is read and discarded up to so many times the limit: the client gets the error
BODIES = 16  # bodies of the largest size that are in memory before they are whole
ANSWERS = 128 << 20  # bytes of answers that are in memory while clients fetch them
PIECE = 64 << 10  # bytes of an answer handed over at a time; the next ones wait until the client has taken these
SLOWEST = 100_000  # bytes a second that a client must take of a large answer


class Bodies:
    """The request and response bodies of one server, within limits of time and memory."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.incoming = MemoryPool(BODIES * limits.max_body)
        self.outgoing = MemoryPool(max(ANSWERS, BODIES * limits.max_body))

    async def read(self, request: Request) -> bytes:
        """The whole body, unless it is too large or too slow."""
        seconds = min(self.limits.body_timeout, self.limits.timeout)
        try:
            return await self._read(request, seconds)
        except TimeoutError:
            message = (
                f"the body did not arrive within {seconds:g} seconds, or the memory was needed for "
                "other requests; send it again"
            )
            raise ApiError(408, "slow_request", message) from None
        except ClientDisconnect:
            raise ApiError(400, "cut_request", "the request was cut off") from None

    async def _read(self, request: Request, seconds: float) -> bytes:
        limit = self.limits.max_body
        announced = request.headers.get("content-length", "")
        if announced.isdecimal() and int(announced) > DISCARD * limit:
            raise self._too_large()
        body = bytearray()
        size = 0
        async with self.incoming.allocate(seconds) as allocation:
            async for piece in request.stream():
                size += len(piece)
                if size > DISCARD * limit:
                    break
                if size <= limit:
                    body += piece
                    allocation.grow(len(piece))
        if size > limit:
            raise self._too_large()
        return bytes(body)

    def _too_large(self) -> ApiError:
        message = f"the body has more than {self.limits.max_body} bytes; send it in parts, or increase --max-body"
        return ApiError(413, "too_large", message, max_body=self.limits.max_body)

    def answer(self, body: bytes, media: str, headers: Mapping[str, str]) -> Response:
        """A response that a client must fetch in time."""
        if len(body) <= PIECE:
            return Response(body, media_type=media, headers=headers)
        return _InPieces(self, body, media, headers)


class _InPieces(Response):
    """A large response: sent as fast as the client reads it, and dropped if the client stops reading."""

    def __init__(self, bodies: Bodies, body: bytes, media: str, headers: Mapping[str, str]) -> None:
        super().__init__(body, media_type=media, headers=headers)
        self._bodies = bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the head and then the pieces. A response left incomplete makes the server close the connection."""
        view = memoryview(self.body)
        seconds = self._bodies.limits.timeout + len(view) / SLOWEST
        try:
            async with self._bodies.outgoing.allocate(seconds, len(view)):
                await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
                for at in range(0, len(view), PIECE):
                    await send({"type": "http.response.body", "body": bytes(view[at : at + PIECE]), "more_body": True})
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError:
            return
