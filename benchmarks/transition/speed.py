"""Speed and memory of a transition model against the width of the beam, 1 to 80, one core.

    python benchmarks/transition/speed.py MODEL FILE.conllu [--sentences 200] [--beams 1 8 ...]

The model is opened again for each beam; tagging is part of what is timed. Median of three runs after a warm-up. With a
beam of 1 there are no other tags beside it either (b2 = 0): the search is greedy.
"""

from __future__ import annotations

import argparse
import dataclasses
import resource
import statistics
import time
from itertools import islice
from pathlib import Path

import plait
from plait.pipeline import Model
from plait.system.modelfile import open_model

BEAMS = (1, 2, 4, 8, 16, 32, 40, 64, 80)


def with_beam(path: Path, beam: int) -> Model:
    """The model with another beam."""
    header, arrays = open_model(path)
    system = type(plait.load(path).system)
    options = dataclasses.replace(plait.load(path).system.options, beam=beam)
    if beam == 1 and hasattr(options, "beam_tags"):
        options = dataclasses.replace(options, beam_tags=0)
    return Model(system.from_parts(options, header, arrays), header)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("model", type=Path)
    arguments.add_argument("file", type=Path)
    arguments.add_argument("--sentences", type=int, default=200)
    arguments.add_argument("--beams", type=int, nargs="+", default=BEAMS)
    chosen = arguments.parse_args()
    sentences = [s.bare() for s in islice(plait.read(chosen.file), chosen.sentences)]
    words = sum(map(len, sentences))
    print(f"{len(sentences)} sentences, {words / len(sentences):.1f} words each")
    print("| beam | sentences/s | words/s | MB at most |")
    print("|---|---|---|---|")
    for beam in chosen.beams:
        model = with_beam(chosen.model, beam)
        seconds = []
        for sentence in sentences[:10]:
            model(sentence)
        for _ in range(3):
            start = time.perf_counter()
            for sentence in sentences:
                model(sentence)
            seconds.append(time.perf_counter() - start)
        taken = statistics.median(seconds)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"| {beam} | {len(sentences) / taken:.0f} | {words / taken:.0f} | {peak:.0f} |", flush=True)


if __name__ == "__main__":
    main()
