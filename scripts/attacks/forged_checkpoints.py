"""Checkpoints with some field or array forged: refused, or the training ends like any other."""

from __future__ import annotations

import copy
import random
import warnings
from pathlib import Path
from typing import Any

from attacks import ACCEPTED, REFUSED
from attacks.forging import forge
from attacks.workspace import TINY, Workspace

# one for each way to train; short, since every case trains
TRAININGS: dict[str, dict[str, Any]] = {
    "perceptron-tagger": {"epochs": 3},
    "easyfirst-tagger": {"epochs": 3},
    "easyfirst-joint": {"epochs": 3, "table": "hash", "hash_bits": 10},
    "crf-tagger": {"optimizer": "adagrad", "epochs": 3},
    "crf-segmenter": {"epochs": 3},
    "transition-joint": {"epochs": 3, "folds": 2, "tagger_epochs": 1, "beam": 2},
    "graph-joint": {"epochs": 3, "folds": 2},
    "morph-tagger": {"epochs": 3},
    "lemmatizer": {"epochs": 3},
}


def run(seed: int, workspace: Workspace) -> str:
    """Forge one checkpoint and go on from it."""
    import plait
    from plait.errors import PlaitError
    from plait.system.modelfile import model_bytes, open_model

    rng = random.Random(seed)
    system = list(TRAININGS)[seed % len(TRAININGS)]
    sound = _checkpoint(system, workspace)
    path = workspace.folder / f"checkpoint-{seed}"
    content = b""
    while not content:
        header, arrays = open_model(sound)
        header, arrays = copy.deepcopy(header), dict(arrays)
        identity = header["identity"]
        forge(rng, header["checkpoint"] if rng.random() < 0.9 else header, arrays)
        if rng.random() < 0.9:
            header["identity"] = identity
        try:
            content = model_bytes(header, arrays)
        except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
            continue
    path.write_bytes(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = plait.train(system, train=str(TINY), checkpoint=path, resume=True, **TRAININGS[system])
            model(["The", "cat", "sleeps", "."] if not model.system.segments else "The cat sleeps.")
            type(model).from_bytes(model.to_bytes())
    except PlaitError:
        return REFUSED
    finally:
        for left in workspace.folder.glob(f"{path.name}*"):
            left.unlink()
    return ACCEPTED


def _checkpoint(system: str, workspace: Workspace) -> Path:
    """A sound one, after the second of three epochs."""
    import plait

    path = workspace.folder / f"{system}.checkpoint"
    if not path.exists():
        growing = path.with_suffix(".growing")
        seen: list[bytes] = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plait.train(
                system,
                train=str(TINY),
                checkpoint=growing,
                on_epoch=lambda record: seen.append(growing.read_bytes()) if growing.exists() else None,
                **TRAININGS[system],
            )
        path.write_bytes(seen[-2])
    return path
