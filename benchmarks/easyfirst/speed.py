"""Speed on one core, and its growth with sentence length.

    python benchmarks/easyfirst/speed.py --models FOLDER > benchmarks/easyfirst/results/speed.md

Models are trained on zh_gsd1 when the folder does not hold them yet. Every figure is the best of five passes over the
test file, in processor time, called sentence by sentence from Python with words as input.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import platform
import time
from pathlib import Path

import numpy as np

from plait.data.document import Sentence
from plait.formats import read
from plait.pipeline import Model, load, train

DATA = Path(os.environ.get("PLAIT_DATA", Path(__file__).parents[3] / "shared" / "data")) / "ud" / "zh_gsd1"
MODELS = {
    "tagger": ("easyfirst-tagger", {"epochs": 6}),
    "parser": ("easyfirst-parser", {"epochs": 3, "gold_tags": True, "tagger_epochs": 3}),
    "joint": ("easyfirst-joint", {"epochs": 3}),
}
AIMS = {("tagger", 1): 20_000, ("parser", 1): 4_000, ("parser", 8): 600, ("joint", 1): 1_500}
LENGTHS = (5, 10, 25, 50, 100, 250, 500, 1000, 2000)


def get_model(folder: Path, name: str) -> Model:
    path = folder / f"easyfirst-{name}.plait"
    if not path.exists():
        system, options = MODELS[name]
        train(system, train=DATA / "train.conllu", dev=DATA / "dev.conllu", **options).save(path)
    return load(path)


def with_beam(model: Model, beam: int) -> Model:
    system = model.system
    options = dataclasses.replace(system.options, beam=beam)
    return Model(type(system).from_parts(options, *system.parts()), model.header)


def seconds(model: Model, sentences: list[Sentence], passes: int = 5) -> float:
    best = float("inf")
    for _ in range(passes):
        begin = time.process_time()
        for sentence in sentences:
            model.system.annotate(sentence)
        best = min(best, time.process_time() - begin)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, required=True)
    folder = parser.parse_args().models
    gold = read(DATA / "test.conllu").sentences
    words = sum(map(len, gold))
    load_average = os.getloadavg()[0]
    print("# Speed\n\n    python benchmarks/easyfirst/speed.py --models FOLDER\n")
    print(
        f"zh_gsd1 test, {len(gold)} sentences, {words} words; {platform.processor() or platform.machine()}, one core;"
    )
    print(f"load average at the start: {load_average:.1f} on {os.cpu_count()} cores. The parser uses gold tags.\n")
    print("| system | beam | words/s | 25-word sentences/s | aim | model, MB |\n|---|---|---|---|---|---|")
    for name in MODELS:
        model = get_model(folder, name)
        size = (folder / f"easyfirst-{name}.plait").stat().st_size / 1e6
        for beam in (1, 2, 4, 8, 16):
            inputs = [s.copy() if name == "parser" else Sentence(s.forms) for s in gold]
            speed = words / seconds(with_beam(model, beam), inputs, 5 if beam == 1 else 2)
            aim = AIMS.get((name, beam))
            print(f"| {name} | {beam} | {speed:,.0f} | {speed / 25:,.0f} | {f'{aim:,}' if aim else ''} | {size:.1f} |")
    print("\n## Milliseconds for one sentence, by its length\n")
    print("Consecutive words of the test file, cut to the given length.\n")
    print("| system | beam | " + " | ".join(map(str, LENGTHS)) + " |\n|---|---|" + "---|" * len(LENGTHS))
    forms = [form for sentence in gold for form in sentence.forms]
    tags = [tag for sentence in gold for tag in sentence.upos]
    for name in MODELS:
        for beam in (1, 8):
            model = with_beam(get_model(folder, name), beam)
            cells = []
            for length in LENGTHS:
                starts = np.linspace(0, len(forms) - length, max(1, min(20, 2000 // length)), dtype=int)
                inputs = [Sentence(forms[i : i + length], upos=tags[i : i + length]) for i in starts.tolist()]
                cells.append(f"{1000 * seconds(model, inputs, 2) / len(inputs):.2f}")
            print(f"| {name} | {beam} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
