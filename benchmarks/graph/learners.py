"""AP, PA and SPA against the pipeline, epoch by epoch: Table 3, Figures 4, 5 and 6 of Li et al. (2012).

    python benchmarks/graph/learners.py [--treebank zh_gsd1] [--sentences N] [--epochs N] [--labeled] [--augment]
                                        [--output benchmarks/results/graph-learners]

writes OUTPUT.md and, where matplotlib is there, OUTPUT-curves.svg and OUTPUT-errors.svg. All models use the same
tagger and pruning. The data is looked for in PLAIT_DATA, else in ../shared/data beside the checkout; punctuation
counts.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from group_scores import group_scores

import plait
from plait.data.document import Sentence
from plait.evaluation.plots import plot_patterns
from plait.graph.chart import POS, SYN, Space
from plait.graph.options import GraphJointOptions, GraphParserOptions
from plait.graph.system import GraphJoint, GraphParser, GraphSystem
from plait.graph.training.first_order import fit_first_stage
from plait.graph.training.systems import fit_chart, measure_trees
from plait.learn.outcome import Outcome
from plait.learn.task import TrainingTask
from plait.trees.tree import Tree

DATA = Path(os.environ.get("PLAIT_DATA", Path(__file__).parents[3] / "shared" / "data")) / "ud"
MODELS = {"SPA": "spa", "PA": "pa", "AP": "perceptron", "pipeline": "pa"}
PATTERNS = 12


def measure_scales(system: GraphSystem, dev: Sequence[Sentence]) -> Outcome:
    """Measures on dev the scale of the POS and the syntactic scores as well (Figure 5).

    ``score`` is the mean score of the best analyses, as in the paper. Its zero means nothing: a word with one candidate
    tag has whatever score other words left to its features. ``spread`` does without a zero: how far the best analysis
    is above one whose tags, or whose heads, are drawn from what pruning left.
    """
    sums = {f"{group} {what}": 0.0 for group in (POS, SYN) for what in ("score", "spread")}
    random = np.random.default_rng(1)
    chart = system.chart
    assert chart is not None
    decode = chart.decode

    def record(space: Space) -> Any:
        tags, tree, score = decode(space)
        best = group_scores(chart, space, tags, tree)
        drawn_tags, drawn_tree = draw(space, tree, random)
        others = {
            POS: group_scores(chart, space, drawn_tags, tree)[POS],
            SYN: group_scores(chart, space, tags, drawn_tree)[SYN],
        }
        for group, value in best.items():
            sums[f"{group} score"] += value / len(dev)
            sums[f"{group} spread"] += (value - others[group]) / len(dev)
        return tags, tree, score

    chart.decode = record  # type: ignore[method-assign]
    outcome = measure_trees(system, dev)
    outcome.notes = sums
    return outcome


def draw(space: Space, tree: Tree, random: np.random.Generator) -> tuple[npt.NDArray[np.uint16], Tree]:
    """A tag for every word from its candidates, and a head from those kept; labels stay."""
    c = space.candidates
    tags = [random.choice(c.tag[a:b]) for a, b in pairwise(c.starts[1:].tolist())]
    heads = tree.heads.copy()
    for m in range(1, len(heads)):
        heads[m] = random.choice(np.flatnonzero(space.keep[:, m]))
    return np.array(tags, dtype=np.uint16), Tree(heads, tree.labels)


def bare(sentences: Sequence[Sentence], system: GraphSystem) -> list[Sentence]:
    found = [sentence.bare() for sentence in sentences]
    for sentence in found:
        system.annotate(sentence)
    return found


def errors(gold: Sequence[Sentence], found: Sequence[Sentence]) -> Counter[tuple[str, str]]:
    pairs = ((g, f) for a, b in zip(gold, found, strict=True) for g, f in zip(a.upos, b.upos, strict=True))
    return Counter(pair for pair in pairs if pair[0] != pair[1])


def plot_curves(path: Path, curves: dict[str, list[dict[str, float]]]) -> None:
    import matplotlib
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3.2), layout="constrained")
    attachment, tagging, scales = figure.subplots(1, 3)
    for name, epochs in curves.items():
        x = range(1, len(epochs) + 1)
        attachment.plot(x, [e["uas"] for e in epochs], label=name)
        tagging.plot(x, [e["tags"] for e in epochs], label=name)
        if "pos spread" in epochs[0]:
            line = scales.plot(x, [e["pos spread"] for e in epochs], label=f"{name} pos")
            scales.plot(x, [e["syn spread"] for e in epochs], "--", color=line[0].get_color(), label=f"{name} syn")
    scales.set_yscale("log")
    for axes, title in ((attachment, "UAS, dev"), (tagging, "POS, dev"), (scales, "spread of scores, dev")):
        axes.set_title(title)
        axes.set_xlabel("epoch")
        axes.legend(fontsize=7)
    with matplotlib.rc_context({"svg.hashsalt": "plait", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--treebank", default="zh_gsd1")
    parser.add_argument("--sentences", type=int, default=0, help="only the first N training sentences")
    parser.add_argument("--held-out", type=int, default=0, help="only the first N of dev and of test")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--labeled", action="store_true")
    parser.add_argument("--augment", action="store_true", help="losses added in training, which the paper does not")
    parser.add_argument("--templates", default="li2012-zh")
    parser.add_argument("--output", type=Path)
    a = parser.parse_args()
    train, dev, test = (plait.read(DATA / a.treebank / f"{part}.conllu").sentences for part in ("train", "dev", "test"))
    train, dev, test = train[: a.sentences or None], dev[: a.held_out or None], test[: a.held_out or None]
    common = {
        "epochs": a.epochs, "labeled": a.labeled, "augment": a.augment, "templates": a.templates,
        "bits": 32, "prune": False, "runs": 1,
    }  # fmt: skip
    task = TrainingTask(train, dev)
    stage = fit_first_stage(task, GraphJointOptions(**common))
    tagger_found = [sentence.bare() for sentence in test]
    for sentence in tagger_found:
        stage.tagger.annotate(sentence)
    patterns = {"CRF tagger": errors(test, tagger_found)}
    rows, curves, left = [], {}, {}
    for name, learner in MODELS.items():
        curve: list[dict[str, float]] = []
        report = dataclasses.replace(task, on_epoch=lambda r, curve=curve: curve.append(r.dev) if r.dev else None)  # type: ignore[misc]
        system: GraphSystem
        if name == "pipeline":
            system = fit_chart(GraphParser, stage, report, GraphParserOptions(learner=learner, **common))
        else:
            system = fit_chart(GraphJoint, stage, report, GraphJointOptions(learner=learner, **common), measure_scales)
        found = bare(test, system)
        scores = plait.evaluate(test, found)
        if name != "pipeline":
            patterns[f"{name} joint"] = errors(test, found)
            left = system.training["pruning"]
        else:
            curve = [epoch | {"tags": system_accuracy(dev, stage.tagger)} for epoch in curve]
        curves[name] = curve
        best = curve[system.training["best_epoch"] - 1]
        ratio = f"{best['pos spread'] / best['syn spread']:.4f}" if "pos spread" in best else "–"
        las = f"{scores.las:.2f}" if a.labeled else "–"
        rows.append(f"| {name} | {scores.uas:.2f} | {las} | {scores.upos:.2f} | {ratio} |")
        print(rows[-1], flush=True)
    lines = [
        "# graph-joint: AP, PA, SPA and the pipeline",
        "",
        "`" + " ".join(
            ["python benchmarks/graph/learners.py", f"--treebank {a.treebank}", f"--sentences {a.sentences}",
             f"--held-out {a.held_out}", f"--epochs {a.epochs}", *(["--labeled"] if a.labeled else []),
             *(["--augment"] if a.augment else []), f"--templates {a.templates}"]
        ) + "`",
        "",
        f"{len(train)} training sentences, {len(dev)} of dev, {len(test)} of test; "
        f"{'labelled' if a.labeled else 'unlabelled'}; the best epoch on dev. All use the same tagger and "
        f"pruning, which leaves {left['tags_per_word']:.2f} tags per word in the training data "
        f"(oracle {left['tag_oracle']:.2f}) and {left['arcs_kept']:.1f} % of the arcs "
        f"(oracle {left['arc_oracle']:.2f}). Score: the mean of the best analyses of "
        "dev; spread: its lead over analyses with tags, or heads, drawn at random after pruning; ratio: POS "
        "spread over syntactic spread.",
        "",
        "| model | test UAS | test LAS | test POS | ratio |",
        "|---|---|---|---|---|",
        *rows,
        "",
        "By epoch, on dev:",
        "",
        "| model | epoch | UAS | POS | POS score | syntactic score | POS spread | syntactic spread | ratio |",
        "|---|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for name, curve in curves.items():
        for epoch, dev_scores in enumerate(curve, 1):
            scale = "– | – | – | – | –"
            if "pos score" in dev_scores:
                scale = " | ".join(
                    f"{dev_scores[f'{g} {what}']:.3f}" for what in ("score", "spread") for g in (POS, SYN)
                )
                scale += f" | {dev_scores['pos spread'] / dev_scores['syn spread']:.4f}"
            lines.append(f"| {name} | {epoch} | {dev_scores['uas']:.2f} | {dev_scores['tags']:.2f} | {scale} |")
    lines += ["", "Tag errors on test, gold → found:", "", f"| pattern | {' | '.join(patterns)} |"]
    lines.append("|---" * (len(patterns) + 1) + "|")
    together: Counter[tuple[str, str]] = sum(patterns.values(), Counter())
    for pattern in sorted(together, key=lambda key: (-together[key], key))[:PATTERNS]:
        counts = " | ".join(str(found[pattern]) for found in patterns.values())
        lines.append(f"| {pattern[0]} → {pattern[1]} | {counts} |")
    lines.append("| all | " + " | ".join(str(found.total()) for found in patterns.values()) + " |")
    text = "\n".join(lines) + "\n"
    print(text)
    if a.output:
        a.output.with_suffix(".md").write_text(text, encoding="utf-8")
        try:
            plot_curves(a.output.with_name(a.output.name + "-curves.svg"), curves)
            plot_patterns(
                a.output.with_name(a.output.name + "-errors.svg"), list(patterns.values()), list(patterns), PATTERNS
            )
        except (ImportError, plait.PlaitError) as error:
            print(f"no pictures: {error}")


def system_accuracy(gold: Sequence[Sentence], tagger: Any) -> float:
    """Of the pipeline, whose tags are the tagger's."""
    right = total = 0
    for sentence in gold:
        found = sentence.bare()
        tagger.annotate(found)
        right += sum(a == b for a, b in zip(found.upos, sentence.upos, strict=True))
        total += len(sentence)
    return 100.0 * right / total


if __name__ == "__main__":
    main()
