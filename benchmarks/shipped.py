"""Size, start, speed and memory of the models that come with plait.

    python benchmarks/shipped.py en=EWT-dev.conllu zh=GSDSimp-dev.conllu [--output FILE.md]

Speed: the running text of the file, sentences of the output by processor time of one core, the median of five passes by
a freshly opened model. Start: ``plait parse`` of one short sentence, import and opening included, the fastest of ten.
Memory: resident after the whole text, in a process of its own. On a busy machine start and speed are lower bounds.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

import plait
from plait.chain.rawtext import passages
from plait.models import shipped

PASSES, STARTS = 5, 10


def texts(model: plait.Model, path: str) -> list[str]:
    """The running text of a treebank."""
    segmenter = model.system.segmenter
    gold = [sentence for sentence in plait.read(path) if len(sentence)]
    running, spaces = segmenter.options.sentences, segmenter.conventions.spaces
    return [passage.text for passage in passages(gold, None, running=running, spaces=spaces)]


def speed(name: str, path: str) -> float:
    found = []
    for _ in range(PASSES):
        model = plait.load(shipped()[name])
        given = texts(model, path)
        begin = time.process_time()
        sentences = sum(len(model(text)) for text in given)
        found.append(sentences / (time.process_time() - begin))
    return statistics.median(found)


def start(name: str) -> float:
    command = [sys.executable, "-m", "plait", "parse", "--model", name, "Hello."]
    found = []
    for _ in range(STARTS):
        begin = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        found.append(time.perf_counter() - begin)
    return min(found)


def resident_megabytes(name: str, path: str) -> float:
    """In a fresh process, after the whole text."""
    code = (
        "import sys, plait; sys.path.insert(0, sys.argv[3]); from shipped import texts; "
        "model = plait.load(sys.argv[1]); [model(text) for text in texts(model, sys.argv[2])]; "
        "print(open('/proc/self/statm').read().split()[1])"
    )
    command = [sys.executable, "-c", code, name, path, str(Path(__file__).parent)]
    pages = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return int(pages) * 4096 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("given", nargs="+", metavar="MODEL=FILE")
    parser.add_argument("--output", type=Path)
    chosen = parser.parse_args()
    lines = ["| model | MB | start, s | sentences/s | resident MB |", "|---|---|---|---|---|"]
    for given in chosen.given:
        name, _, path = given.partition("=")
        size = shipped()[name].stat().st_size / 1e6
        cells = f"{start(name):.2f} | {speed(name, path):.0f} | {resident_megabytes(name, path):.0f}"
        lines.append(f"| `{name}` | {size:.1f} | {cells} |")
        print(lines[-1], flush=True)
    if chosen.output is not None:
        title = ["# The models that come with plait: size, start, speed, memory", "", *(__doc__ or "").splitlines()[2:]]
        chosen.output.write_text("\n".join([*title, "", *lines]) + "\n")


if __name__ == "__main__":
    main()
