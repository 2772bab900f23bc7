"""A process that does cases of one kind: seeds come in by lines, what became of them goes out by lines."""

from __future__ import annotations

import importlib
import os
import resource
import sys
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from attacks.campaign import KNOWN
from attacks.workspace import Workspace

MEMORY = 6 << 30  # bytes of addresses: what wants more has an error instead of the whole machine


def main() -> None:
    """KIND FOLDER on the command line."""
    kind, folder = sys.argv[1:]
    if "asan" not in os.environ.get("LD_PRELOAD", ""):  # its shadow takes terabytes of addresses
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever plait prints by mistake does not reach the answers
    module = importlib.import_module(f"attacks.{KNOWN[kind][0]}")
    workspace = Workspace(Path(folder))
    for line in sys.stdin:
        try:
            answer = module.run(int(line), workspace)
        except BaseException as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(where.filename).name}:{where.lineno}"
            answer = f"untyped {type(error).__name__} at {place}: {str(error)[:300]!r}"
        print(answer, file=answers, flush=True)


if __name__ == "__main__":
    main()
