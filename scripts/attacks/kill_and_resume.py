"""Trainings killed without warning at any moment and resumed: the model is the same, byte by byte."""

from __future__ import annotations

import random
import subprocess
import sys
import time

from attacks import ACCEPTED
from attacks.workspace import SYSTEMS, Workspace

EPOCHS = "6"
KEPT = ("easyfirst-tagger", "easyfirst-parser", "easyfirst-joint", "perceptron-tagger", "crf-tagger", "crf-chunker",
        "crf-segmenter", "transition-parser", "transition-joint", "graph-joint", "pipeline")  # fmt: skip


def run(seed: int, workspace: Workspace) -> str:
    """One system: train it whole once, then killed some times and resumed."""
    rng = random.Random(seed)
    name = KEPT[seed % len(KEPT)]
    whole = workspace.folder / f"{name}.whole"
    base = _arguments(name, workspace)
    if not whole.exists():
        subprocess.run([*base, "--output", str(whole)], check=True, capture_output=True)
    begun = time.monotonic()
    output, checkpoint = workspace.folder / f"killed-{seed}", workspace.folder / f"killed-{seed}.checkpoint"
    resumed = [*base, "--output", str(output), "--checkpoint", str(checkpoint), "--resume"]
    for _ in range(rng.choice([1, 2, 3])):
        process = subprocess.Popen(resumed, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(rng.uniform(0.3, 4.0))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if output.exists() or time.monotonic() - begun > 60:
            break
    if output.exists():  # it was too quick to be killed; what is there must be whole
        assert output.read_bytes() == whole.read_bytes(), f"{name}: another model than the training that was not killed"
        output.unlink()
    found = subprocess.run(resumed, capture_output=True, text=True, check=False)
    assert found.returncode == 0, f"{name}: {found.stderr[-300:]}"
    assert output.read_bytes() == whole.read_bytes(), f"{name}: another model than the training that was not killed"
    for left in workspace.folder.glob(f"killed-{seed}*"):
        left.unlink()
    return ACCEPTED


def _arguments(name: str, workspace: Workspace) -> list[str]:
    system, options = SYSTEMS[name]
    arguments = [sys.executable, "-m", "plait", "train", system, "--train", str(workspace.treebank(name))]
    if system != "pipeline":
        options = {**options, "epochs": EPOCHS}
    for option, value in options.items():
        flag = option.replace("_", "-")
        arguments += (
            [f"--{flag}"] if value is True else [f"--no-{flag}"] if value is False else [f"--{flag}", str(value)]
        )
    return arguments
