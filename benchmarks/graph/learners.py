"""AP, PA and SPA against the pipeline, epoch by epoch: Table 3 and Figures 4 and 5 of Li et al. (2012).

    python benchmarks/graph/learners.py [--treebank zh_gsd1] [--sentences N] [--epochs N] [--labeled]
                                        [--output benchmarks/results/graph-learners.md]

The data is looked for in PLAIT_DATA, else in ../shared/data beside the checkout. Punctuation counts.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import plait
from plait.graph.training import POS, SYN

DATA = Path(os.environ.get("PLAIT_DATA", Path(__file__).parents[3] / "shared" / "data")) / "ud"


def scale_of_groups(system: Any, sentences: Any) -> dict[str, float]:
    """The mean POS and syntactic score of the best analyses."""
    sums: dict[str, float] = {}
    chart = system.chart
    decode = chart.decode

    def record(space: Any) -> Any:
        tags, tree, score = decode(space)
        for group, value in chart.group_scores(space, tags, tree).items():
            sums[group] = sums.get(group, 0.0) + value / len(sentences)
        return tags, tree, score

    chart.decode = record
    for sentence in sentences:
        system.annotate(sentence.bare())
    return sums


def run(system: str, train: Any, dev: Any, test: Any, options: Mapping[str, Any]) -> tuple[list[str], str]:
    rows: list[str] = []
    model = plait.train(system, train=train, dev=dev, on_epoch=lambda record: rows.append(record.line()), **options)
    predicted = [model(s.forms)[0] for s in test]
    scores = plait.evaluate(list(test), predicted)
    scales = scale_of_groups(model.system, list(dev)) if model.system.chart is not None else {}
    ratio = f"{scales[POS] / scales[SYN]:.4f}" if POS in scales and scales[SYN] else "–"
    return rows, f"{scores.uas:.2f} | {scores.las:.2f} | {scores.upos:.2f} | {ratio}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--treebank", default="zh_gsd1")
    parser.add_argument("--sentences", type=int, default=0, help="only the first N of each part")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--labeled", action="store_true")
    parser.add_argument("--templates", default="li2012-zh")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    parts = [plait.read(DATA / arguments.treebank / f"{part}.conllu").sentences for part in ("train", "dev", "test")]
    if arguments.sentences:
        parts = [part[: arguments.sentences] for part in parts]
    options = {"epochs": arguments.epochs, "labeled": arguments.labeled, "templates": arguments.templates}
    lines = [
        "# graph-joint: AP, PA and SPA\n",
        f"`python benchmarks/graph/learners.py --treebank {arguments.treebank} --sentences {arguments.sentences} "
        f"--epochs {arguments.epochs}{' --labeled' if arguments.labeled else ''} --templates {arguments.templates}`\n",
        "| model | test UAS | test LAS | test POS | POS score / syntactic score |",
        "|---|---|---|---|---|",
    ]
    curves: list[str] = []
    for name, system, learner in [
        ("SPA", "graph-joint", "spa"),
        ("PA", "graph-joint", "pa"),
        ("AP", "graph-joint", "ap"),
        ("pipeline", "graph-parser", "pa"),
    ]:
        rows, line = run(system, *parts, {**options, "learner": learner})
        lines.append(f"| {name} | {line} |")
        curves += ["", f"    {name}", *(f"    {row}" for row in rows)]
        print(lines[-1], flush=True)
    text = "\n".join([*lines, "", "By epoch, on dev:", *curves]) + "\n"
    if arguments.output:
        arguments.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
