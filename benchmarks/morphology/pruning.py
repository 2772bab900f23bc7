"""What pruning the search of a morph-tagger changes: tags, accuracy and speed under other thresholds and margins.

    python benchmarks/morphology/pruning.py eu_bdt1 [--part dev] [--models build/morphology] [--settings 0.01,8 0.02,8]

A setting is the probability below which candidates are pruned when the best tags are searched, and how far a candidate
may be behind the best one by its form alone. The model is ``TREEBANK.plait``, as ``tagging.py`` trains it. Tags that
change are counted against the first setting. Speed: processor time of one core, the best of five passes, each by a
freshly loaded model.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parent))
import udpipe
from tagging import PASSES, accuracy, bare

import plait
from plait import Sentence
from plait.morphology.model import Pruning


def tagged(path: Path, gold: list[Sentence], search: float, margin: float) -> tuple[list[Sentence], float]:
    """The sentences with the tags of the model under this setting, and microseconds a sentence."""
    times, found = [], bare(gold)
    for _ in range(PASSES):
        with patch.object(Pruning, "read", lambda _, threshold: Pruning(threshold, search, margin)):
            system = plait.load(path).system
        found = bare(gold)
        begin = time.process_time()
        system.annotate_each(found)
        times.append(time.process_time() - begin)
    return found, 1e6 * min(times) / len(gold)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebanks", nargs="+")
    parser.add_argument("--part", default="dev")
    parser.add_argument("--models", type=Path, default=Path("build/morphology"))
    parser.add_argument("--settings", nargs="+", default=["0.003,8", "0.01,8", "0.02,8", "0.02,6", "0.05,8"])
    arguments = parser.parse_args()
    print("| treebank | pruned below | margin | tags that change | AllTags | µs/sentence |\n|---|---|---|---|---|---|")
    for treebank in arguments.treebanks:
        gold = [sentence for sentence in plait.read(udpipe.part_of(treebank, arguments.part)) if len(sentence)]
        first: list[tuple[str, ...]] = []
        for setting in arguments.settings:
            search, margin = map(float, setting.split(","))
            found, speed = tagged(arguments.models / f"{treebank}.plait", gold, search, margin)
            tags = [tag for s in found for tag in zip(s.upos, s.xpos, s.feats, strict=True)]
            first = first or tags
            changed = sum(a != b for a, b in zip(first, tags, strict=True))
            score = accuracy(gold, found)["AllTags"]
            print(
                f"| {treebank} | {search} | {margin:g} | {changed:,} of {len(tags):,} | {score:.3f} | {speed:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
