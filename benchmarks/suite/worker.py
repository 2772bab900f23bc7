"""One measurement in a process of its own, so that its memory and its imports are its own. Prints JSON.

python benchmarks/suite/worker.py train TASK CONTENDER MODEL --sentences N [--quick]
python benchmarks/suite/worker.py use TASK CONTENDER MODEL --repeats 3 [--quick]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # one thread for all, before NumPy is imported

sys.path.insert(0, str(Path(__file__).parents[1]))
from plait.data.document import Sentence  # noqa: E402
from suite.contenders import PLAIT, Analyser, Contender  # noqa: E402
from suite.peers import PEERS  # noqa: E402
from suite.tasks import find_task  # noqa: E402

LENGTHS = ((1, 10), (11, 20), (21, 30), (31, 40), (41, 60), (61, 10_000))
QUICK = {"train": 200, "dev": 50, "test": 100}  # sentences


def contender_named(name: str) -> Contender:
    return next(contender for contender in (*PLAIT, *PEERS) if contender.name == name)


def megabytes(path: Path) -> float:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files) / 1e6


def processor_seconds() -> float:
    """Of this process and of those it has waited for."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def peak_megabytes() -> float:
    """The most memory that this process, or a child of it, has held (Linux counts in kilobytes)."""
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1e3


def train(arguments: argparse.Namespace) -> dict[str, Any]:
    task, contender = find_task(arguments.task), contender_named(arguments.contender)
    known = task.read("train", QUICK["train"] if arguments.quick else 0)
    known = known[: arguments.sentences or None]
    dev = task.read("dev", QUICK["dev"] if arguments.quick else 0)
    cpu, wall = processor_seconds(), time.perf_counter()
    contender.train(known, dev, arguments.model, arguments.quick)
    return {
        "sentences": len(known),
        "cpu_seconds": processor_seconds() - cpu,
        "seconds": time.perf_counter() - wall,
        "megabytes": megabytes(arguments.model),
        "peak_megabytes": peak_megabytes(),
    }


def timed(analyser: Analyser, sentences: list[Sentence]) -> tuple[float, list[Any]]:
    """Processor seconds of an analysis, and its results."""
    items = analyser.prepare(sentences)
    begin = time.process_time_ns()
    results = analyser.run(items)
    return (time.process_time_ns() - begin) / 1e9, results


def use(arguments: argparse.Namespace) -> dict[str, Any]:
    task, contender = find_task(arguments.task), contender_named(arguments.contender)
    gold = task.read("test", QUICK["test"] if arguments.quick else 0)
    begin = time.perf_counter()
    analyser = contender.open(arguments.model, task.kind)
    load_seconds = time.perf_counter() - begin
    timed(analyser, gold[:20])  # warm
    by_length = []
    for low, high in LENGTHS:
        chosen = [sentence for sentence in gold if low <= len(sentence) <= high]
        if chosen:
            best = min(timed(analyser, chosen)[0] for _ in range(arguments.repeats))
            words = sum(map(len, chosen))
            by_length.append({"words": words / len(chosen), "sentences": len(chosen), "words_per_second": words / best})
    runs: list[float] = []
    results: list[Any] = []
    for _ in range(arguments.repeats):
        seconds, results = timed(analyser, gold)
        runs.append(seconds)
    scores = task.scores(gold, analyser.finish(results))
    measured = contender.measured or tuple(scores)
    return {
        "scores": {name: value for name, value in scores.items() if name in measured},
        "sentences_per_second": [len(gold) / run for run in runs],
        "words_per_second": [sum(map(len, gold)) / run for run in runs],
        "by_length": by_length,
        "load_seconds": load_seconds,
        "peak_megabytes": peak_megabytes(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("train", "use"))
    parser.add_argument("task")
    parser.add_argument("contender")
    parser.add_argument("model", type=Path)
    parser.add_argument("--sentences", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    print(json.dumps(train(arguments) if arguments.what == "train" else use(arguments)))


if __name__ == "__main__":
    main()
