"""Accept requests addressed to this server, and reject those that a page of another site makes a browser send.

A server on one's own machine can be reached by every page in the browser there. Such a page could use it in two ways:
through its own host name that resolves to 127.0.0.1 (see the Host header), and by posting across origins (see Origin).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from plait.errors import OptionError
from plait.web.errors import ApiError, error_response

LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")


def allowed_hosts(host: str, more: Iterable[str] = ()) -> frozenset[str] | None:
    """The host names that requests may be addressed to; None: any.

    On a loopback address only local names and those given are allowed. On other addresses the server's names are
    unknown, so that all are allowed unless some are given.

    >>> sorted(allowed_hosts("127.0.0.1", ["nlp.example.org"]))
    ['127.0.0.1', '::1', 'localhost', 'nlp.example.org']
    >>> allowed_hosts("0.0.0.0")
    """
    given = frozenset(map(_checked_name, more))
    if is_loopback(host):
        return given | {*LOCAL_NAMES, host.lower()}
    return given | {host.lower()} if given else None


def _checked_name(name: str) -> str:
    found = _host_name(name)
    if not name or found is None or ("[" not in name and found != name.lower()):
        raise OptionError(f"--allow-host {name!r}: expected a host name without port, such as nlp.example.org")
    return found


def is_loopback(host: str) -> bool:
    """Whether an address or name is one of this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _host_name(header: str) -> str | None:
    """The name in a Host header, without the port; None if it is malformed.

    >>> _host_name("LocalHost:8000"), _host_name("[::1]:8000"), _host_name("a b")
    ('localhost', '::1', None)
    """
    if not header or any(c.isspace() or c in "/@?#\\" for c in header):
        return None
    try:
        parts = urlsplit(f"//{header}")
        parts.port  # noqa: B018  # raises an error if it is not a number
        return parts.hostname
    except ValueError:
        return None


class HostCheck:
    """ASGI middleware that rejects requests not meant for this server."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str] | None = None) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or answer 403."""
        if scope["type"] == "http":
            error = self.objection(Headers(scope=scope), scope["method"])
            if error is not None:
                await error_response(error)(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def objection(self, headers: Headers, method: str) -> ApiError | None:
        """What is wrong with a request, or None."""
        host = headers.get("host", "")
        name = _host_name(host)
        if self.hosts is not None and name not in self.hosts:
            message = f"unknown host {host[:80]!r}; use one of the server's names, or start it with --allow-host NAME"
            return ApiError(403, "unknown_host", message)
        origin = headers.get("origin")
        if method in ("GET", "HEAD") or origin is None or self._is_own(origin, host):
            return None
        return ApiError(403, "other_origin", f"requests from pages of {origin[:80]!r} are not allowed")

    def _is_own(self, origin: str, host: str) -> bool:
        """Whether a page of this origin comes from this server, or from one of its names behind a proxy."""
        scheme, _, place = origin.partition("://")
        if scheme not in ("http", "https"):
            return False
        default = ":443" if scheme == "https" else ":80"
        if place.lower().removesuffix(default) == host.lower().removesuffix(default):
            return True
        return self.hosts is not None and _host_name(place) in self.hosts - set(LOCAL_NAMES)
