"""What morphology gives parsers: one system on one treebank, with and without it, on gold words.

    python benchmarks/morphology/parsing.py eu_bdt1 --beam 16 --epochs 8 [--rows off on k=1] [--models build/parsing]

Rows: ``off`` (UPOS alone, of a CRF tagger), ``tagger`` (likewise, but UPOS of a morph-tagger: the default), ``on``
(FEATS chosen with the tree, features and lemmas), ``k=1`` (the same on the tagger's best tags: a pipeline). Models that
are kept in the folder from an earlier run are used again; checkpoints are kept beside them, so that a run that was
stopped goes on. ``--part dev`` is what options are chosen by; with ``--sentences N`` parsers learn from the first N,
and all epochs count. Speed: processor time of one core.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import udpipe

import plait
from plait import Sentence

ROWS: dict[str, dict[str, Any]] = {
    "off": {"morphology": "off", "tagger": "crf"},
    "tagger": {"morphology": "off", "tagger": "morph"},
    "on": {"morphology": "on"},
    "k=1": {"morphology": "on", "tag_candidates": 1, "beam_tags": 0},
}


MEASURES = {"UPOS": ["upos"], "FEATS": ["feats"], "lemmas": ["lemmas"], "UAS": ["heads"], "LAS": ["heads", "deprels"]}
HEADER = "| treebank | row | UPOS | FEATS | lemmas | UAS | LAS | sentences/s | training s |"


def trained(args: argparse.Namespace, row: str) -> tuple[Any, float]:
    """A model and the processor seconds of its training, 0 where it was kept."""
    name = f"{args.treebank}-{args.system}-{row}-b{args.beam}-e{args.epochs}-{args.sentences or 'all'}"
    name += "-g" if args.graph_features else ""
    path = args.models / f"{name}{f'-r{args.runs}' if args.runs > 1 else ''}.plait"
    if path.exists():
        return plait.load(path), 0.0
    path.parent.mkdir(parents=True, exist_ok=True)
    begin = time.process_time()
    model = plait.train(
        args.system,
        train=list(islice(plait.stream(udpipe.part_of(args.treebank, "train")), args.sentences or None)),
        dev=None if args.sentences else udpipe.part_of(args.treebank, "dev"),
        checkpoint=args.models / f"{name}.checkpoint",  # one more run goes on from there
        resume=True,
        **{
            "beam": args.beam,
            "epochs": args.epochs,
            "runs": args.runs,
            **({"graph_features": True} if args.graph_features else {}),
            "folds": 5,
            "prune": not args.sentences,
            **ROWS[row],
        },
    )
    model.save(path)
    return model, time.process_time() - begin


def accuracy(gold: Sequence[Sentence], found: Sequence[Sentence]) -> dict[str, float]:
    """Words that are right, in per cent."""
    words = sum(map(len, gold))

    def right(*columns: str) -> float:
        rows = [
            [row for s in part for row in zip(*(getattr(s, c) for c in columns), strict=True)] for part in (gold, found)
        ]
        return 100 * sum(a == b for a, b in zip(*rows, strict=True)) / words

    return {name: right(*columns) for name, columns in MEASURES.items()}


def main() -> None:
    """Train and test the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank")
    parser.add_argument("--system", default="transition-joint")
    parser.add_argument("--rows", nargs="+", default=["off", "on"], choices=[*ROWS])
    parser.add_argument("--beam", type=int, default=16)
    parser.add_argument("--parse-beam", type=int, default=0, help="another beam width for parsing than in training")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--graph-features", action="store_true", help="for transition-joint")
    parser.add_argument("--sentences", type=int, default=0)
    parser.add_argument("--part", default="test")
    parser.add_argument("--models", type=Path, default=Path("build/parsing"))
    args = parser.parse_args()
    gold = list(plait.read(udpipe.part_of(args.treebank, args.part)))
    print(f"{HEADER}\n|{'---|' * 9}")
    for row in args.rows:
        model, seconds = trained(args, row)
        model = model.with_beam(args.parse_beam) if args.parse_beam else model
        found = [sentence.bare() for sentence in gold]
        begin = time.process_time()
        for sentence in found:
            model.system.annotate(sentence)
        speed = len(gold) / (time.process_time() - begin)
        predicted = set(model.system.predicts)
        scores = accuracy(gold, found)
        cells = [f"{scores[name]:.2f}" if {*columns} <= predicted else "–" for name, columns in MEASURES.items()]
        print(f"| {args.treebank} | {row} | {' | '.join(cells)} | {speed:.0f} | {seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
