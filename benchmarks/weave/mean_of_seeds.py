"""The pipeline and transition-weave with the mean of the weights of several seeds: less chance in the comparison.

    python benchmarks/weave/mean_of_seeds.py --treebank zh_ud2 --seeds 1 2 3 --work build/weave-benchmark [--test]

After ``raw_text.py`` with the same treebank, seeds and --work: the checkpoints that it left there are averaged as by
``--runs``; segmenter and tagger are those of the first seed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import raw_text

import plait
from plait.core.tables import freeze_arrays, mean_weights
from plait.data.document import Document, Sentence
from plait.evaluation import compare_runs
from plait.system.modelfile import open_model

ARRAYS = ("keys", "starts", "labels", "values")


def best_weights(path: Path) -> dict[str, dict[str, Any]]:
    """The averaged weights of the best epoch in a checkpoint, by group."""
    _, arrays = open_model(path)
    groups = sorted({name.split(".")[1] for name in arrays if name.startswith("best.")})
    return {group: {name: np.array(arrays[f"best.{group}.{name}"]) for name in ARRAYS} for group in groups}


def averaged(chosen: argparse.Namespace, row: str) -> Any:
    """The system of the first seed with the mean of the weights of all."""
    system = plait.load(chosen.work / f"{chosen.treebank}-{row}-{chosen.seeds[0]}.plait").system
    parser = system.parser if row == "pipeline" else system
    ending = ".state.parser" if row == "pipeline" else ".state"
    found = [best_weights(chosen.work / f"{chosen.treebank}-{row}-{seed}{ending}") for seed in chosen.seeds]
    parser.weights = {
        group: freeze_arrays(mean_weights([weights[group] for weights in found]), table.labels, 16)
        for group, table in parser.weights.items()
    }
    parser.__post_init__()  # its search is made of the weights
    return system


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--treebank", default="zh_gsd1")
    arguments.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    arguments.add_argument("--test", action="store_true")
    arguments.add_argument("--work", type=Path, default=Path("build") / "weave-benchmark")
    chosen = arguments.parse_args()
    split = raw_text.read(chosen.treebank, 0, 0, chosen.work)
    systems = {row: averaged(chosen, row) for row in ("pipeline", "weave")}
    for part in ("dev", "test") if chosen.test else ("dev",):
        gold, found = split[part], dict[str, list[Sentence]]()
        for row, system in systems.items():
            found[row], _ = raw_text.analysed(system, gold, chosen.treebank)
            print(part, row, raw_text.scores(gold, found[row], chosen.treebank), flush=True)
        differences = compare_runs(Document(gold), [Document(found["weave"])], [Document(found["pipeline"])])
        shown = {name: differences[measure] for name, measure in raw_text.MEASURES.items()}
        print(part, *(f"{name} {d.difference:+.2f} (p = {d.permutation_p:.4f})" for name, d in shown.items()))


if __name__ == "__main__":
    main()
