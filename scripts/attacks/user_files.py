"""Files that users write: template tables, dictionaries, clusters; and options of any value."""

from __future__ import annotations

import random
import warnings
from typing import Any

from attacks import ACCEPTED, REFUSED
from attacks.mutated_treebanks import mutate
from attacks.workspace import TINY, WILD_NUMBERS, WILD_TEXTS, Workspace, command

TABLE = b"""set small                     # a comment
    w0 | w-1 w0 | suf2
set large : small
    for k in 1 2 3: pre<k> w0
    for p q in (0 +1) (-1 0): w@<p> w@<q>
"""
DICTIONARY = "The cat\tNOUN\t-2.5\nDogs\n北京\tPROPN\t-3\n# a comment\nbark\tVERB\n".encode()
CLUSTERS = b"0110\tcat\t12\n0111\tdog\t7\n10\tthe\t99\n"
TAGGERS = ("perceptron-tagger", "easyfirst-tagger", "crf-tagger")
TRAINED = (*TAGGERS, "easyfirst-joint", "transition-parser", "graph-parser")
LONG = ("epochs", "tagger_epochs", "guide_epochs", "folds", "beam", "beam_tags")  # options that make training long


def run(seed: int, workspace: Workspace) -> str:
    """One file or one set of options."""
    rng = random.Random(seed)
    kind = rng.choice(["templates", "templates", "dictionary", "dictionary", "clusters", "options"])
    if kind == "options":
        return _options(rng)
    path, out = workspace.folder / f"user-{seed}.txt", workspace.folder / f"out-{seed}"
    path.write_bytes(mutate(rng, {"templates": TABLE, "dictionary": DICTIONARY, "clusters": CLUSTERS}[kind]))
    try:
        if kind == "dictionary":
            model = str(workspace.model_path(rng.choice(["crf-segmenter", "crf-segmenter-hybrid", "pipeline"])))
            mode = rng.choice(["force", "merge", "prefer"])
            text = "The cat sees Dogs bark. 他在北京工作。"
            return command("parse", "--model", model, "--dictionary", str(path), "--dictionary-mode", mode, text)
        option = "--templates" if kind == "templates" else "--clusters"
        system = rng.choice(TAGGERS if kind == "templates" else TRAINED)
        return command("train", system, "--train", str(TINY), "--output", str(out), "--epochs", "1", option, str(path))
    finally:
        for left in (path, out):
            left.unlink(missing_ok=True)


def _options(rng: random.Random) -> str:
    """One option of a system with a value out of the blue; what would train for hours is left out."""
    import plait
    from plait.errors import PlaitError
    from plait.system import find_system

    system = rng.choice(TRAINED)
    small: dict[str, Any] = {"epochs": 1} | ({"folds": 2} if "parser" in system else {})
    name = rng.choice([name for name in vars(find_system(system).Options()) if name not in LONG])
    value = rng.choice([*WILD_NUMBERS, *WILD_TEXTS, True, None, float("nan"), float("inf")])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plait.train(system, train=str(TINY), **{**small, name: value})
    except PlaitError:
        return REFUSED
    return ACCEPTED
