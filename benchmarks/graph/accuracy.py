"""Accuracy on a UD treebank: joint, pipeline and gold tags, labelled and not (Table 4 of Li et al. 2012).

    python benchmarks/graph/accuracy.py [--treebank zh_gsd1] [--sentences N] [--epochs N] [--rows joint pipeline ...]
                                        [--prune-arcs P] [--max-heads N] [--tag upos]
                                        [--templates zh] [--output benchmarks/results/graph-table4.md]

Rows with the same tags and labels use the same tagger and pruning. The data is looked for in PLAIT_DATA, else in
../shared/data beside the checkout. Gold words; punctuation counts; the best epoch on dev.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import time
from pathlib import Path
from typing import Any

import plait
from plait.graph.options import GraphJointOptions, GraphParserOptions
from plait.graph.system import GraphJoint, GraphParser, GraphSystem
from plait.graph.training.first_order import FirstStage, fit_first_stage
from plait.graph.training.systems import fit_chart, fit_graph_parser
from plait.learn.task import TrainingTask
from plait.pipeline import Model

DATA = Path(os.environ.get("PLAIT_DATA", Path(__file__).parents[3] / "shared" / "data")) / "ud"
ROWS: dict[str, dict[str, Any]] = {
    "first": {"order": 1},
    "first-quick": {"order": 1, "templates": "prune"},
    "spanning": {"order": 1, "projective": False},
    "joint": {},
    "joint-pa": {"learner": "pa"},
    "joint-unlabelled": {"labeled": False},
    "pipeline": {},
    "pipeline-unlabelled": {"labeled": False},
    "gold": {"gold_tags": True},
    "gold-unlabelled": {"gold_tags": True, "labeled": False},
}


def show(record: Any) -> None:
    print(record.line(), flush=True)


def fit(name: str, task: TrainingTask, options: dict[str, Any], stages: dict[Any, FirstStage]) -> GraphSystem:
    """Train a row; ``stages`` keeps what rows share."""
    chosen = options | ROWS[name]
    if "order" in chosen:
        chosen.pop("epochs")
        return fit_graph_parser(task, GraphParserOptions(**chosen))
    joint = name.startswith("joint")
    made: Any = GraphJointOptions(**chosen) if joint else GraphParserOptions(**chosen)
    key = (made.labeled, not joint and made.gold_tags)
    if key not in stages:
        stages[key] = fit_first_stage(task, made)
    return fit_chart(GraphJoint if joint else GraphParser, stages[key], task, made)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--treebank", default="zh_gsd1")
    parser.add_argument("--sentences", type=int, default=0, help="only the first N training sentences")
    parser.add_argument("--held-out", type=int, default=0, help="only the first N of dev and of test")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--prune-arcs", type=float, default=GraphJointOptions.prune_arcs)
    parser.add_argument("--max-heads", type=int, default=GraphJointOptions.max_heads)
    parser.add_argument("--tag", default="upos")
    parser.add_argument("--templates", default="zh")
    parser.add_argument("--rows", nargs="+", default=list(ROWS), choices=list(ROWS))
    parser.add_argument("--save", type=Path, help="a folder for the models")
    parser.add_argument("--output", type=Path)
    a = parser.parse_args()
    train, dev, test = (plait.read(DATA / a.treebank / f"{part}.conllu").sentences for part in ("train", "dev", "test"))
    train, dev, test = train[: a.sentences or None], dev[: a.held_out or None], test[: a.held_out or None]
    options = {
        "epochs": a.epochs, "templates": a.templates, "tag": a.tag, "prune_arcs": a.prune_arcs,
        "max_heads": a.max_heads, "bits": 16, "prune": False, "runs": 1,
    }  # fmt: skip
    lines = [
        f"# graph-parser and graph-joint on {a.treebank}",
        "",
        f"`python benchmarks/graph/accuracy.py --treebank {a.treebank} --sentences {a.sentences} "
        f"--held-out {a.held_out} --epochs {a.epochs} --prune-arcs {a.prune_arcs} --max-heads {a.max_heads} "
        f"--tag {a.tag} --templates {a.templates} "
        f"--rows {' '.join(a.rows)}`",
        "",
        f"{len(train)} training sentences, {len(dev)} of dev, {len(test)} of test; gold words, punctuation counted, "
        "the best epoch on dev, one core. Left: tags per word, tag oracle, arcs kept, arc oracle on the jackknifed "
        "training data. Seconds: training time, without parts shared with earlier rows.",
        "",
        "| model | LAS | UAS | POS | dev LAS or UAS | left | seconds | sentences/s | MB |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    task = TrainingTask(train, dev, on_epoch=show)
    stages: dict[Any, FirstStage] = {}
    for name in a.rows:
        start = time.perf_counter()
        system = fit(name, task, options, stages)
        seconds = time.perf_counter() - start
        gold = ROWS[name].get("gold_tags", False)
        given = [plait.Sentence(s.forms, upos=s.upos, xpos=s.xpos) if gold else s.bare() for s in test]
        start = time.perf_counter()
        for sentence in given:
            system.annotate(sentence)
        speed = len(test) / (time.perf_counter() - start)
        scores = plait.evaluate(test, given)
        left = ", ".join(f"{value:.2f}" for value in system.training.get("pruning", {}).values()) or "–"
        las = f"{scores.las:.2f}" if ROWS[name].get("labeled", True) else "–"
        model = Model(system, {"system": system.name, "options": dataclasses.asdict(system.options)})
        if a.save:
            model.save(a.save / f"{a.treebank}-{name}.plait")
        dev_score = next(iter(system.training["dev"].values()), 0.0)
        lines.append(
            f"| {name} | {las} | {scores.uas:.2f} | {scores.upos:.2f} | {dev_score:.2f} | {left} | {seconds:.0f} "
            f"| {speed:.0f} | {len(model.to_bytes()) / 1e6:.1f} |"
        )
        print(lines[-1], flush=True)
        if a.output:
            a.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
