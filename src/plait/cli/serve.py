"""``plait serve``: models over HTTP, with a web page."""

from __future__ import annotations

import re
from typing import Any

import click

from plait.errors import OptionError


class Size(click.ParamType[int]):
    """A number of bytes: 500000, 512K, 4M."""

    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number of bytes."""
        found = re.fullmatch(r"(\d{1,12})([KMG]?)", str(value).upper())
        if found is None or int(found[1]) == 0:
            self.fail(f"{value!r} is not a size; expected a number of bytes such as 500000, 512K or 4M", param, ctx)
        return int(found[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[found[2]]


@click.command("serve")
@click.option("--model", "-m", "models", multiple=True, metavar="NAME|PATH|NAME=PATH",
              help="model to serve; repeatable, the first is the default; default: all shipped models")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, help="address to listen on; 0.0.0.0: all interfaces")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="port; 0: any free port")
@click.option("--threads", type=click.IntRange(1, 256), default=None, show_default="one per core",
              help="requests processed at the same time")  # fmt: skip
@click.option("--concurrency", type=click.IntRange(1, 10_000), default=32, show_default=True,
              help="requests accepted at the same time, queued ones included; others get 503")  # fmt: skip
@click.option(
    "--max-body", type=Size(), default="4M", show_default=True, help="maximum size of a request; larger ones get 413"
)
@click.option("--timeout", type=click.FloatRange(0.01, 86_400), default=30.0, show_default=True,
              help="seconds per request; slower ones get 504")  # fmt: skip
@click.option("--max-words", type=click.IntRange(1), default=100_000, show_default=True,
              help="maximum words, or equivalent work, per request; more get 413")  # fmt: skip
@click.option("--max-characters", type=click.IntRange(1), default=250_000, show_default=True,
              help="maximum characters of raw text to segment per request; more get 413")  # fmt: skip
@click.option("--max-sentence", type=click.IntRange(1), default=5_000, show_default=True,
              help="maximum words per sentence; longer ones get 422")  # fmt: skip
@click.option("--connections", type=click.IntRange(1), default=256, show_default=True,
              help="maximum open connections; beyond that the slowest is closed")  # fmt: skip
@click.option("--allow-host", "allow_hosts", multiple=True, metavar="NAME",
              help="additional host name of this server, such as that of a proxy; repeatable")  # fmt: skip
def command(
    models: tuple[str, ...],
    host: str,
    port: int,
    threads: int | None,
    allow_hosts: tuple[str, ...],
    **limits: Any,
) -> None:
    """Serve models over HTTP: a REST API, and a web page to view and edit trees.

    The page is at /, the API documentation at /docs. Nothing is loaded from other servers.

    \b
    Examples:
      plait serve
      plait serve --model my.plait
      plait serve --model en=english.plait --model zh=chinese.plait --port 8080 --threads 4
      curl http://localhost:8000/v1/parse -H 'Content-Type: application/json' -d '{"text": "She reads a book."}'
    """
    try:
        from plait.web.server import serve
    except ModuleNotFoundError as error:
        raise OptionError(f'plait serve needs the package {error.name}; pip install "plait[web]"') from error
    from plait.core.ahead import usable_cores
    from plait.models import shipped
    from plait.web.catalogue import Catalogue
    from plait.web.limits import Limits

    catalogue = Catalogue.load(models or shipped())

    def ready(address: str) -> None:
        click.echo(f"plait serves {', '.join(catalogue.models)} at {address} (stop with Ctrl-C)", err=True)

    serve(catalogue, Limits(threads=threads or usable_cores(), **limits), host, port, ready, allow_hosts)
