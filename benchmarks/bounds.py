"""How far decoders are from what their memory accesses alone would take.

    python benchmarks/bounds.py MODEL... --input test.conllu [--sentences 200] [--instructions] [--output FILE]

For each model, with the first sentences of a file:

- rows: keys that the decoder looks up for a sentence, and how many of them have a row in the weight tables;
- time: processor time of a sentence, the least of several passes after a first one, in which words become known;
- bound: rows times the cost of a row, measured in the same run with random keys of a table of the same size, bits,
  labels and weights a row; ratio: the time over it. Keys without a row, and all else that is done, are in the time
  alone;
- with --instructions, of a word: instructions, and misses of the last level of a simulated cache, by valgrind, since
  virtual machines mostly have no counters. It takes a minute or more for each model.

The time includes everything that ``system.annotate`` does in Python.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import plait
from plait.core import tables
from plait.core._counting import CountingScorer
from plait.core._frozen import FrozenWeights, freeze
from plait.core._weights import Scorer
from plait.data.document import Sentence

PASSES = 5
ASKED = 1 << 17  # random keys in one call
OPENERS = ("plait.transition.system", "plait.chain.crf", "plait.system.modelparts")  # who opens weight tables


def text_of(sentence: Sentence) -> str:
    """The sentence as raw text."""
    return sentence.text or "".join(sentence.forms)


def analyse(model: Any, sentences: Sequence[Sentence]) -> float:
    """Seconds for all sentences, as their systems take them: words, or text where they find words."""
    raw = "segmenter" in model.system.name or model.system.name in ("pipeline", "transition-weave")
    inputs: list[Any] = [text_of(s) if raw else s.bare() for s in sentences]
    start = time.process_time()
    for item in inputs:
        if raw:
            model(item)
        else:
            model.system.annotate(item)
    return time.process_time() - start


def counted(path: Path, sentences: Sequence[Sentence]) -> list[CountingScorer]:
    """The tables of a model, after a pass in which all words became known and a second one that they counted."""
    found: list[CountingScorer] = []

    def open_counting(header: Any, arrays: Any) -> Scorer:
        found.append(CountingScorer(tables.open_table(header, arrays)))
        return found[-1]

    patches = [mock.patch(f"{module}.open_table", open_counting) for module in OPENERS]
    for patch in patches:
        patch.start()
    model = plait.load(path)
    for patch in patches:
        patch.stop()
    analyse(model, sentences)
    for table in found:
        table.reset()
    analyse(model, sentences)
    return [table for table in found if table.keys > 0]


def nanoseconds_of_row(table: FrozenWeights) -> float:
    """The cost of a random row in a table like this one."""
    random = np.random.default_rng(1)
    count = len(table)
    units = max(1, (len(table.arena) - count) // ({8: 1, 16: 2, 32: 3}[table.bits] * count))
    filled = min(table.labels, units)
    keys = np.unique(random.integers(1, 2**63, count, dtype=np.uint64))
    starts = np.arange(len(keys) + 1, dtype=np.int64) * filled
    first = random.integers(0, table.labels - filled + 1, len(keys))
    labels = (first[:, None] + np.arange(filled)).astype(np.uint16).reshape(-1)
    like = freeze(keys, starts, labels, random.normal(size=len(labels)).astype(np.float32), table.labels, table.bits)
    seconds = []
    for _ in range(PASSES):
        asked = random.choice(keys, ASKED)
        start = time.process_time()
        like.scores(asked)
        seconds.append(time.process_time() - start)
    return min(seconds) / ASKED * 1e9


def simulated(path: Path, data: Path, sentences: int) -> tuple[float, float]:
    """(instructions, misses of the last level) of a pass, by valgrind: eleven passes less one, without all else."""
    totals = []
    for passes in (1, 11):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "counts"
            subprocess.run(
                ["valgrind", "--tool=callgrind", "--cache-sim=yes", f"--callgrind-out-file={out}", sys.executable,
                 __file__, "--passes", str(passes), str(path), "--input", str(data), "--sentences", str(sentences)],
                check=True, capture_output=True, env=os.environ | {"PYTHONHASHSEED": "0"},  # or starts differ by more
            )  # fmt: skip
            text = out.read_text()
        events = re.search(r"^events: (.*)", text, re.MULTILINE)
        total = re.search(r"^(?:summary|totals): (.*)", text, re.MULTILINE)
        assert events is not None
        assert total is not None
        totals.append(dict(zip(events[1].split(), map(int, total[1].split()), strict=False)))
    pair = [{"instructions": t["Ir"], "misses": t["DLmr"] + t["DLmw"]} for t in totals]
    instructions, misses = ((pair[1][name] - pair[0][name]) / 10 for name in ("instructions", "misses"))
    return instructions, misses


def report(options: argparse.Namespace, sentences: list[Sentence]) -> Iterator[str]:
    """The result table."""
    words = sum(map(len, sentences))
    yield "# Decoders and their bounds\n"
    names = " ".join(path.name for path in options.models)
    flags = f"--input {options.input.name} --sentences {len(sentences)}{' --instructions' * options.instructions}"
    yield f"`python benchmarks/bounds.py {names} {flags}`, one core of {platform.machine()},"
    yield f"{words / len(sentences):.1f} words a sentence. The script says what the columns mean.\n"
    extra = " | instructions a word | misses a word" if options.instructions else ""
    yield f"| model | system | MB | keys a sentence | rows a sentence | ns a row | bound µs | time µs | ratio{extra} |"
    yield "|---|---|---|---|---|---|---|---|---" + ("|---|---" if options.instructions else "") + "|"
    for path in options.models:
        model = plait.load(path)
        analyse(model, sentences)
        seconds = min(analyse(model, sentences) for _ in range(PASSES))
        keys = rows = size = 0
        bound = 0.0
        for table in counted(path, sentences):
            inner = table.table
            assert isinstance(inner, FrozenWeights)
            keys, rows = keys + table.keys, rows + table.rows
            size += inner.index.nbytes + inner.arena.nbytes
            bound += table.rows * nanoseconds_of_row(inner) * 1e-9
        n = len(sentences)
        line = (
            f"| {path.stem} | {model.system.name} | {size / 1e6:.1f} | {keys / n:,.0f} | {rows / n:,.0f} "
            f"| {bound / max(rows, 1) * 1e9:.1f} | {bound / n * 1e6:,.0f} | {seconds / n * 1e6:,.0f} "
            f"| {seconds / bound:.1f} |"
        )
        if options.instructions:
            found = simulated(path, options.input, n)
            line += f" {found[0] / words:,.0f} | {found[1] / words:,.1f} |"
        yield line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--input", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--passes", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    sentences = plait.read(options.input).sentences[: options.sentences]
    if options.passes:
        model = plait.load(options.models[0])
        for _ in range(options.passes):
            analyse(model, sentences)
        return
    lines = []
    for line in report(options, sentences):
        print(line, flush=True)
        lines.append(line)
    if options.output:
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
