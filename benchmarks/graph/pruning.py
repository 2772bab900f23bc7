"""What the first-order CRF leaves of the arcs of dev, by its weight decay, passes and the strength of pruning.

    python benchmarks/graph/pruning.py [--treebank zh_gsd1] [--sentences N] [--decay 1e-6 1e-3 ...] [--epochs 4]

For each decay the CRF is trained once, on jackknifed tags; each row then shows the share of arcs that stay and how many
gold arcs are among them (the paper: 31.3 % and 99.77 on CTB5). Among settings that leave as many arcs, the one with the
higher oracle is the better pruner. The data is looked for in PLAIT_DATA, else in ../shared/data beside the checkout.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import time
from pathlib import Path

import numpy as np

import plait
from plait.data.projectivity import projectivize
from plait.data.trees import with_trees
from plait.graph.arc_crf import ArcCrf
from plait.graph.features import GraphFeatures, arc_templates
from plait.graph.options import GraphJointOptions
from plait.graph.pruning import keep_arcs
from plait.graph.training.arc_crf import ArcCrfTrainer, ArcExample
from plait.graph.training.first_order import tagger_inside
from plait.graph.training.pruning_report import PruningReport
from plait.learn.task import TrainingTask
from plait.trees.arc_labels import ArcLabels
from plait.trees.training.inner_tagger import fit_tagger, jackknifed_probabilities

DATA = Path(os.environ.get("PLAIT_DATA", Path(__file__).parents[3] / "shared" / "data")) / "ud"
PRUNING = ((0.003, 8), (0.003, 20), (0.001, 20), (0.0003, 0), (0.0001, 0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--treebank", default="zh_gsd1")
    parser.add_argument("--sentences", type=int, default=0, help="only the first N training sentences")
    parser.add_argument("--decay", type=float, nargs="+", default=[1e-6, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2])
    parser.add_argument("--epochs", type=int, default=GraphJointOptions.arc_epochs)
    parser.add_argument("--folds", type=int, default=2, help="of the tagger")
    a = parser.parse_args()
    train = with_trees(plait.read(DATA / a.treebank / "train.conllu").sentences[: a.sentences or None])
    dev = plait.read(DATA / a.treebank / "dev.conllu").sentences
    options = GraphJointOptions(folds=a.folds, arc_epochs=a.epochs)
    task = TrainingTask(train)
    name, chosen = tagger_inside(options)
    tagger = fit_tagger(name, task, chosen)
    features = GraphFeatures(arc_templates(options.prune_templates, None), tagger.tags, second=False)
    labels = ArcLabels.read(train, labelled=True, projective=True)
    p_tags = jackknifed_probabilities(task, train, tagger, options.folds)
    examples = [
        ArcExample(features.encode(s.forms, p.argmax(axis=1)), labels.gold(s))
        for s, p in zip(train, p_tags, strict=True)
    ]
    held_out = [features.encode(s.forms, tagger.tag_probabilities(s.forms).argmax(axis=1)) for s in dev]
    print("| decay | CRF UAS | prune-arcs | max-heads | arcs left, % | gold arcs left, % | seconds |")
    print("|---|---|---|---|---|---|---|")
    for decay in a.decay:
        begin = time.process_time()
        trainer = ArcCrfTrainer(dataclasses.replace(options, arc_decay=decay), features, labels, examples)
        for _ in trainer.run(a.epochs, 1):
            pass
        seconds = time.process_time() - begin
        crf = ArcCrf(features, labels, trainer.rows)
        found = [crf.probabilities(encoded) for encoded in held_out]
        right = sum(int((tree.heads[1:] == s.heads).sum()) for (tree, _, _), s in zip(found, dev, strict=True))
        uas = 100.0 * right / sum(map(len, dev))
        for threshold, most in PRUNING:
            report = PruningReport()
            for (tree, _, p), s in zip(found, dev, strict=True):
                n = len(s)
                gold = np.array([0, *projectivize(s.heads, s.deprels)[0]], dtype=np.int32)
                report.add([[0]] * n, [0] * n, keep_arcs(p, threshold, tree.heads, most), gold)
            left = report.to_dict()
            print(
                f"| {decay:g} | {uas:.2f} | {threshold:g} | {most} | {left['arcs_kept']:.1f} "
                f"| {left['arc_oracle']:.2f} | {seconds:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
