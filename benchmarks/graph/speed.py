"""Speed and share of arcs by sentence length and pruning threshold, for a trained graph-based model.

python benchmarks/graph/speed.py MODEL --input test.conllu [--thresholds 0.0001 0.001 0.01]
                                 [--output benchmarks/results/graph-speed.md]
"""

from __future__ import annotations

import argparse
import dataclasses
import resource
import statistics
import time
from pathlib import Path

import plait

BUCKETS = ((1, 10), (11, 20), (21, 30), (31, 40), (41, 60), (61, 100))
RUNS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--input", type=Path, required=True)
    parser.add_argument("--thresholds", nargs="+", type=float, default=[1e-4, 1e-3, 1e-2])
    parser.add_argument("--limit", type=int, default=100, help="sentences of each length")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    model = plait.load(arguments.model)
    sentences = plait.read(arguments.input).sentences
    lines = [
        f"# {model.system.name}: speed by length\n",
        f"`python benchmarks/graph/speed.py MODEL --input {arguments.input.name} --limit {arguments.limit}`, one core, "
        f"median of {RUNS} runs after a warm-up.\n",
        "| words | " + " | ".join(f"prune-arcs {t:g}: sentences/s, UAS" for t in arguments.thresholds) + " |",
        "|---" * (len(arguments.thresholds) + 1) + "|",
    ]
    for low, high in BUCKETS:
        chosen = [s for s in sentences if low <= len(s) <= high][: arguments.limit]
        if not chosen:
            continue
        cells = []
        for threshold in arguments.thresholds:
            model.system.options = dataclasses.replace(model.system.options, prune_arcs=threshold)
            predicted = [model(s.forms)[0] for s in chosen]
            seconds = []
            for _ in range(RUNS):
                start = time.perf_counter()
                for s in chosen:
                    model(s.forms)
                seconds.append(time.perf_counter() - start)
            uas = plait.evaluate(chosen, predicted).uas
            cells.append(f"{len(chosen) / statistics.median(seconds):.1f}, {uas:.2f}")
        lines.append(f"| {low}–{high} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    lines.append(f"\nPeak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB.")
    text = "\n".join(lines) + "\n"
    if arguments.output:
        arguments.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
