"""Requests and clients that mean harm, bounded in count and size: for tests and attacks on one's own server.

``requests_of_small_size`` ask for much work in few bytes, ``requests_of_large_size`` fill the body, and
``malformed_requests`` are wrong in themselves. Each tells which statuses a sound server may answer; 500 is never among
them. ``SLOW_CLIENTS`` open connections and leave them hanging.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

JSON = {"content-type": "application/json"}
REFUSED = (413, 422)
SERVED = (200, 503, 504)  # done, told to come again, or stopped in time


@dataclass(frozen=True)
class Hostile:
    """A request, and the statuses that answer it well."""

    name: str
    body: bytes
    statuses: tuple[int, ...] = REFUSED
    path: str = "/v1/parse"
    headers: dict[str, str] = field(default_factory=lambda: dict(JSON))


def _json(name: str, statuses: tuple[int, ...] = REFUSED, path: str = "/v1/parse", **fields: object) -> Hostile:
    return Hostile(name, json.dumps(fields, ensure_ascii=False).encode(), statuses, path)


def far_heads(n: int) -> list[int]:
    """A tree whose arcs span far: every row of a drawing is crossed by most of them."""
    return [0, *(i * 7919 % 104_729 % i + 1 for i in range(1, n))]


def requests_of_small_size(model: str) -> Iterator[Hostile]:
    """Kilobytes that ask for seconds or gigabytes; ``model`` turns raw text into trees."""
    entries = ["a" * n for n in range(1, 101)]
    for mode in ("force", "merge", "prefer"):
        yield _json(f"dictionary-{mode}", model=model, text="a" * 2000, dictionary=entries, dictionary_mode=mode)
    yield _json("dictionary-long-word", model=model, text="a" * 5000, dictionary=["a" * 4000])
    yield _json("nbest-long-text", model=model, text="the old dog sees a red house . " * 65, nbest=100)
    yield _json("nbest-letters", model=model, text="a " * 1000, nbest=100)
    flat = [0] + [1] * 999
    far = far_heads(1000)
    for shape, heads in (("flat", flat), ("far", far)):
        for format in ("svg", "html", "tree"):
            sentence = {"forms": ["a"] * 1000, "heads": heads, "deprels": ["dep"] * 1000}
            yield _json(f"draw-{shape}-{format}", SERVED, "/v1/convert", sentences=[sentence], format=format)


def requests_of_large_size(model: str) -> Iterator[Hostile]:
    """Hundreds of kilobytes, up to the largest body."""
    yield _json("one-letter-words", model=model, text="a " * 100_000)
    yield _json("one-letter-lines", (*REFUSED, *SERVED), model=model, text="a\n\n" * 80_000)
    yield _json("one-letter-words-given", model=model, words=["a"] * 100_000)
    yield _json("one-word-sentences", (*REFUSED, *SERVED), model=model, words=[["a"]] * 100_000)
    yield _json("many-sentences", model=model, sentences=[{"forms": ["a"]}] * 150_000)
    yield _json("many-texts", model=model, text=[""] * 500_000)
    yield _json("many-words-conllu", model=model, conllu="1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n" * 120_000)
    row = "1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n\n"
    yield _json("many-comments", (*REFUSED, *SERVED), model=model, conllu="# a = b\n" * 400_000 + row)
    extra = {str(n): ["x"] for n in range(200_000)}
    yield _json("many-columns", model=model, sentences=[{"forms": ["a"], "extra": extra}])
    yield _json("many-comments-in-json", model=model, sentences=[{"forms": ["a"], "comments": ["# a"] * 300_000}])
    yield _json("long-format", model=model, text="a", format="x" * 3_000_000)
    yield _json("long-keep", model=model, sentences=[{"forms": ["a"]}], keep="x" * 3_000_000)
    yield _json("long-model", (404,), model="x" * 3_000_000, text="a")
    yield Hostile("long-field", b'{"%s": 1}' % (b"x" * 3_000_000), (422,))
    yield _json("one-long-word", (*REFUSED, *SERVED), model=model, text="x" * 1_000_000)
    yield _json("large-dictionary", model=model, text="a", dictionary=[f"w{n}" for n in range(100_000)])
    words = [f"w{n}" for n in range(10_000)]
    tree = {"forms": words, "heads": far_heads(10_000)}
    yield _json("draw-10000-words", REFUSED, "/v1/convert", sentences=[tree], format="svg")
    yield Hostile("deep-json", b'{"text": ' + b"[" * 200_000, (400,))
    yield Hostile("many-lists", b'{"text": [' + b"[]," * 1_000_000 + b"[]]}", REFUSED)
    yield Hostile("too-large", b" " * (5 << 20), (413,))


def malformed_requests() -> Iterator[Hostile]:
    """Bytes that are no request, or that a page of another site sends."""
    yield Hostile("utf-16", json.dumps({"text": "Hi"}).encode("utf-16"), (400,))
    yield Hostile("utf-32", json.dumps({"text": "Hi"}).encode("utf-32"), (400,))
    yield Hostile("utf-16-surrogate", '{"text": "a\ud800"}'.encode("utf-16", "surrogatepass"), (400,))
    yield Hostile("raw-surrogate", b'{"text": "a\xed\xa0\x80"}', (400,))
    yield Hostile("escaped-surrogate", b'{"text": "a\\ud800"}', (422,))
    yield Hostile("form", b"text=Hi", (415,), headers={"content-type": "application/x-www-form-urlencoded"})
    yield Hostile("no-type", b'{"text": "Hi"}', (415,), headers={})
    for name, headers in (
        ("other-host", {**JSON, "host": "attacker.example"}),
        ("no-host-name", {**JSON, "host": ":8000"}),
        ("other-origin", {**JSON, "origin": "http://attacker.example"}),
        ("null-origin", {"content-type": "text/plain", "origin": "null"}),
        ("other-port", {**JSON, "origin": "http://localhost:1"}),
    ):
        yield Hostile(name, b'{"text": "Hi"}', (403,), headers=headers)


def hostile_requests(model: str) -> list[Hostile]:
    """All of them."""
    return [*requests_of_small_size(model), *requests_of_large_size(model), *malformed_requests()]


HEAD = b"POST /v1/parse HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def _connected(host: str, port: int, sent: bytes, receive: int | None = None) -> socket.socket:
    connection = socket.socket()
    if receive is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    connection.settimeout(10)
    connection.connect((host, port))
    connection.sendall(sent)
    return connection


def silent(host: str, port: int) -> socket.socket:
    """Connects and says nothing."""
    return _connected(host, port, b"")


def half_a_head(host: str, port: int) -> socket.socket:
    """Begins the head of a request and never ends it."""
    return _connected(host, port, HEAD)


def one_byte_of_a_body(host: str, port: int) -> socket.socket:
    """Announces a body and sends its first byte."""
    return _connected(host, port, HEAD + b"Content-Length: 1000\r\n\r\n{")


def most_of_a_body(host: str, port: int) -> socket.socket:
    """Sends a megabyte of a body, all but its end."""
    return _connected(host, port, HEAD + b"Content-Length: 1000100\r\n\r\n" + b" " * 1_000_000)


def never_reads(host: str, port: int) -> socket.socket:
    """Asks for a large answer and does not fetch it."""
    body = json.dumps({"sentences": [{"forms": ["abcdefgh"] * 4000}] * 12, "format": "conllu"}).encode()
    head = HEAD.replace(b"/v1/parse", b"/v1/convert") + b"Content-Length: %d\r\n\r\n" % len(body)
    return _connected(host, port, head + body, receive=4096)


SLOW_CLIENTS: dict[str, Callable[[str, int], socket.socket]] = {
    "silent": silent,
    "half a head": half_a_head,
    "one byte of a body": one_byte_of_a_body,
    "most of a body": most_of_a_body,
    "never reads": never_reads,
}
