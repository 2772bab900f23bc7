"""Run the application: a socket, uvicorn, and an orderly shutdown."""

from __future__ import annotations

import errno
import os
import socket
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress

import uvicorn
from starlette.applications import Starlette

from plait.errors import OptionError
from plait.web.app import make_app
from plait.web.catalogue import Catalogue
from plait.web.connections import KEEP_ALIVE, guarded_protocol
from plait.web.host_check import allowed_hosts
from plait.web.limits import Limits

SEND_BUFFER = 256 << 10  # bytes of an answer that the system holds for a connection; by itself it may take megabytes
GRACE = 5  # seconds for requests to finish when the server stops


def serve(
    catalogue: Catalogue,
    limits: Limits,
    host: str,
    port: int,
    ready: Callable[[str], None],
    allow_hosts: Iterable[str] = (),
) -> None:
    """Serve until SIGINT or SIGTERM; ``ready`` is called with the address once connections are accepted."""
    hosts = allowed_hosts(host, allow_hosts)
    listening = listen(host, port)
    app = make_app(catalogue, limits, hosts)
    server = make_server(app, limits)
    ready(address_of(listening, host))
    with suppress(KeyboardInterrupt):  # uvicorn raises the signal again when all is closed
        server.run([listening])
    if not app.state.workers.close():
        # a decoder cannot be interrupted: leave it behind rather than wait for it
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def make_server(app: Starlette, limits: Limits) -> uvicorn.Server:
    """uvicorn for this application, with guarded connections."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=guarded_protocol(limits.connections),
            ws="none",
            log_level="critical",  # errors are reported in responses; internal ones are printed by api_error
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE,
            timeout_graceful_shutdown=GRACE,
            h11_max_incomplete_event_size=32 << 10,
        )
    )


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; if the address cannot be used, the error says why in one line."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise OptionError(f"--host {host}: {error.strerror}; give a host name or address of this machine") from error
    try:
        if os.name == "posix":  # elsewhere it would let two servers share the port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        listening.bind(address)
        listening.listen(256)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            what = f"port {port} of {host} is in use; choose another with --port (0: any free port)"
        else:
            what = f"cannot listen on port {port} of {host}: {error.strerror}; choose others with --host and --port"
        raise OptionError(what) from error
    return listening


def address_of(listening: socket.socket, host: str) -> str:
    """The URL for a browser."""
    port = listening.getsockname()[1]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
