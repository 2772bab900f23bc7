"""Settings of morph-tagger on development sets, over seeds.

    python benchmarks/morphology/settings.py [eu_bdt1 ...] [--sentences 900] [--seeds 1 2 3] [--settings "" "l1=0"]

Each setting is a list of options, as ``--tagger-options`` of a pipeline has them; the empty one is the default. With
``--sentences`` only the first ones of the training data are used, and no epoch is chosen on dev.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import mean
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import udpipe
from tagging import accuracy, bare

import plait

MEASURES = ("UPOS", "UFeats", "AllTags")


def options(text: str) -> dict[str, Any]:
    """The options of a setting; numbers are all that there is.

    >>> options("l1=0.01 epochs=4")
    {'l1': 0.01, 'epochs': 4}
    """
    pairs = [pair.split("=") for pair in text.split()]
    return {name: int(value) if value.isdigit() else float(value) for name, value in pairs}


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebanks", nargs="*", default=["eu_bdt1", "zh_gsd1", "en_ewt", "cs_cac"])
    parser.add_argument("--sentences", type=int, default=0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--settings", nargs="+", default=["", "l1=0.0"])
    arguments = parser.parse_args()
    print(f"| treebank | setting | {' | '.join(MEASURES)} | spread | MB |\n|---|---|{'---|' * (len(MEASURES) + 2)}")
    for treebank in arguments.treebanks:
        train = plait.read(udpipe.part_of(treebank, "train")).sentences
        dev = [sentence for sentence in plait.read(udpipe.part_of(treebank, "dev")) if len(sentence)]
        data: dict[str, Any] = {"train": train, "dev": dev}
        if arguments.sentences:
            data = {"train": train[: arguments.sentences]}
        for setting in arguments.settings:
            rows, size = [], 0.0
            for seed in arguments.seeds:
                model = plait.train("morph-tagger", seed=seed, **data, **options(setting))
                found = bare(dev)
                for sentence in found:
                    model.system.annotate(sentence)
                rows.append(accuracy(dev, found))
                size = len(model.to_bytes()) / 1e6
            means = " | ".join(f"{mean(row[name] for row in rows):.2f}" for name in MEASURES)
            every = [row["AllTags"] for row in rows]
            name = f"`{setting}`" if setting else "default"
            print(f"| {treebank} | {name} | {means} | {max(every) - min(every):.2f} | {size:.1f} |", flush=True)


if __name__ == "__main__":
    main()
