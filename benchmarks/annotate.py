"""``plait annotate`` on 20,000 sentences of JSON lines, by workers and threads.

python benchmarks/annotate.py [--sentences 20000] [--rounds 5] > benchmarks/results/annotate.md
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import plait

TINY = Path(__file__).parents[1] / "examples" / "tiny.conllu"
SETTINGS = [(1, 1), (1, 2), (2, 1)]  # workers, threads
WORDS = 25  # in a sentence


def write_corpus(path: Path, sentences: int) -> None:
    """One sentence a line: words of the small treebank's sentences in a row."""
    draw = random.Random(1)
    known = [sentence.forms for sentence in plait.read(TINY)]
    with path.open("w", encoding="utf-8") as file:
        for number in range(sentences):
            words: list[str] = []
            while len(words) < WORDS:
                words += draw.choice(known)
            file.write(json.dumps({"id": number, "text": " ".join(words[:WORDS])}, ensure_ascii=False) + "\n")


def run(corpus: Path, model: Path, folder: Path, workers: int, threads: int) -> tuple[float, float]:
    """Wall and CPU seconds of one run of the command, its start included."""
    options = ["--workers", str(workers), "--threads", str(threads)]
    command = [sys.executable, "-m", "plait", "annotate", str(corpus), str(folder), "--model", str(model), *options]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--sentences", type=int, default=20_000)
    arguments.add_argument("--rounds", type=int, default=5)
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        corpus, model = place / "corpus.jsonl", place / "tiny.plait"
        write_corpus(corpus, chosen.sentences)
        plait.train("easyfirst-joint", train=TINY).save(model)
        times: dict[tuple[int, int], list[tuple[float, float]]] = {setting: [] for setting in SETTINGS}
        outputs = set()
        for round in range(chosen.rounds):
            for workers, threads in SETTINGS:
                folder = place / f"{round}-{workers}-{threads}"
                times[workers, threads].append(run(corpus, model, folder, workers, threads))
                outputs.add(b"".join(path.read_bytes() for path in sorted(folder.glob("*.jsonl"))))
    assert len(outputs) == 1, "the output depends on workers or threads"
    options = " ".join(sys.argv[1:])
    command = f"python benchmarks/annotate.py {options}".strip()
    print(f"# plait annotate\n\n    {command} > benchmarks/results/annotate.md\n")
    print(f"{chosen.sentences:,} lines of JSON, each a sentence of {WORDS} words; model of the small treebank;")
    print("CoNLL-U output. The whole command, including startup, in rotation; the output was always the same.")
    load, cores = os.getloadavg()[1], os.cpu_count()
    print(f"Rounds: {chosen.rounds}, the fastest counts; wall and CPU time.")
    print(f"The load of the machine was {load:.0f} on {cores} cores:")
    print("if that is more than the number of workers, CPU time is more meaningful than wall time.")
    print(f"Python {platform.python_version()}, {platform.machine()}.\n")
    print("| workers | threads in each | seconds | CPU seconds | sentences/s | sentences per CPU second |")
    print("|---|---|---|---|---|---|")
    for (workers, threads), runs in times.items():
        wall, cpu = (min(values) for values in zip(*runs, strict=True))
        rates = f"{chosen.sentences / wall:,.0f} | {chosen.sentences / cpu:,.0f}"
        print(f"| {workers} | {threads} | {wall:.2f} | {cpu:.2f} | {rates} |")


if __name__ == "__main__":
    main()
