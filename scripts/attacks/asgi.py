"""The web application without a socket: one request in, one answer out, through the ASGI interface itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

Application = Callable[
    [dict[str, Any], Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]
]


class Reply(NamedTuple):
    """What the application answered."""

    status_code: int
    body: bytes

    @property
    def text(self) -> str:
        """The body for a message."""
        return self.body.decode("utf-8", "replace")


class Client:
    """Sends requests to an application one after the other, in one event loop."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self.loop = asyncio.new_event_loop()

    def request(self, method: str, path: str, content: bytes = b"", headers: Mapping[str, str] | None = None) -> Reply:
        """The answer to one request; an exception of the application's own is raised here."""
        sent = {"host": "localhost", "content-length": str(len(content)), **(headers or {})}
        address, _, query = path.partition("?")
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": unquote(address), "raw_path": address.encode(), "query_string": query.encode(), "root_path": "",
            "headers": [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in sent.items()],
            "client": ("127.0.0.1", 50000), "server": ("localhost", 80), "state": {},
        }  # fmt: skip
        return self.loop.run_until_complete(self._answer(scope, content))

    async def _answer(self, scope: dict[str, Any], content: bytes) -> Reply:
        waiting = [{"type": "http.request", "body": content, "more_body": False}]
        answered = asyncio.Event()
        status, body = 0, bytearray()

        async def receive() -> Any:
            if waiting:
                return waiting.pop()
            await answered.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                body.extend(message.get("body", b""))
                if not message.get("more_body", False):
                    answered.set()

        await self.application(scope, receive, send)
        return Reply(status, bytes(body))
