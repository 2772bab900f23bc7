"""A million sentences through one model: resident memory must not grow.

python benchmarks/memory.py [--sentences 1000000] [--threads 2] > benchmarks/results/memory.md
"""

from __future__ import annotations

import argparse
import time
from itertools import cycle, islice
from pathlib import Path

import plait

TINY = Path(__file__).parents[1] / "examples" / "tiny.conllu"


def resident_megabytes() -> float:
    """What the process holds in memory now (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--sentences", type=int, default=1_000_000)
    arguments.add_argument("--threads", type=int, default=2)
    chosen = arguments.parse_args()
    treebank = plait.read(TINY)
    model = plait.train("perceptron-tagger", train=treebank, epochs=5)
    texts = cycle([" ".join(sentence.forms * 4) for sentence in treebank])
    print("# Memory over a stream\n")
    print(f"`python benchmarks/memory.py`: {chosen.sentences:,} texts of about 22 words through `Model.pipe` with")
    print(f"{chosen.threads} threads.\n")
    print("| texts so far | resident MB | seconds |\n|---|---|---|")
    start = time.perf_counter()
    step = chosen.sentences // 10
    for count, _ in enumerate(islice(model.pipe(texts, threads=chosen.threads), chosen.sentences), 1):
        if count % step == 0 or count == step // 10:
            print(f"| {count:,} | {resident_megabytes():.1f} | {time.perf_counter() - start:.1f} |", flush=True)


if __name__ == "__main__":
    main()
