"""crf-tagger beside CRFsuite with the same features, labels and prior: training, and tagging by the bare decoder.

    python benchmarks/crf/peer.py SET [--sentences 0] [--iterations 30] [--templates general] [--tag upos] [--rounds 9]
                                      [--trainings 3]

Both train by L-BFGS, one thread, on the same sentences and templates, in alternating rounds: plait from sentences to a
model, CRFsuite from attributes (every feature as a short string) that were made and converted before. CRFsuite does so
many iterations, and plait as many as it needs for the same objective, which may be more.
Tagging is measured on the test set in alternating rounds as well: plait from words to a tagged sentence, CRFsuite from
attributes that were made before. All times are processor time; the ratios of rounds are more trustworthy than the
times where other work shares the machine.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import plait
from plait.data.document import Sentence
from plait.features.label_templates import LabelTemplates, split_labels
from plait.features.sequence import place_atom
from plait.features.templates import load_templates
from plait.features.word_resources import KNOWN_COLUMNS

DATA = Path(os.environ.get("PLAIT_DATA", "../shared/data")) / "ud"


def shape(form: str) -> str:
    """As the column of this name: classes of characters, a run of one class once or twice."""
    kinds = ["A" if c.isupper() else "a" if c.islower() else "0" if c.isdecimal() else "x" if c.isalpha() else "_" + c
             for c in form]  # fmt: skip
    return "".join(k for i, k in enumerate(kinds) if i < 2 or not k == kinds[i - 1] == kinds[i - 2])


def column(name: str, form: str) -> str:
    """The value of a column of word templates, empty when the word has none."""
    if name[:3] in ("pre", "suf"):
        length = int(name[3:])
        return "" if len(form) < length else form[:length] if name.startswith("pre") else form[-length:]
    return {
        "w": lambda: form,
        "low": form.lower,
        "shape": lambda: shape(form),
        "len": lambda: str(min(len(form), 10)),
        "digit": lambda: "1" * any(c.isdecimal() for c in form),
        "upper": lambda: "1" * any(c.isupper() for c in form),
        "hyphen": lambda: "1" * ("-" in form),
    }[name]()  # fmt: skip


class Attributes:
    """The features of a template set as strings."""

    def __init__(self, templates: str) -> None:
        parts = [split_labels(t)[1] for t in load_templates(templates, "chain")]
        self.plan = [[place_atom(atom, KNOWN_COLUMNS) for atom in t.atoms] for t in parts if t.atoms]

    def __call__(self, forms: Sequence[str]) -> list[list[str]]:
        rows = []
        for i in range(len(forms)):
            row = []
            for k, places in enumerate(self.plan):
                values = [self.value(name, forms, i + offset) for name, offset in places]
                if all(values):
                    row.append("|".join([str(k), *values]))
            rows.append(row)
        return rows

    def value(self, name: str, forms: Sequence[str], i: int) -> str:
        if 0 <= i < len(forms):
            return column(name, forms[i])
        return "" if name in ("digit", "upper", "hyphen") else "<s>" if i < 0 else "</s>"


def processor_time(function: Callable[[Any], object], items: Sequence[Any]) -> float:
    begin = time.process_time()
    for item in items:
        function(item)
    return time.process_time() - begin


def distinct_features(templates: str, sentences: Sequence[Sentence], make: Attributes) -> tuple[int, int]:
    """How many features both sides see: keys of plait, strings of CRFsuite."""
    from plait.features._words import word_atoms

    features = LabelTemplates(load_templates(templates, "chain"), KNOWN_COLUMNS)
    keys: set[int] = set()
    strings: set[str] = set()
    for sentence in sentences:
        for _, found in features.keys(word_atoms(sentence.forms, features.columns, features.pad)):
            keys.update(found.reshape(-1).tolist())
        strings.update(text for row in make(sentence.forms) for text in row)
    return len(keys - {0}), len(strings)


def train_both(known: list[Sentence], options: argparse.Namespace, make: Attributes, path: Path) -> tuple[Any, str]:
    """The model of plait, the file of CRFsuite's, and the line of their training."""
    import pycrfsuite

    items = [(pycrfsuite.ItemSequence(make(s.forms)), getattr(s, options.tag)) for s in known]

    def theirs() -> tuple[float, float]:
        begin = time.process_time()
        trainer = pycrfsuite.Trainer(verbose=False)
        trainer.set_params({"c1": 0.0, "c2": 0.5, "max_iterations": options.iterations, "epsilon": 0.0, "delta": 0.0,
                            "feature.possible_transitions": True})  # fmt: skip
        for sequence, tags in items:
            trainer.append(sequence, tags)
        trainer.train(str(path))
        return time.process_time() - begin, trainer.logparser.last_iteration["loss"]

    def ours(iterations: int) -> tuple[float, list[float], Any]:
        objectives: list[float] = []
        begin = time.process_time()
        model = plait.train(
            "crf-tagger", train=known, templates=options.templates, tag=options.tag, epochs=iterations, delta=0.0,
            on_epoch=lambda record: objectives.append(record.to_dict()["objective"]),
        )  # fmt: skip
        return time.process_time() - begin, objectives, model

    goal = theirs()[1]
    objectives = ours(2 * options.iterations)[1]
    iterations = next((k for k, value in enumerate(objectives, 1) if value <= goal), len(objectives))
    times = []
    for _ in range(options.trainings):
        seconds, objectives, model = ours(iterations)
        times.append((seconds, theirs()[0]))
    ratios = sorted(b / a for a, b in times)
    return model, (
        f"training: plait {min(a for a, _ in times):.2f} s, {iterations} iterations, objective {objectives[-1]:.1f}; "
        f"CRFsuite {min(b for _, b in times):.2f} s, {options.iterations} iterations, objective {goal:.1f}; "
        f"ratio of a round {statistics.median(ratios):.2f} ({ratios[0]:.2f}–{ratios[-1]:.2f})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set")
    parser.add_argument("--sentences", type=int, default=0)
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--templates", default="general")
    parser.add_argument("--tag", default="upos")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--trainings", type=int, default=3, help="rounds of training")
    parser.add_argument("--keep", type=Path, help="folder for both models; those found there are not trained again")
    options = parser.parse_args()
    import pycrfsuite

    make = Attributes(options.templates)
    known = plait.read(DATA / options.set / "train.conllu").sentences[: options.sentences or None]
    test = plait.read(DATA / options.set / "test.conllu").sentences
    with tempfile.TemporaryDirectory() as folder:
        keep = options.keep or Path(folder)
        keep.mkdir(parents=True, exist_ok=True)
        if not (keep / "crfsuite.model").exists():
            keys, strings = distinct_features(options.templates, known, make)
            print(f"{len(known)} sentences, {keys} features (CRFsuite: {strings})", flush=True)
            model, line = train_both(known, options, make, keep / "crfsuite.model")
            model.save(keep / "plait.plait")
            print(line, flush=True)
        model = plait.load(keep / "plait.plait")
        tagger = pycrfsuite.Tagger()
        tagger.open(str(keep / "crfsuite.model"))
        items = [pycrfsuite.ItemSequence(make(s.forms)) for s in test]
        words = sum(map(len, test))
        ours, theirs = [], []
        for _ in range(options.rounds):
            bare = [s.bare() for s in test]
            ours.append(processor_time(model.system.annotate, bare))
            theirs.append(processor_time(tagger.tag, items))
        tags = [getattr(s, options.tag) for s in bare]
        gold = [getattr(s, options.tag) for s in test]
        for name, found in (("plait", tags), ("CRFsuite", [tagger.tag(x) for x in items])):
            right = sum(a == b for g, f in zip(gold, found, strict=True) for a, b in zip(g, f, strict=True))
            print(f"{name}: accuracy {100 * right / words:.2f}")
    ratios = sorted(b / a for a, b in zip(ours[1:], theirs[1:], strict=True))  # in the first round words become known
    print(
        f"tagging, words a second: plait {words / min(ours):,.0f}, CRFsuite's decoder {words / min(theirs):,.0f}; "
        f"ratio of a round {statistics.median(ratios):.2f} ({ratios[0]:.2f}–{ratios[-1]:.2f}), "
        f"of the first, when no word is known yet, {theirs[0] / ours[0]:.2f}"
    )


if __name__ == "__main__":
    main()
