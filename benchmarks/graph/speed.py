"""Speed, memory and what pruning leaves, by sentence length and threshold, for a trained graph-based model.

    python benchmarks/graph/speed.py MODEL --input test.conllu [--thresholds 0.0001 0.001 0.01]
                                     [--max-heads 20] [--limit N] [--output benchmarks/results/graph-speed.md]

A first-order model has nothing to prune: it has one column.
"""

from __future__ import annotations

import argparse
import dataclasses
import platform
import resource
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import plait
from plait.data.document import Sentence

BUCKETS = ((1, 10), (11, 20), (21, 30), (31, 40), (41, 60), (61, 120))
RUNS = 3


def left(system: Any, sentences: Sequence[Sentence]) -> tuple[list[Sentence], str]:
    """The analyses, and tags per word, share of arcs and arc oracle of their charts."""
    spaces: list[Any] = []
    found = [sentence.bare() for sentence in sentences]
    decode = system.chart.decode

    def record(space: Any) -> Any:
        spaces.append(space)
        return decode(space)

    system.chart.decode = record
    for sentence in found:
        system.annotate(sentence)
    system.chart.decode = decode
    words = sum(map(len, sentences))
    tags = sum(len(space.candidates.tag) - 1 for space in spaces)
    arcs = sum(int(space.keep.sum()) for space in spaces)
    right = sum(
        int(space.keep[h, m]) for s, space in zip(sentences, spaces, strict=True) for m, h in enumerate(s.heads, 1)
    )
    possible = sum(len(s) ** 2 for s in sentences)
    return found, f"{tags / words:.2f}, {100 * arcs / possible:.1f}, {100 * right / words:.2f}"


def seconds_of(system: Any, sentences: Sequence[Sentence]) -> float:
    seconds = []
    for _ in range(RUNS):
        bare = [sentence.bare() for sentence in sentences]
        start = time.process_time()
        for sentence in bare:
            system.annotate(sentence)
        seconds.append(time.process_time() - start)
    return statistics.median(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--input", type=Path, required=True)
    parser.add_argument("--thresholds", nargs="+", type=float, default=[1e-4, 1e-3, 1e-2])
    parser.add_argument("--max-heads", type=int, default=20)
    parser.add_argument("--limit", type=int, default=100, help="sentences of each length")
    parser.add_argument("--output", type=Path)
    a = parser.parse_args()
    system: Any = plait.load(a.model).system
    sentences = plait.read(a.input).sentences
    thresholds = a.thresholds if system.chart is not None else [0.0]
    lines = [
        f"# {system.name}: speed by length",
        "",
        f"`python benchmarks/graph/speed.py {a.model.name} --input {a.input.name} --limit {a.limit} "
        f"--max-heads {a.max_heads} --thresholds {' '.join(f'{t:g}' for t in thresholds)}`",
        "",
        f"One core of {platform.machine()}, processor time, median of {RUNS} runs after a first one; up to {a.limit} "
        "sentences of each length. In each cell: sentences/s, UAS, and in brackets tags per word, share of arcs kept "
        "and arc oracle in per cent. Memory: the highest so far, with Python and the model.",
        "",
        "| words | " + " | ".join(f"prune-arcs {t:g}" if t else "first order" for t in thresholds) + " | MB |",
        "|---" * (len(thresholds) + 2) + "|",
    ]
    for low, high in BUCKETS:
        chosen = [s for s in sentences if low <= len(s) <= high][: a.limit]
        if not chosen:
            continue
        cells = []
        for threshold in thresholds:
            note = ""
            if system.chart is not None:
                system.options = dataclasses.replace(system.options, prune_arcs=threshold, max_heads=a.max_heads)
                found, note = left(system, chosen)
                note = f" ({note})"
            else:
                found = [s.bare() for s in chosen]
                for sentence in found:
                    system.annotate(sentence)
            cells.append(
                f"{len(chosen) / seconds_of(system, chosen):.1f}, {plait.evaluate(chosen, found).uas:.2f}{note}"
            )
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        lines.append(f"| {low}–{high} | " + " | ".join(cells) + f" | {memory:.0f} |")
        print(lines[-1], flush=True)
    text = "\n".join(lines) + "\n"
    if a.output:
        a.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
