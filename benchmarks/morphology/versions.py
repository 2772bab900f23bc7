"""Speed of the same morph-tagger under two versions of the code, in turns.

    python benchmarks/morphology/versions.py OLD/src NEW/src --model eu.plait --input eu_bdt1/test.conllu

Both folders hold a built checkout (``python setup.py build_ext --inplace``), and both must be able to read the model.
Processor time; every process loads the model anew for each of three passes, so that it has seen no word before, and
counts with the middle one. Printed are the medians of three processes for each version, and their ratio.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from statistics import median

TIMED = """
import sys, time
from statistics import median
import plait
model, input = sys.argv[1:]
gold = list(plait.read(input))
speeds = []
for _ in range(3):
    system = plait.load(model).system
    bare = [sentence.bare() for sentence in gold]
    system.annotate(gold[0].bare())
    begin = time.process_time()
    for sentence in bare:
        system.annotate(sentence)
    speeds.append(len(bare) / (time.process_time() - begin))
print(median(speeds))
"""


def speed(source: str, model: str, input: str) -> float:
    """Sentences a second of one process."""
    environment = os.environ | {"PYTHONPATH": source, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", TIMED, model, input], env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--model", required=True)
    parser.add_argument("--input", required=True)
    chosen = parser.parse_args()
    rounds = [[speed(source, chosen.model, chosen.input) for source in (chosen.old, chosen.new)] for _ in range(3)]
    old, new = (median(of_version) for of_version in zip(*rounds, strict=True))
    print(f"{old:,.0f} {new:,.0f} {new / old:.2f}")


if __name__ == "__main__":
    main()
