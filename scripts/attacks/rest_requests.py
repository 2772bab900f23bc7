"""Requests that no honest client sends, to the application itself: an answer or a refusal, never a 5xx of ours."""

from __future__ import annotations

import json
import random
from typing import Any

from attacks import ACCEPTED, REFUSED
from attacks.asgi import Client
from attacks.workspace import TINY, WILD_TEXTS, Workspace, random_text, wild

SERVED = {"joint": "easyfirst-joint", "pipeline": "pipeline", "graph": "graph-joint"}
PATHS = [
    *["/v1/parse"] * 6, *["/v1/convert"] * 3, "/v1/models", "/", "/health", "/static/../app.py", "/nowhere",
]  # fmt: skip
TYPES = ["text/plain", "text/x-conllu", "application/xml", "", "application/json; charset=x"]

_clients: dict[Workspace, Client] = {}


def client(workspace: Workspace) -> Client:
    """A client of the application, which has three tiny models."""
    if workspace not in _clients:
        import plait
        from plait.web.app import make_app
        from plait.web.catalogue import Catalogue

        models = [(short, plait.load(workspace.model_path(name))) for short, name in SERVED.items()]
        _clients[workspace] = Client(make_app(Catalogue(models)))
    return _clients[workspace]


def run(seed: int, workspace: Workspace) -> str:
    """One request."""
    rng = random.Random(seed)
    path = rng.choice(PATHS)
    method = "POST" if rng.random() < 0.9 else rng.choice(["GET", "PUT", "DELETE", "HEAD", "OPTIONS"])
    record = _record(rng)
    body: bytes
    headers = {"content-type": "application/json"}
    if rng.random() < 0.15:
        headers["content-type"] = rng.choice(TYPES)
        body = random_text(rng).encode("utf-8", "surrogatepass")
    else:
        body = json.dumps(record, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
    if rng.random() < 0.15:
        damaged = bytearray(body or b"x")
        for _ in range(rng.randrange(1, 4)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        body = bytes(damaged)
    if rng.random() < 0.1:
        headers[rng.choice(["host", "origin", "content-length", "accept", "x-forwarded-for"])] = rng.choice(
            ["evil.example", "0", "-1", "a" * 5000, "999999999"]
        )
    if rng.random() < 0.1:
        path += "?" + rng.choice(["format=svg", "format=%00", "nbest=1e9", "a=" + "b" * 3000, "model=%ff", "scores"])
    reply = client(workspace).request(method, path, content=body, headers=headers)
    assert reply.status_code < 500 or reply.status_code == 503, f"{reply.status_code}: {reply.text[:300]}"
    return ACCEPTED if reply.status_code < 400 else REFUSED


def _record(rng: random.Random) -> Any:
    """A sound request with some fields that are not."""
    tiny = TINY.read_text(encoding="utf-8")
    sentences = [{"forms": ["a", "b"], "heads": [2, 0], "upos": ["X", "_"]}]
    record: dict[str, Any] = rng.choice(
        [
            {"text": random_text(rng)},
            {"text": [random_text(rng, 20) for _ in range(rng.randrange(4))]},
            {"words": ["The", "cat", rng.choice(WILD_TEXTS)]},
            {"words": [["a", "b"], [], ["c"]]},
            {"conllu": tiny[: rng.randrange(len(tiny))]},
            {"sentences": sentences},
        ]
    )
    options = {
        "model": rng.choice(["joint", "pipeline", "graph", "none"]),
        "format": rng.choice(["json", "conllu", "svg", "x"]),
        "scores": True,
        "trace": True,
        "nbest": rng.choice([1, 3, 100, 10**9]),
        "keep": rng.choice([True, "heads", ["upos"]]),
        "dictionary": rng.choice([["The cat"], {"狗": "NOUN"}, {"a": None}]),
        "dictionary_mode": "prefer",
    }
    for key in rng.sample(sorted(options), rng.randrange(4)):
        record[key] = options[key]
    for _ in range(rng.choice([0, 1, 1, 2])):
        _spoil(rng, record)
    return record if rng.random() < 0.95 else wild(rng)


def _spoil(rng: random.Random, record: dict[str, Any]) -> None:
    inside: Any = record
    while True:
        key = rng.choice(list(inside) if isinstance(inside, dict) else range(len(inside)))
        if isinstance(inside[key], dict | list) and inside[key] and rng.random() < 0.7:
            inside = inside[key]
            continue
        inside[key] = wild(rng)
        return
