"""UPOS, XPOS, UFeats and AllTags on gold words, beside UDPipe 1 trained on the same files: accuracy, speed, size.

    pip install ufal.udpipe
    python benchmarks/morphology/tagging.py [en_ewt eu_bdt1 cs_cac zh_gsd1] [--part test] [--models build/morphology]

Models that are kept in the folder from an earlier run are used again: ``TREEBANK.plait`` (together),
``TREEBANK-apart.plait`` (column by column), ``TREEBANK-lists.plait`` (together, with the word lists and clusters of
``scripts/word_resources.py``, for English and Chinese), ``TREEBANK.udpipe``; what is not there is trained. ``--only
together apart lists udpipe`` takes some of the rows. Speed: processor time of one core over the whole part, the median
of five passes, each by a freshly loaded model that has seen no word yet, and (*again*) of a second pass of each, in
which every word has been seen, as most words of a long text have been; sentences of Python objects for plait, of
UDPipe's own for UDPipe, no files.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
import udpipe

import plait
from plait import Sentence
from plait.data.feats import tidy_feats
from word_resources import chinese_words, english_clusters, english_words

PASSES = 5
KINDS = ("together", "apart", "lists")
OPTIONS: dict[str, dict[str, Any]] = {"en_ewt": {"megabytes": 3.0}, "cs_cac": {"megabytes": 10.0}}  # else defaults


def bare(sentences: Sequence[Sentence]) -> list[Sentence]:
    """The words alone."""
    return [Sentence(sentence.forms) for sentence in sentences]


def accuracy(gold: Sequence[Sentence], found: Sequence[Sentence]) -> dict[str, float]:
    """Words whose columns are right, in per cent; FEATS as sets."""
    right = dict.fromkeys(("UPOS", "XPOS", "UFeats", "AllTags"), 0)
    words = 0
    for g, f in zip(gold, found, strict=True):
        feats = [[tidy_feats(value) for value in sentence.feats] for sentence in (g, f)]
        for columns in zip(g.upos, f.upos, g.xpos, f.xpos, *feats, strict=True):
            equal = [columns[k] == columns[k + 1] for k in (0, 2, 4)]
            for name, ok in zip(right, [*equal, all(equal)], strict=True):
                right[name] += ok
            words += 1
    return {name: 100 * count / words for name, count in right.items()}


def more_options(treebank: str, kind: str, folder: Path) -> dict[str, Any]:
    """What a kind of model adds to the options of its treebank."""
    if kind != "lists":
        return {"apart": True} if kind == "apart" else {}
    if treebank.startswith("zh"):
        return {"lexicon": str(folder / chinese_words(folder))}
    return {"lexicon": str(folder / english_words(folder)), "clusters": str(folder / english_clusters(folder))}


def timed(passes: Callable[[], Callable[[], None]], sentences: int) -> dict[str, str]:
    """Sentences a second of one core, done first and again: ``passes`` loads a fresh model and returns the work."""
    seconds: dict[str, list[float]] = {"sentences/s": [], "again": []}
    for _ in range(PASSES):
        work = passes()
        for times in seconds.values():
            begin = time.process_time()
            work()
            times.append(time.process_time() - begin)
    return {name: f"{sentences / statistics.median(times):,.0f}" for name, times in seconds.items()}


def plait_row(treebank: str, kind: str, folder: Path, gold: Sequence[Sentence]) -> dict[str, Any]:
    """One model of plait."""
    name = f"{treebank}.plait" if kind == "together" else f"{treebank}-{kind}.plait"
    path, record = folder / name, folder / f"{name}.seconds"
    if not path.exists():
        begin = time.process_time()
        model = plait.train(
            "morph-tagger",
            train=udpipe.part_of(treebank, "train"),
            dev=udpipe.part_of(treebank, "dev"),
            **OPTIONS.get(treebank, {}),
            **more_options(treebank, kind, folder),
        )
        model.save(path)
        record.write_text(f"{time.process_time() - begin:.0f}")
    model = plait.load(path)
    found = bare(gold)
    for sentence in found:
        model.system.annotate(sentence)

    def loaded() -> Callable[[], None]:
        fresh, sentences = plait.load(path), bare(gold)

        def work() -> None:
            for sentence in sentences:
                fresh.system.annotate(sentence)

        return work

    return row(f"plait, {kind}", accuracy(gold, found), timed(loaded, len(gold)), path, record)


def udpipe_row(treebank: str, part: str, folder: Path, gold: Sequence[Sentence]) -> dict[str, Any]:
    """UDPipe."""
    path = udpipe.trained(treebank, folder)

    found, loaded = udpipe.tagged(path, udpipe.part_of(treebank, part))
    scores = accuracy(gold, found)
    return row("UDPipe 1, `models=1`", scores, timed(loaded, len(gold)), path, folder / f"{treebank}.seconds")


def row(name: str, scores: dict[str, float], speeds: dict[str, str], path: Path, record: Path) -> dict[str, Any]:
    """One line of the table."""
    seconds = f"{float(record.read_text()):,.0f}" if record.exists() else "–"
    size = path.stat().st_size / 1e6
    return {"system": name, **scores, **speeds, "MB": f"{size:.1f}", "training s": seconds}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebanks", nargs="*", default=["en_ewt", "eu_bdt1", "cs_cac", "zh_gsd1"])
    parser.add_argument("--part", default="test")
    parser.add_argument("--models", type=Path, default=Path("build/morphology"))
    parser.add_argument("--only", nargs="+", default=[*KINDS, "udpipe"])
    arguments = parser.parse_args()
    arguments.models.mkdir(parents=True, exist_ok=True)
    print(f"{platform.machine()}, one core; gold words, {arguments.part}\n")
    for treebank in arguments.treebanks:
        gold = [sentence for sentence in plait.read(udpipe.part_of(treebank, arguments.part)) if len(sentence)]
        kinds = KINDS if treebank[:2] in ("en", "zh") else KINDS[:2]
        rows = [plait_row(treebank, kind, arguments.models, gold) for kind in kinds if kind in arguments.only]
        if "udpipe" in arguments.only:
            rows.append(udpipe_row(treebank, arguments.part, arguments.models, gold))
        print(f"## {treebank}\n\n| {' | '.join(rows[0])} |\n|{'---|' * len(rows[0])}")
        for each in rows:
            cells = [f"{value:.2f}" if isinstance(value, float) else str(value) for value in each.values()]
            print(f"| {' | '.join(cells)} |", flush=True)
        print()


if __name__ == "__main__":
    main()
