"""Commands killed without warning while they write: the file is the old one or the new one, never half of it."""

from __future__ import annotations

import random
import subprocess
import sys
import time

from attacks import ACCEPTED
from attacks.workspace import TINY, Workspace


def run(seed: int, workspace: Workspace) -> str:
    """One command, one kill."""
    rng = random.Random(seed)
    folder = workspace.folder / f"writers-{seed}"
    folder.mkdir()
    large = workspace.folder / "large.conllu"
    if not large.exists():
        large.write_text(TINY.read_text(encoding="utf-8") * 400, encoding="utf-8")
    target = folder / "out"
    model = str(workspace.model_path("easyfirst-joint"))
    commands = {
        "convert": ["convert", "--input", str(large), "--to", "json"],
        "parse": ["parse", "--model", model, "--from", "conllu", "--to", "conllu", "--input", str(large)],
        "train": ["train", "perceptron-tagger", "--train", str(TINY), "--epochs", "1"],
    }
    chosen = rng.choice(sorted(commands))
    arguments = [sys.executable, "-m", "plait", *commands[chosen], "--output", str(target)]
    whole = workspace.folder / f"{chosen}.written"
    if not whole.exists():
        subprocess.run(arguments, check=True, capture_output=True)
        target.rename(whole)
    old = b"what was there before\n"
    if rng.random() < 0.5:
        target.write_bytes(old)
    begun = time.monotonic()
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(rng.uniform(0.2, 3.0))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if target.exists():
        assert target.read_bytes() in (old, whole.read_bytes()), (
            f"{chosen}: half a file after {time.monotonic() - begun:.2f} s"
        )
    # and the next run is not disturbed by what the killed one left
    found = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert found.returncode == 0, f"{chosen}: {found.stderr[-300:]}"
    assert target.read_bytes() == whole.read_bytes(), f"{chosen}: another file after a killed run"
    for left in folder.iterdir():
        left.unlink()
    folder.rmdir()
    return ACCEPTED
