"""Accuracy, training time, speed and size of ``perceptron-tagger`` on the UD treebanks.

    python benchmarks/tagger.py [--output benchmarks/results/tagger.md]

The data is looked for in PLAIT_DATA, else in ../shared/data beside the checkout.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import plait
from workbench import UD, part_of, publish

SEEDS = (1, 2, 3)
ROWS: list[tuple[str, dict[str, Any]]] = [
    ("zh_gsd1", {}),
    ("zh_gsd1", {"tag": "xpos"}),
    ("zh_gsd1", {"templates": "collins"}),
    ("zh_gsd1", {"learner": "pa"}),
    ("zh_gsd1", {"table": "hash", "hash_bits": 18}),
    ("zh_gsd1", {"table": "hash", "hash_bits": 20}),
    ("zh_gsd1", {"table": "hash", "hash_bits": 22}),
    ("zh_gsd1", {"table": "hash", "hash_bits": 24}),
    ("zh_gsd1", {"bits": 8}),
    ("zh_gsd1", {"bits": 16}),
    ("zh_gsd1", {"bits": 32}),
    ("en_ewt", {}),
    ("en_ewt", {"tag": "xpos"}),
    ("en_ewt", {"learner": "pa"}),
    ("en_ewt", {"table": "hash", "hash_bits": 22}),
    ("eu_bdt1", {}),
]


def one_row(treebank: str, options: dict[str, Any]) -> str:
    train, dev, test = (plait.read(part_of(treebank, name)) for name in ("train", "dev", "test"))
    columns = options.get("tag", "upos").split("+")
    accuracies, seconds, speeds = [], [], []
    for seed in SEEDS:
        start = time.perf_counter()
        model = plait.train("perceptron-tagger", train=train, dev=dev, seed=seed, **options)
        seconds.append(time.perf_counter() - start)
        right = total = 0
        start = time.perf_counter()
        predicted = list(model.pipe(test))
        speeds.append(len(test) / (time.perf_counter() - start))
        for gold, document in zip(test, predicted, strict=True):
            pairs = zip(*(getattr(s, c) for s in (gold, document[0]) for c in columns), strict=True)
            right += sum(values[: len(columns)] == values[len(columns) :] for values in pairs)
            total += len(gold)
        accuracies.append(100 * right / total)
    shown = ", ".join(f"{name}={value}" for name, value in options.items()) or "defaults"
    size = len(model.to_bytes()) / 1e6
    return (
        f"| {treebank} | {shown} | {statistics.mean(accuracies):.2f} ± {statistics.pstdev(accuracies):.2f} "
        f"| {statistics.median(seconds):.1f} | {statistics.median(speeds):,.0f} "
        f"| {model.system.weights.bits} | {size:.1f} |"
    )


def report() -> Iterator[str]:
    yield "# perceptron-tagger\n"
    yield f"`python benchmarks/tagger.py`, one core of {platform.machine()}, gold words, 10 epochs, best one on dev,"
    yield f"accuracy on test over seeds {SEEDS}: mean ± standard deviation; times are medians."
    yield "A joined tag is right when all its parts are. Without `bits`: the fewest that keep dev within 0.05.\n"
    yield "| treebank | options | test accuracy | training s | sentences/s | bits | MB |"
    yield "|---|---|---|---|---|---|---|"
    for treebank, options in ROWS:
        yield one_row(treebank, options)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--output", type=Path)
    chosen = arguments.parse_args()
    if not UD.is_dir():
        raise SystemExit(f"no treebanks in {UD}; set PLAIT_DATA to the folder with the data")
    publish(report(), chosen.output)


if __name__ == "__main__":
    main()
