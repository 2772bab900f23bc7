"""Lemmas on gold words, beside UDPipe 1 trained on the same files: accuracy, speed, size.

    pip install ufal.udpipe
    python benchmarks/morphology/lemmas.py [en_ewt eu_bdt1 cs_cac zh_gsd1] [--part test] [--models build/morphology]

Rows: the lemmatizer on gold tags; after a morph-tagger (``TREEBANK.plait``, as ``tagging.py`` trains it); both deciding
together; UDPipe, which finds tags and lemmas at once (``TREEBANK.udpipe``). Models that are kept in the folder from an
earlier run are used again, the lemmatizer as ``TREEBANK-lemmas.plait``; what is not there is trained, UDPipe only with
``--only ... udpipe``. Words whose gold lemma is ``_`` do not count. Speed: processor time of one core for tags and
lemmas (on gold tags, for lemmas alone), the median of five passes, each by freshly loaded models that have seen
no word yet, and (*again*) of a second pass of each. Tagger and lemmatizer take turns after every 64 sentences, as the
parts of a pipeline do.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import udpipe
from tagging import OPTIONS, bare, timed

import plait
from plait import Sentence
from plait.morphology.lemma_joint import JointLemmas
from plait.system.base import BLOCK

KINDS = ("gold tags", "after the tagger", "together", "udpipe")

Analyse = Callable[[Sequence[Sentence]], None]


def accuracy(gold: Sequence[Sentence], found: Sequence[Sentence], known: set[str]) -> tuple[float, float]:
    """Words whose lemma is right, in per cent: all, and those whose form the training data does not have."""
    pairs = [
        (lemma == other, form in known)
        for g, f in zip(gold, found, strict=True)
        for form, lemma, other in zip(g.forms, g.lemmas, f.lemmas, strict=True)
        if lemma != "_" or form == "_"
    ]
    new = [right for right, seen in pairs if not seen]
    return 100 * sum(right for right, _ in pairs) / len(pairs), 100 * sum(new) / max(len(new), 1)


def trained(path: Path, system: str, treebank: str, **options: Any) -> Path:
    """The model of a treebank; trained now if it is not kept from an earlier run."""
    if not path.exists():
        begin = time.process_time()
        files = {name: udpipe.part_of(treebank, name) for name in ("train", "dev")}
        plait.train(system, **files, **options).save(path)
        path.with_name(f"{path.name}.seconds").write_text(f"{time.process_time() - begin:.0f}")
    return path


def analyser(kind: str, lemmas: Path, tags: Path | None, size: int = BLOCK) -> Analyse:
    """A freshly loaded function that adds lemmas to bare sentences."""
    lemmatizer = plait.load(lemmas).system
    if tags is None:
        return lemmatizer.annotate_each
    tagger = plait.load(tags).system
    if kind == "together":
        joint = JointLemmas(tagger, lemmatizer)

        def decided_together(sentences: Sequence[Sentence]) -> None:
            for sentence in sentences:
                joint.annotate_with(sentence)

        return decided_together

    def one_after_the_other(sentences: Sequence[Sentence]) -> None:
        for first in range(0, len(sentences), size):
            block = sentences[first : first + size]
            tagger.annotate_each(block)
            lemmatizer.annotate_each(block)

    return one_after_the_other


def without_lemmas(sentences: Sequence[Sentence]) -> list[Sentence]:
    """The words with their gold tags."""
    return [Sentence(s.forms, upos=s.upos, xpos=s.xpos, feats=s.feats) for s in sentences]


def plait_row(
    kind: str, treebank: str, folder: Path, gold: Sequence[Sentence], known: set[str], size: int
) -> dict[str, str]:
    """One way to use the lemmatizer."""
    lemmas = trained(folder / f"{treebank}-lemmas.plait", "lemmatizer", treebank)
    tags = None
    if kind != "gold tags":
        tags = trained(folder / f"{treebank}.plait", "morph-tagger", treebank, **OPTIONS.get(treebank, {}))
    given = without_lemmas if kind == "gold tags" else bare
    found, analyse = given(gold), analyser(kind, lemmas, tags, size)
    analyse(found)

    def loaded() -> Callable[[], None]:
        fresh, sentences = analyser(kind, lemmas, tags, size), given(gold)
        return lambda: fresh(sentences)

    stored = sum(path.stat().st_size for path in (lemmas, tags) if path is not None)
    return row(f"plait, {kind}", accuracy(gold, found, known), timed(loaded, len(gold)), stored)


def udpipe_row(treebank: str, part: str, folder: Path, gold: Sequence[Sentence], known: set[str]) -> dict[str, str]:
    """UDPipe."""
    path = udpipe.trained(treebank, folder)

    found, loaded = udpipe.tagged(path, udpipe.part_of(treebank, part))
    scores = accuracy(gold, found, known)
    return row("UDPipe 1, `models=1`", scores, timed(loaded, len(gold)), path.stat().st_size)


def row(name: str, scores: tuple[float, float], speeds: dict[str, str], size: float) -> dict[str, str]:
    """One line of the table."""
    every, new = (f"{score:.2f}" for score in scores)
    return {
        "system": name,
        "Lemmas": every,
        "new forms": new,
        **speeds,
        "MB": f"{size / 1e6:.1f}",
    }


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebanks", nargs="*", default=["en_ewt", "eu_bdt1", "cs_cac", "zh_gsd1"])
    parser.add_argument("--part", default="test")
    parser.add_argument("--models", type=Path, default=Path("build/morphology"))
    parser.add_argument("--only", nargs="+", default=KINDS, choices=KINDS, metavar="KIND")
    parser.add_argument("--block", type=int, default=BLOCK, help="sentences after which the two take turns")
    arguments = parser.parse_args()
    arguments.models.mkdir(parents=True, exist_ok=True)
    print(f"{platform.machine()}, one core; gold words, {arguments.part}\n")
    for treebank in arguments.treebanks:
        gold = [sentence for sentence in plait.read(udpipe.part_of(treebank, arguments.part)) if len(sentence)]
        if all(lemma == "_" for sentence in gold for lemma in sentence.lemmas):
            print(f"## {treebank}\n\nThe treebank has no lemmas.\n")
            continue
        known = {form for sentence in plait.read(udpipe.part_of(treebank, "train")) for form in sentence.forms}
        rows = [
            udpipe_row(treebank, arguments.part, arguments.models, gold, known)
            if kind == "udpipe"
            else plait_row(kind, treebank, arguments.models, gold, known, arguments.block)
            for kind in arguments.only
        ]
        print(f"## {treebank}\n\n| {' | '.join(rows[0])} |\n|{'---|' * len(rows[0])}")
        for each in rows:
            print(f"| {' | '.join(each.values())} |", flush=True)
        print()


if __name__ == "__main__":
    main()
