"""Cases that fail in every way there is: what the attacks count must be able to be other than nothing."""

from __future__ import annotations

import os
import time

from attacks import ACCEPTED, REFUSED
from attacks.workspace import Workspace

WAYS = ("accepted", "refused", "crashed", "untyped", "timed out")


def run(seed: int, workspace: Workspace) -> str:
    """Fail, or not, by the seed."""
    way = WAYS[seed % len(WAYS)]
    if way == "crashed":
        os.abort()
    if way == "untyped":
        raise KeyError("nobody expected this")
    if way == "timed out":
        time.sleep(600)
    return ACCEPTED if way == "accepted" else REFUSED
