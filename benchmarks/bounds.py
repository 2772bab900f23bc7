"""How far decoders are from what their memory accesses alone would take.

    python benchmarks/bounds.py MODEL... --input test.conllu [--sentences 200] [--instructions] [--output FILE]

For each model, with the first sentences of a file:

- keys and rows: keys that the decoder looks up in its weight tables for a sentence, and how many of them have a row.
  They are counted in a second pass, so that what words score is known where the decoder remembers it. What it
  remembers, of a form or of a group of templates in a sentence, is not looked up again, and reading it is no row;
- time: processor time of a sentence, the least of several passes after a first one;
- bound: rows times the cost of a row, measured in the same run with random keys of the same tables; ratio: the time
  over it. Keys without a row, remembered sums, and all else that is done are in the time alone;
- with --instructions, of a word: instructions, and misses of the last level of a simulated cache, by valgrind, since
  virtual machines mostly have no counters. Only the second pass is counted. It takes a minute or more for each model.

Text is written without spaces where the file does not say where they are, in a script that has none. The time includes
everything that ``system.annotate`` does in Python, or that the model does with a text.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
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
import numpy.typing as npt

import plait
from plait.chain.rawtext import has_spaces
from plait.core import tables
from plait.core._counting import CountingScorer
from plait.core._frozen import FrozenWeights
from plait.core._weights import Scorer
from plait.data.document import Sentence
from workbench import publish

PASSES = 5
ASKED = 1 << 17  # random keys in one call
MIX = 0xC6A4A7935BD1E995  # of core/_hashing.pxd
OPENERS = ("plait.transition.system", "plait.chain.crf", "plait.system.modelparts")  # who opens weight tables


def inputs_of(model: Any, sentences: Sequence[Sentence]) -> list[Any]:
    """What a system takes: words, or text where it finds words."""
    if "segmenter" not in model.system.name and model.system.name not in ("pipeline", "transition-weave"):
        return [s.bare() for s in sentences]
    spaces = has_spaces(sentences)
    return [s.text if spaces else "".join(s.forms) for s in sentences]


def analyse(model: Any, inputs: Sequence[Any]) -> None:
    """Analyse all inputs."""
    for item in inputs:
        if isinstance(item, str):
            model(item)
        else:
            model.system.annotate(item)


def seconds_of(model: Any, sentences: Sequence[Sentence]) -> float:
    """Processor time for all sentences."""
    inputs = inputs_of(model, sentences)
    start = time.process_time()
    analyse(model, inputs)
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
    analyse(model, inputs_of(model, sentences))
    for table in found:
        table.reset()
    analyse(model, inputs_of(model, sentences))
    return [table for table in found if table.keys > 0]


def known_keys(table: FrozenWeights) -> npt.NDArray[np.uint64]:
    """A key for every row of a table: one that has the bucket and the fingerprint that stand in its index."""
    marks = table.index[:, :8]
    buckets = np.nonzero(marks)[0].astype(np.uint64)
    size = np.uint64(len(marks))
    low = ((buckets << np.uint64(32)) + size - np.uint64(1)) // size  # the least number whose home is that bucket
    salted = marks[marks != 0].astype(np.uint64) << np.uint64(32) | low
    mixed = salted ^ (salted >> np.uint64(47))  # core/_hashing.pxd: mix, backwards
    return mixed * np.uint64(pow(MIX, -1, 1 << 64)) ^ np.uint64(table.salt)


def nanoseconds_of_row(table: FrozenWeights) -> float:
    """The cost of a random row of this table."""
    random = np.random.default_rng(1)
    keys = known_keys(table)
    check = CountingScorer(table)
    check.scores(random.choice(keys, 1000))
    if check.rows < 1000:
        raise SystemExit("bounds.py: the keys that were made for a table are not those of its rows")
    seconds = []
    for _ in range(PASSES):
        asked = random.choice(keys, ASKED)
        start = time.process_time()
        table.scores(asked)
        seconds.append(time.process_time() - start)
    return min(seconds) / ASKED * 1e9


def count_pass(model: Any, sentences: Sequence[Sentence]) -> None:
    """Under valgrind: a second pass inside ``ffi_call``, the function in which alone events are collected.

    To subtract a run with fewer passes would not do: what two starts of Python differ by is more than a pass takes.
    """
    analyse(model, inputs_of(model, sentences))
    inputs = inputs_of(model, sentences)
    call = ctypes.pythonapi.PyObject_CallNoArgs
    call.restype = ctypes.py_object
    gc.collect()
    gc.freeze()
    call(ctypes.py_object(lambda: analyse(model, inputs)))


def simulated(path: Path, data: Path, sentences: int) -> tuple[float, float]:
    """(instructions, misses of the last level) of a pass, by valgrind."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "counts"
        subprocess.run(
            ["valgrind", "--tool=callgrind", "--cache-sim=yes", "--toggle-collect=ffi_call",
             f"--callgrind-out-file={out}", sys.executable, __file__, "--count", str(path), "--input", str(data),
             "--sentences", str(sentences)],
            check=True, capture_output=True, env=os.environ | {"PYTHONHASHSEED": "0"},
        )  # fmt: skip
        text = out.read_text()
    events = re.search(r"^events: (.*)", text, re.MULTILINE)
    total = re.search(r"^(?:summary|totals): (.*)", text, re.MULTILINE)
    assert events is not None
    assert total is not None
    names = events[1].split()
    counts = dict.fromkeys(names, 0) | dict(zip(names, map(int, total[1].split()), strict=False))  # no zeros at the end
    if counts["Ir"] == 0:
        raise SystemExit("bounds.py: valgrind saw no ffi_call: this Python's ctypes has a libffi without symbols")
    return counts["Ir"], counts["DLmr"] + counts["DLmw"]


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
        seconds_of(model, sentences)
        seconds = min(seconds_of(model, sentences) for _ in range(PASSES))
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
    parser.add_argument("--count", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    sentences = plait.read(options.input).sentences[: options.sentences]
    if options.count:
        count_pass(plait.load(options.models[0]), sentences)
        return
    publish(report(options, sentences), options.output)


if __name__ == "__main__":
    main()
