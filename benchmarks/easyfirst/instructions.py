"""Instructions of the search itself: a measure of speed that a busy machine cannot change.

    python benchmarks/easyfirst/instructions.py --models FOLDER

Counts, with valgrind, what decoding the first sentences of the zh_gsd1 test file takes, without reading, Python and
output; with the models that speed.py has made.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SENTENCES = 100
DATA = Path(os.environ.get("PLAIT_DATA", Path(__file__).parents[3] / "shared" / "data")) / "ud" / "zh_gsd1"
NAMES = ("tagger", "parser", "joint")


def decode(model: Path) -> None:
    """What is counted, in a process of its own: two passes, so that what is kept of words is there in the second."""
    from plait.data.document import Sentence
    from plait.formats import read
    from plait.pipeline import load

    system = load(model).system
    gold = read(DATA / "test.conllu").sentences[:SENTENCES]
    for _ in range(2):
        for sentence in gold:
            system.annotate(sentence.copy() if system.name == "easyfirst-parser" else Sentence(sentence.forms))
    print(sum(map(len, gold)))


def count(model: Path) -> float:
    """Instructions for one word, the mean of both passes."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "counts"
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--toggle-collect=*EasyFirst*decode*",
             sys.executable, __file__, "--decode", model],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        total = re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.MULTILINE)
    assert total is not None
    return int(total[1]) / (2 * int(run.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path)
    parser.add_argument("--decode", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.decode:
        decode(arguments.decode)
        return
    print("| system | instructions for a word |\n|---|---|")
    for name in NAMES:
        print(f"| {name} | {count(arguments.models / f'easyfirst-{name}.plait'):,.0f} |", flush=True)


if __name__ == "__main__":
    main()
