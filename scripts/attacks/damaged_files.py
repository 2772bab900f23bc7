"""Model files with bytes flipped, cut, put in or exchanged, digests as they were: refused, or nothing has changed."""

from __future__ import annotations

import json
import random
import warnings

from attacks import ACCEPTED, REFUSED
from attacks.workspace import SYSTEMS, Workspace, wild

WORDS = ["The", "cat", "sees", "the", "dog", "."]


def run(seed: int, workspace: Workspace) -> str:
    """Damage one file and load it."""
    from plait.errors import PlaitError
    from plait.pipeline.model import Model

    rng = random.Random(seed)
    name = list(SYSTEMS)[seed % len(SYSTEMS)]
    sound = workspace.model_bytes(name)
    damaged = rng.choice([_flip, _flip, _cut, _put_in, _exchange, _relay])(rng, sound)
    try:
        model = Model.from_bytes(damaged)
    except PlaitError:
        return REFUSED
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = [str(list(m(WORDS))) for m in (model, Model.from_bytes(sound))]
    assert answers[0] == answers[1], "a damaged file answers otherwise than the sound one"
    return ACCEPTED


def _flip(rng: random.Random, content: bytes) -> bytes:
    damaged = bytearray(content)
    header = 8 + int.from_bytes(content[:8], "little")
    for _ in range(rng.choice([1, 1, 2, 10])):
        damaged[rng.randrange(header if rng.random() < 0.7 else len(damaged))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def _cut(rng: random.Random, content: bytes) -> bytes:
    at = rng.randrange(len(content))
    return content[:at] if rng.random() < 0.7 else content[:at] + content[at + rng.randrange(1, 100) :]


def _put_in(rng: random.Random, content: bytes) -> bytes:
    at = rng.choice([0, 8, len(content), rng.randrange(len(content))])
    return content[:at] + rng.randbytes(rng.choice([1, 8, 64])) + content[at:]


def _exchange(rng: random.Random, content: bytes) -> bytes:
    size = rng.choice([1, 4, 64, 1000])
    a, b = sorted(rng.randrange(max(1, len(content) - 2 * size)) for _ in range(2))
    b = max(b, a + size)
    return content[:a] + content[b : b + size] + content[a + size : b] + content[a : a + size] + content[b + size :]


def _relay(rng: random.Random, content: bytes) -> bytes:
    """Change the places of the arrays, which have no digest of their own."""
    length = int.from_bytes(content[:8], "little")
    layout = json.loads(content[8 : 8 + length])
    entry = layout[rng.choice(sorted(set(layout) - {"__metadata__"}))]
    key = rng.choice(sorted(entry))
    if isinstance(entry[key], list) and entry[key] and rng.random() < 0.7:
        entry[key][rng.randrange(len(entry[key]))] += rng.choice([-8, -1, 1, 8, 1 << 40])
    else:
        entry[key] = wild(rng)
    text = json.dumps(layout, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + content[8 + length :]
