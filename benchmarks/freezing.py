#!/usr/bin/env python3
"""What storing costs: a model as it is stored by default against the same weights in full precision, on test data.

    PLAIT_DATA=... python benchmarks/freezing.py [--treebanks zh_gsd1 ...] [--rows tagger joint ...] [--output TABLE]

Each system is trained once, with a checkpoint; resumed from it with other options of freezing, it gives the other rows.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import plait
from plait.data.document import Sentence
from workbench import part_of

# name: system and options
JOINT = {"epochs": 6}
TRANSITION = {"epochs": 2, "beam": 4, "folds": 2, "tagger_epochs": 4}
ROWS: dict[str, tuple[str, dict[str, Any]]] = {
    "tagger": ("easyfirst-tagger", {"epochs": 8}),
    "perceptron": ("perceptron-tagger", {"epochs": 8}),
    "joint": ("easyfirst-joint", JOINT),
    "joint, min-updates 2": ("easyfirst-joint", JOINT | {"min_updates": 2}),
    "joint, min-updates 3": ("easyfirst-joint", JOINT | {"min_updates": 3}),
    "joint, beam 4": ("easyfirst-joint", JOINT | {"beam": 4, "warmup": 3}),
    "transition": ("transition-joint", TRANSITION),
    "transition, min-updates 2": ("transition-joint", TRANSITION | {"min_updates": 2}),
}
# how the weights are stored; the first is what the others are compared with
WAYS: dict[str, dict[str, Any]] = {
    "full precision": {"bits": 32, "prune": False},
    "as stored by default": {},
    "8 bits": {"bits": 8, "prune": False},
    "slack 0.5": {"slack": 0.5},
}


def analysed(model: plait.Model, test: list[Sentence]) -> list[Sentence]:
    found = [sentence.bare() for sentence in test]
    for sentence in found:
        model.system.annotate(sentence)
    return found


def share(right: list[bool]) -> float:
    return 100.0 * sum(right) / len(right)


def columns(sentences: list[Sentence], parses: bool) -> list[tuple[Any, ...]]:
    """(tag, head, label) of every word, as far as the system predicts them."""
    words = ((s.upos, s.heads, s.deprels) if parses else (s.upos,) for s in sentences)
    return [word for sentence in words for word in zip(*sentence, strict=True)]


def measure(treebank: str, row: str, ways: list[str]) -> list[str]:
    system, options = ROWS[row]
    train, dev, test = (plait.read(part_of(treebank, name)).sentences for name in ("train", "dev", "test"))
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        parses = system.endswith(("joint", "parser"))
        gold: list[tuple[Any, ...]] = []
        full: list[tuple[Any, ...]] = []
        for way in ways:
            path = Path(folder) / "model.plait"
            model = plait.train(
                system, train=train, dev=dev, checkpoint=Path(folder) / "state", resume=True, **options, **WAYS[way]
            )
            model.save(path)
            gold = gold or columns(test, parses)
            found = columns(analysed(model, test), parses)
            full = full or found
            scores = [share([a[0] == b[0] for a, b in zip(gold, found, strict=True)])]
            if parses:
                scores.append(share([a[1] == b[1] for a, b in zip(gold, found, strict=True)]))
                scores.append(share([a[1:] == b[1:] for a, b in zip(gold, found, strict=True)]))
            changed = share([a != b for a, b in zip(full, found, strict=True)])
            shown = " / ".join(f"{score:.2f}" for score in scores)
            lines.append(f"| {treebank} | {row} | {way} | {shown} | {changed:.2f} | {path.stat().st_size / 1e6:.1f} |")
            print(lines[-1], flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--treebanks", nargs="+", default=["zh_gsd1"])
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS))
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--output", type=Path)
    a = parser.parse_args()
    lines = ["| treebank | system | weights | UPOS / UAS / LAS | words changed, % | model, MB |", "|---" * 6 + "|"]
    for treebank in a.treebanks:
        for row in a.rows:
            lines += measure(treebank, row, a.ways)
    if a.output is not None:
        a.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
