"""A stored graph-based model on a part of a treebank, also with other pruning than it was trained with.

    python benchmarks/graph/evaluate.py MODEL [--treebank zh_gsd1] [--part dev] [--prune-arcs 0.001] [--max-heads 20]

prints a row of a table. The data is looked for in PLAIT_DATA, else in ../shared/data beside the checkout. Gold words;
punctuation counts. Seconds are of the processor, so that a busy machine does not change them much.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import time
from pathlib import Path
from typing import Any

import plait

DATA = Path(os.environ.get("PLAIT_DATA", Path(__file__).parents[3] / "shared" / "data")) / "ud"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--treebank", default="zh_gsd1")
    parser.add_argument("--part", default="dev", choices=["train", "dev", "test"])
    parser.add_argument("--prune-arcs", type=float)
    parser.add_argument("--max-heads", type=int)
    parser.add_argument("--limit", type=int, default=0, help="only the first N sentences")
    a = parser.parse_args()
    system: Any = plait.load(a.model).system
    asked = {"prune_arcs": a.prune_arcs, "max_heads": a.max_heads}
    system.options = dataclasses.replace(system.options, **{k: v for k, v in asked.items() if v is not None})
    gold = plait.read(DATA / a.treebank / f"{a.part}.conllu").sentences[: a.limit or None]
    found = [sentence.bare() for sentence in gold]
    start = time.process_time()
    for sentence in found:
        system.annotate(sentence)
    speed = len(gold) / (time.process_time() - start)
    scores = plait.evaluate(gold, found)
    las = f"{scores.las:.2f}" if system.labels.labelled else "–"
    print(
        "| model | part | prune-arcs | max-heads | LAS | UAS | POS | sentences/s |\n|---|---|---|---|---|---|---|---|"
    )
    print(
        f"| {a.model.name} | {a.part} | {system.options.prune_arcs:g} | {system.options.max_heads} | {las} "
        f"| {scores.uas:.2f} | {scores.upos:.2f} | {speed:.1f} |"
    )


if __name__ == "__main__":
    main()
