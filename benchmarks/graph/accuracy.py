"""Joint, pipeline and gold tags, labelled and unlabelled: Table 4 of Li et al. (2012); and the tag errors of Figure 6.

    python benchmarks/graph/accuracy.py [--treebank zh_gsd1] [--sentences N] [--epochs N] [--rows joint pipeline ...]
                                        [--output benchmarks/results/graph-accuracy.md]

The data is looked for in PLAIT_DATA, else in ../shared/data beside the checkout. Gold words, punctuation counted.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from pathlib import Path
from typing import Any

import plait

DATA = Path(os.environ.get("PLAIT_DATA", Path(__file__).parents[3] / "shared" / "data")) / "ud"
ROWS: dict[str, tuple[str, dict[str, Any]]] = {
    "first": ("graph-parser", {"order": 1}),
    "spanning": ("graph-parser", {"order": 1, "projective": False}),
    "joint": ("graph-joint", {}),
    "joint-pa": ("graph-joint", {"learner": "pa"}),
    "joint-unlabelled": ("graph-joint", {"labeled": False}),
    "pipeline": ("graph-parser", {}),
    "pipeline-unlabelled": ("graph-parser", {"labeled": False}),
    "gold": ("graph-parser", {"gold_tags": True}),
    "gold-unlabelled": ("graph-parser", {"gold_tags": True, "labeled": False}),
}
PATTERNS = 8


def one_row(name: str, parts: list[Any], epochs: int, templates: str) -> tuple[str, str]:
    system, options = ROWS[name]
    train, dev, test = parts
    first = options.get("order") == 1
    start = time.perf_counter()
    model = plait.train(
        system, train=train, dev=dev, templates=templates, **options, **({} if first else {"epochs": epochs})
    )
    seconds = time.perf_counter() - start
    given = [plait.Sentence(s.forms, upos=s.upos if options.get("gold_tags") else None) for s in test]
    start = time.perf_counter()
    predicted = [model(sentence)[0] for sentence in given]
    speed = len(test) / (time.perf_counter() - start)
    scores = plait.evaluate(list(test), predicted)
    pruning = model.system.training.get("pruning", {})
    left = ", ".join(f"{value:.2f}" for value in pruning.values()) or "–"
    wrong: Counter[str] = Counter()
    for gold, found in zip(test, predicted, strict=True):
        wrong.update(f"{g} → {f}" for g, f in zip(gold.upos, found.upos, strict=True) if g != f)
    patterns = ", ".join(f"{pattern} {count}" for pattern, count in wrong.most_common(PATTERNS))
    las = f"{scores.las:.2f}" if options.get("labeled", True) else "–"
    row = (
        f"| {name} | {las} | {scores.uas:.2f} | {scores.upos:.2f} | {left} | {seconds:.0f} | {speed:.0f} "
        f"| {len(model.to_bytes()) / 1e6:.1f} |"
    )
    return row, f"- {name}: {patterns or 'none'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--treebank", default="zh_gsd1")
    parser.add_argument("--sentences", type=int, default=0, help="only the first N of each part")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--templates", default="li2012-zh")
    parser.add_argument("--rows", nargs="+", default=list(ROWS), choices=list(ROWS))
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    parts = [plait.read(DATA / arguments.treebank / f"{part}.conllu").sentences for part in ("train", "dev", "test")]
    if arguments.sentences:
        parts = [part[: arguments.sentences] for part in parts]
    lines = [
        "# graph-parser and graph-joint: accuracy\n",
        f"`python benchmarks/graph/accuracy.py --treebank {arguments.treebank} --sentences {arguments.sentences} "
        f"--epochs {arguments.epochs} --templates {arguments.templates} --rows {' '.join(arguments.rows)}`\n",
        "Left: tags per word, tag oracle, arcs kept, arc oracle, in per cent, on the jackknifed training data.\n",
        "| model | LAS | UAS | POS | left | training s | sentences/s | MB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    errors = ["", "Most frequent tag errors, gold → found:", ""]
    for name in arguments.rows:
        row, patterns = one_row(name, parts, arguments.epochs, arguments.templates)
        print(row, flush=True)
        lines.append(row)
        errors.append(patterns)
    text = "\n".join([*lines, *errors]) + "\n"
    if arguments.output:
        arguments.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
