"""MLAS and BLEX of a pipeline on raw text, with the other measures of CoNLL 2018.

    python benchmarks/morphology/raw_text.py [en_ewt eu_bdt1 cs_cac zh_gsd1] [--models build/raw] [--options "epochs=8"]

A pipeline is trained on each treebank with the options of its parser, and kept as ``TREEBANK.plait``; it is given the
running text of the test set.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import udpipe

import plait
from plait.chain.rawtext import passages
from plait.evaluation import conll18

MEASURES = ("Words", "Sentences", "UPOS", "UFeats", "Lemmas", "UAS", "LAS", "MLAS", "BLEX")


def main() -> None:
    """Train the pipelines that are not kept, and test them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebanks", nargs="*", default=["en_ewt", "eu_bdt1", "cs_cac", "zh_gsd1"])
    parser.add_argument("--parser", default="auto")
    parser.add_argument("--options", default="", help="options of the parser")
    parser.add_argument("--models", type=Path, default=Path("build/raw"))
    args = parser.parse_args()
    print(f"| treebank | {' | '.join(MEASURES)} | training s |\n|---|{'---|' * (len(MEASURES) + 1)}")
    for treebank in args.treebanks:
        path = args.models / f"{treebank}.plait"
        begin = time.process_time()
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            files = {name: udpipe.part_of(treebank, name) for name in ("train", "dev")}
            plait.train("pipeline", **files, parser=args.parser, parser_options=args.options).save(path)
        seconds = time.process_time() - begin
        model = plait.load(path)
        gold = [sentence for sentence in plait.read(udpipe.part_of(treebank, "test")) if len(sentence)]
        segmenter = model.system.segmenter
        running, spaces = segmenter.options.sentences, segmenter.conventions.spaces
        texts = [passage.text for passage in passages(gold, None, running=running, spaces=spaces)]
        found = conll18(gold, [sentence for text in texts for sentence in model(text)])
        scores = " | ".join(f"{found[name].f1:.2f}" for name in MEASURES)
        print(f"| {treebank} | {scores} | {seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
