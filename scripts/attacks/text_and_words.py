"""Random Unicode text and lists of words through the Python call, the command line and the REST interface."""

from __future__ import annotations

import json
import random
import warnings
from typing import Any

from attacks import ACCEPTED, REFUSED
from attacks.forged_models import check
from attacks.rest_requests import client
from attacks.workspace import SYSTEMS, WILD_TEXTS, Workspace, alphabet, command, random_text

DOORS = ("call", "call", "call", "command", "request")

_models: dict[str, Any] = {}


def run(seed: int, workspace: Workspace) -> str:
    """One text or list through one door."""
    rng = random.Random(seed)
    name = list(SYSTEMS)[seed % len(SYSTEMS)]
    door = rng.choice(DOORS)
    if door == "call":
        return _call(rng, name, workspace)
    text = random_text(rng)
    if door == "command":
        model = str(workspace.model_path(name))
        if rng.random() < 0.5:
            return command("parse", "--model", model, "--to", rng.choice(["conllu", "json", "tree", "svg"]), "--", text)
        return command("parse", "--model", model, "--from", "text", stdin=text)
    record = {"text": text, "model": rng.choice(["joint", "pipeline", "graph"])}
    headers = {"content-type": "application/json"}
    reply = client(workspace).request("POST", "/v1/parse", json.dumps(record).encode(), headers)
    assert reply.status_code < 500 or reply.status_code == 503, f"{reply.status_code}: {reply.text[:300]}"
    return ACCEPTED if reply.status_code == 200 else REFUSED


def _call(rng: random.Random, name: str, workspace: Workspace) -> str:
    import plait
    from plait.errors import PlaitError

    if name not in _models:
        _models[name] = plait.load(workspace.model_path(name))
    model = _models[name]
    given: Any = random_text(rng)
    if rng.random() < 0.5:
        given = [_word(rng) for _ in range(rng.randrange(0, 20))]
    options: dict[str, Any] = rng.choice([{}, {"scores": True}, {"keep": True}, {"dictionary": ["The cat", "狗"]}])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check(model(given, **options), model)
    except PlaitError:
        return REFUSED
    return ACCEPTED


def _word(rng: random.Random) -> str:
    kind = rng.randrange(8)
    if kind == 0:
        return rng.choice(WILD_TEXTS)
    if kind == 1:
        return rng.choice(["\ud800", "a\udfffb", "\0", "a b", "a\nb"])
    if kind < 4:
        return "".join(rng.choices(alphabet(), k=rng.randrange(1, 30)))
    return rng.choice(["The", "cat", "sees", "a", "dog", ".", "北京", "don't"])
