"""Joint transition-based tagging and parsing on the UD treebanks: the rows of Bohnet & Nivre (2012), Tables 1 and 2.

    python benchmarks/transition/accuracy.py grid  [--treebanks zh_gsd1 en_ewt eu_bdt1] [--beam 8 --epochs 10]
    python benchmarks/transition/accuracy.py final [--treebanks ...] [--beam 40 --epochs 25] [--alpha 0.4 --tags 3]

``grid`` varies the number of candidate tags k and the threshold alpha, and scores on dev; ``final`` scores on test the
k = 1 baseline, the joint system and the joint system with graph features at twice the beam, with the significance of
the difference in TLAS to the row above. Gold words, punctuation counted. ``--sentences N`` takes the first N of each
training set, ``--output FILE`` keeps the table. The data is looked for in PLAIT_DATA, else in ../shared/data.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import plait
from plait.data.document import Document, Sentence
from plait.evaluation import compare, evaluate

DATA = Path(os.environ.get("PLAIT_DATA", Path(__file__).parents[3] / "shared" / "data")) / "ud"
GRID = [(1, 0.0), (2, 0.2), (3, 0.2), (3, 0.4), (3, 0.6), (3, 0.8), (4, 0.9)]
HEAD = "| treebank | system | TLAS | LAS | UAS | tags | training s | sentences/s |"
LINE = "|---|---|---|---|---|---|---|---|"


def read(treebank: str, part: str, count: int = 0) -> list[Sentence]:
    sentences = list(plait.read(DATA / treebank / f"{part}.conllu"))
    return sentences[:count] if count else sentences


def run(
    treebank: str, part: str, system: str, chosen: argparse.Namespace, **options: Any
) -> tuple[str, Document, Document]:
    """A row without its name, the gold document and the predicted one."""
    train, dev = read(treebank, "train", chosen.sentences), read(treebank, "dev")
    gold = Document(dev if part == "dev" else read(treebank, part))
    start = time.perf_counter()
    choose_by = dev if part == "test" else None  # the grid reports dev itself: the last epoch, as in the paper
    model = plait.train(
        system, train=train, dev=choose_by, seed=chosen.seed, epochs=chosen.epochs, tag=chosen.tag, **options
    )
    seconds = time.perf_counter() - start
    start = time.perf_counter()
    predicted = Document([model(sentence.bare())[0] for sentence in gold])
    speed = len(gold) / (time.perf_counter() - start)
    found = evaluate(gold, predicted)
    cells = " | ".join(f"{getattr(found, name):.2f}" for name in ("tlas", "las", "uas", "upos"))
    return f"{cells} | {seconds:.0f} | {speed:.0f} |", gold, predicted


def grid(chosen: argparse.Namespace) -> Iterator[str]:
    yield HEAD
    yield LINE
    for treebank in chosen.treebanks:
        for k, alpha in GRID:
            options: dict[str, Any] = {"learner": chosen.learner, "beam": chosen.beam}
            if k > 1:
                options |= {"tags": k, "alpha": alpha}
            row, _, _ = run(treebank, "dev", "transition-joint" if k > 1 else "transition-parser", chosen, **options)
            yield f"| {treebank} dev | k = {k}, α = {alpha} | {row}"


def final(chosen: argparse.Namespace) -> Iterator[str]:
    yield HEAD.replace("TLAS |", "TLAS | p |")
    yield LINE + "---|"
    joint = {"tags": chosen.tags, "alpha": chosen.alpha, "learner": chosen.learner}
    rows: list[tuple[str, str, dict[str, Any]]] = [
        (f"k = 1, b1 = {chosen.beam}", "transition-parser", {"beam": chosen.beam, "learner": chosen.learner}),
        (f"joint, b1 = {chosen.beam}", "transition-joint", {**joint, "beam": chosen.beam}),
        (f"joint + G, b1 = {2 * chosen.beam}", "transition-joint",
         {**joint, "beam": 2 * chosen.beam, "graph_features": True}),
    ]  # fmt: skip
    for treebank in chosen.treebanks:
        before = None
        for name, system, options in rows[: chosen.rows]:
            row, gold, predicted = run(treebank, "test", system, chosen, **options)
            p = "–"
            if before is not None:
                differences = {d.measure: d for d in compare(gold, predicted, before).differences}
                p = f"{differences['tlas'].permutation_p:.4f}"
            before = predicted
            tlas, _, rest = row.partition(" | ")
            yield f"| {treebank} test | {name} | {tlas} | {p} | {rest}"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("table", choices=("grid", "final"))
    arguments.add_argument("--treebanks", nargs="+", default=["zh_gsd1", "en_ewt", "eu_bdt1"])
    arguments.add_argument("--beam", type=int, default=8)
    arguments.add_argument("--epochs", type=int, default=10)
    arguments.add_argument("--tags", type=int, default=3)
    arguments.add_argument("--alpha", type=float, default=0.4)
    arguments.add_argument("--learner", default="pa")
    arguments.add_argument("--tag", default="upos")
    arguments.add_argument("--rows", type=int, default=3, help="how many rows of the final table")
    arguments.add_argument("--sentences", type=int, default=0)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--output", type=Path)
    chosen = arguments.parse_args()
    if not DATA.is_dir():
        raise SystemExit(f"no treebanks in {DATA}; set PLAIT_DATA to the folder with the data")
    shown = {name: value for name, value in vars(chosen).items() if name not in ("output", "table")}
    lines = [f"`python benchmarks/transition/accuracy.py {chosen.table}`: {shown}", ""]
    print(lines[0], flush=True)
    for line in grid(chosen) if chosen.table == "grid" else final(chosen):
        print(line, flush=True)
        lines.append(line)
    if chosen.output:
        chosen.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
