"""Words, tags and trees of raw text: the pipeline, the n best segmentations parsed, and all in one search.

    python benchmarks/weave/raw_text.py [--treebank zh_gsd1] [--seeds 1 2 3] [--rows pipeline spa n-best weave start]
                                        [--test] [--sentences N] [--held-out N] [--beam 8] [--epochs 8] [--runs 1]
    python benchmarks/weave/raw_text.py --treebank pd98 --rows pipeline hybrid weave ...

Rows, all with the same segmenter, templates, beam and epochs:

    pipeline   crf-segmenter, then transition-joint on its best words
    spa        the same, learning by SPA instead of PA
    n-best     the 20 best segmentations of each sentence, each tagged and parsed by the pipeline's transition-joint;
               the best total of the parser's score and λ times the logarithm of the segmentation's probability is
               kept, with the λ that is best on the development set
    weave      transition-weave
    start      the same with --tag-at start: a word gets its tag before its extent is known; only on request

pd98 has words and tags, but no trees. There transition-weave learns words and tags alone, and the rows are

    pipeline   crf-segmenter, then morph-tagger, both with the options that they have inside transition-weave
    hybrid     crf-segmenter with --structure hybrid: words and tags in one exact search
    weave, start

The text is the running text of the treebank, of pd98 its lines one by one. F1 with the alignment of the CoNLL 2018
shared task; pairs of rows are compared by the permutation test, seed by seed and over all seeds. Models and predictions
are kept in --work, runs in results/TREEBANK.jsonl; a run that is there is not repeated. Settings are chosen on dev;
--test reads the test part too. With ``--runs N`` every parser is the mean of N trainings in different orders; a
training that is kept in --work is the first of them.
The data is looked for in PLAIT_DATA, else in ../shared/data; ``zh_ud2`` is what scripts/train_models trains ``zh``
with.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from statistics import mean
from typing import Any

import plait
from plait.chain.rawtext import passages
from plait.data.document import Document, Sentence
from plait.evaluation import compare_runs, conll18
from plait.pipeline import Model
from plait.system.request import PLAIN, Request

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DATA = Path(os.environ.get("PLAIT_DATA", ROOT.parent / "shared" / "data"))
MEASURES = {"Words": "seg_f1", "UPOS": "upos", "UAS": "uas", "LAS": "las"}
PEOPLES_DAILY = "pd98"
DEFAULT_ROWS = ("pipeline", "spa", "n-best", "weave")
ROWS = ("pipeline", "hybrid", "spa", "n-best", "weave", "start")
WOVEN = {"weave": {}, "start": {"tag_at": "start"}}  # rows of transition-weave, with their options
PAIRS = (
    ("weave", "pipeline"), ("weave", "hybrid"), ("weave", "spa"), ("weave", "n-best"), ("n-best", "pipeline"),
    ("hybrid", "pipeline"), ("start", "weave"),
)  # fmt: skip
SEGMENTER = "structure=linear optimizer=adagrad epochs=6"
CANDIDATES = 20  # segmentations of a sentence that the rival parses
WITHOUT_TREES = {
    PEOPLES_DAILY: (
        "The corpus has no trees: lines are analysed one by one, and only words and tags are predicted.",
        "",
    )
}
WEIGHTS = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # λ

Split = dict[str, list[Sentence]]


def measures(treebank: str) -> dict[str, str]:
    """The columns of a table, and what they are to the tests of significance."""
    return {name: MEASURES[name] for name in ("Words", "UPOS")} if treebank == PEOPLES_DAILY else MEASURES


def read(treebank: str, sentences: int, held_out: int, work: Path) -> Split:
    """train, dev, test; word lists that are needed on the way are kept in ``work``."""
    if treebank == "zh_ud2":
        scripts = ROOT / "scripts"
        sys.path.insert(0, str(scripts))
        loader = SourceFileLoader("train_models", str(scripts / "train_models"))
        spec = spec_from_loader("train_models", loader)
        assert spec is not None
        module = module_from_spec(spec)
        sys.modules["train_models"] = module
        loader.exec_module(module)
        with contextlib.chdir(work):  # options name word lists without a folder
            for make_file in module.recipes()["zh"].resources:
                make_file(Path())
            split = module.chinese()
        parts = {"train": split.train, "dev": split.dev, "test": split.test}
    elif treebank == PEOPLES_DAILY:
        files = {"train": "train.txt.xz", "dev": "dev.txt", "test": "test.txt"}
        parts = {part: plait.read(DATA / treebank / file, "segmented").sentences for part, file in files.items()}
    else:
        files = {part: f"{part}.conllu" for part in ("train", "dev", "test")}
        parts = {part: plait.read(DATA / "ud" / treebank / file).sentences for part, file in files.items()}
    limits = {"train": sentences, "dev": held_out, "test": held_out}
    return {part: found[: limits[part] or None] for part, found in parts.items()}


class WordsThenTags:
    """A pipeline without a parser."""

    def __init__(self, segmenter: Model, tagger: Model) -> None:
        self.segmenter = segmenter.system
        self.tagger = tagger.system

    def segment(self, text: str, request: Request) -> list[Sentence]:
        found: list[Sentence] = self.segmenter.segment(text, request)
        for sentence in found:
            self.tagger.annotate(sentence)
        return found


def trained_on_words(row: str, seed: int, split: Split, chosen: argparse.Namespace) -> tuple[Any, float]:
    """The system of a row of pd98 that is not transition-weave's, and the processor time of its training."""
    data = {"train": split["train"], "dev": split["dev"], "seed": seed}
    begin = time.process_time()
    structure = "hybrid" if row == "hybrid" else "linear"
    words = {"structure": structure, "optimizer": "adagrad", "epochs": 6, "sentences": False}
    system = plait.train("crf-segmenter", **data, **words)
    if row == "pipeline":
        tagger = plait.train("morph-tagger", **data, tag="upos", epochs=6, order=2, cutoff=1, tidy=False, prune=False)
        return WordsThenTags(system, tagger), time.process_time() - begin
    return system.system, time.process_time() - begin


def trained(row: str, seed: int, split: Split, chosen: argparse.Namespace) -> tuple[Any, float]:
    """The system of a row and the processor time of its training."""
    state = f"{chosen.first_name}-{'pipeline' if row == 'n-best' else row}-{seed}"  # more runs go on from there
    name = state.replace(chosen.first_name, chosen.name)
    path = chosen.work / f"{name}.plait"
    seconds = path.with_suffix(".seconds")
    if chosen.treebank == PEOPLES_DAILY and row not in WOVEN:
        return trained_on_words(row, seed, split, chosen)
    if path.exists():
        return plait.load(path).system, float(seconds.read_text())
    search = {"beam": chosen.beam, "epochs": chosen.epochs, "folds": 5, "tagger_epochs": 6, "prune": False, "bits": 32}
    search["runs"] = chosen.runs
    kept: dict[str, Any] = {"checkpoint": chosen.work / f"{state}.state", "resume": True, "seed": seed}
    begin = time.process_time()

    def tell(record: Any) -> None:
        print(f"{name} {record.line()} {time.process_time() - begin:.0f}", flush=True)

    if row in WOVEN:
        lines = " sentences=false" if chosen.treebank == PEOPLES_DAILY else ""
        model = plait.train(
            "transition-weave", train=split["train"], dev=split["dev"], on_epoch=tell,
            segmenter_options=SEGMENTER + lines, **search, **kept, **WOVEN[row],
        )  # fmt: skip
    else:
        if row == "spa":
            search["learner"] = "spa"
        words = " ".join(f"{key}={str(value).lower()}" for key, value in search.items())
        model = plait.train(
            "pipeline", train=split["train"], dev=split["dev"], on_epoch=tell, parser="transition-joint", tagger="",
            lemmatizer="none", parser_options=words, segmenter_options=SEGMENTER, prune=False, **kept,
        )  # fmt: skip
    seconds.write_text(str(time.process_time() - begin))
    model.save(path)
    return model.system, float(seconds.read_text())


def analysed(system: Any, gold: list[Sentence], treebank: str) -> tuple[list[Sentence], float]:
    """The sentences that a system finds in the text, and how many a second."""
    texts = ["".join(s.forms) for s in gold] if treebank == PEOPLES_DAILY else list(running_texts(system, gold))
    begin = time.process_time()
    found = [sentence for text in texts for sentence in system.segment(text, PLAIN)]
    return found, len(found) / (time.process_time() - begin)


def running_texts(system: Any, gold: list[Sentence]) -> Iterator[str]:
    """The paragraphs of a treebank."""
    spaces = system.segmenter.conventions.spaces
    return (passage.text for passage in passages(gold, None, running=True, spaces=spaces))


class NBest:
    """The rival: segmentations of each sentence with their scores, parsed once for all λ."""

    def __init__(self, system: Any, gold: list[Sentence]) -> None:
        segmenter, parser = system.segmenter, system.parser
        self.choices: list[list[tuple[float, float, Sentence]]] = []
        begin = time.process_time()
        for text in running_texts(system, gold):
            for sentence in segmenter.segment(text, PLAIN):
                offsets = sentence.offsets
                piece = text[offsets[0][0] : offsets[-1][1]]
                ways = [way for way in segmenter.alternatives_of(piece, CANDIDATES) if len(way) == 1]
                found = []
                for (way,) in ways or [[sentence]]:
                    log_p = way.score if ways else 0.0
                    parser.annotate(way)
                    found.append((log_p, way.score, way))
                self.choices.append(found)
        self.speed = len(self.choices) / (time.process_time() - begin)

    def best(self, weight: float) -> list[Sentence]:
        """The sentences with the best total."""
        return [max(ways, key=lambda way: way[1] + weight * way[0])[2] for ways in self.choices]


def predictions(chosen: argparse.Namespace, rows: Sequence[str], seed: int, part: str) -> list[Path]:
    """The files with the analyses of the rows."""
    return [chosen.work / f"{chosen.name}-{row}-{seed}-{part}.conllu" for row in rows]


def scores(gold: list[Sentence], found: list[Sentence], treebank: str) -> dict[str, float]:
    table = conll18(gold, found)
    return {name: round(table[name].f1, 2) for name in measures(treebank)}


def run(row: str, seed: int, split: Split, chosen: argparse.Namespace) -> dict[str, Any]:
    system, seconds = trained(row, seed, split, chosen)
    record: dict[str, Any] = {
        "row": row, "seed": seed, "sentences": len(split["train"]), "beam": chosen.beam, "epochs": chosen.epochs,
        "training_seconds": round(seconds),
    }  # fmt: skip
    if chosen.runs > 1:
        record["runs"] = chosen.runs
    if row in WOVEN:
        record["candidate_recall"] = round(system.training["dev"]["candidates"], 2)
    weight = math.nan
    for part in ("dev", "test") if chosen.test else ("dev",):
        gold = split[part]
        if row == "n-best":
            rival = NBest(system, gold)
            if part == "dev":
                weight = max(WEIGHTS, key=lambda w: conll18(gold, rival.best(w))["LAS"].f1)
                record["weight"] = weight
            found, speed = rival.best(weight), rival.speed
        else:
            found, speed = analysed(system, gold, chosen.treebank)
        plait.write(Document(found), predictions(chosen, [row], seed, part)[0])
        record[part] = scores(gold, found, chosen.treebank)
        record["sentences_per_second"] = round(speed)
    return record


def render(chosen: argparse.Namespace, split: Split, records: list[dict[str, Any]]) -> str:
    parts = [part for part in ("dev", "test") if any(part in r for r in records)]
    columns = measures(chosen.treebank)
    of = f" --sentences {chosen.sentences}" if chosen.sentences else ""
    of += f" --held-out {chosen.held_out}" if chosen.held_out else ""
    present = [row for row in ROWS if any(r["row"] == row for r in records)]
    of += f" --rows {' '.join(present)}" if set(present) - set(DEFAULT_ROWS) else ""
    seeds = " ".join(str(seed) for seed in sorted({r["seed"] for r in records}))
    test = " --test" if "test" in parts else ""
    runs = f" --runs {chosen.runs}" if chosen.runs > 1 else ""
    first = records[0]
    lines = [
        f"# Words, tags and trees of raw text, {chosen.treebank}", "",
        f"    python benchmarks/weave/raw_text.py --treebank {chosen.treebank}{of} --seeds {seeds} "
        f"--beam {first['beam']} --epochs {first['epochs']}{runs}{test}", "",
        f"{first['sentences']:,} training sentences; F1 on the running text (CoNLL 2018), weights stored as they are, "
        "one core, processor time.", "",
        *WITHOUT_TREES.get(chosen.treebank, ()),
        "| row | seed | " + " | ".join(f"{part} {m}" for part in parts for m in columns)
        + " | training s | sentences/s |",
        "|---|---|" + "---|" * (len(parts) * len(columns) + 2),
    ]  # fmt: skip
    for row in ROWS:
        mine = sorted((r for r in records if r["row"] == row), key=lambda r: r["seed"])
        for r in mine:
            cells = [f"{r[part][m]:.2f}" if part in r else "–" for part in parts for m in columns]
            cells += [str(r["training_seconds"]), str(r["sentences_per_second"])]
            lines.append(f"| {row} | {r['seed']} | {' | '.join(cells)} |")
        if len(mine) > 1 and all(part in r for part in parts for r in mine):
            cells = [f"**{mean(r[part][m] for r in mine):.2f}**" for part in parts for m in columns]
            lines.append(f"| {row} | mean of {len(mine)} | {' | '.join(cells)} | | |")
    recalls = sorted({r["candidate_recall"] for r in records if "candidate_recall" in r})
    weights = sorted({r["weight"] for r in records if "weight" in r})
    if recalls:
        lines += ["", f"Candidate words of weave: {', '.join(map(str, recalls))} % of the words of dev are among them."]
    if weights:
        lines += ["", f"λ of the n-best rows: {', '.join(map(str, weights))}."]
    for part in parts:
        lines += [
            "", f"Pairs on {part}: difference in points, p of the permutation test.", "",
            "| first | second | seed | " + " | ".join(columns) + " |", "|---|---|---|" + "---|" * len(columns),
        ]  # fmt: skip
        for one, other in PAIRS:
            files = {r["seed"]: predictions(chosen, (one, other), r["seed"], part) for r in records}
            at_hand = {seed: both for seed, both in sorted(files.items()) if all(file.exists() for file in both)}
            each = [[seed] for seed in at_hand]
            for seeds_here in each + ([list(at_hand)] if len(each) > 1 else []):
                a, b = ([plait.read(at_hand[seed][k]) for seed in seeds_here] for k in (0, 1))
                differences = compare_runs(Document(split[part]), a, b)
                cells = [
                    f"{d.difference:+.2f} ({d.permutation_p:.4f})"
                    for d in (differences[name] for name in columns.values())
                ]
                which = seeds_here[0] if len(seeds_here) == 1 else f"all {len(seeds_here)}"
                lines.append(f"| {one} | {other} | {which} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--treebank", default="zh_gsd1")
    arguments.add_argument("--rows", nargs="*", default=list(DEFAULT_ROWS), choices=ROWS)
    arguments.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    arguments.add_argument("--sentences", type=int, default=0, help="only the first N training sentences")
    arguments.add_argument("--held-out", type=int, default=0, help="only the first N sentences of dev and test")
    arguments.add_argument("--beam", type=int, default=8)
    arguments.add_argument("--epochs", type=int, default=8)
    arguments.add_argument("--runs", type=int, default=1, help="average the weights of N trainings of each parser")
    arguments.add_argument("--test", action="store_true", help="read the test part too; only when all is chosen")
    arguments.add_argument("--work", type=Path, default=Path("build") / "weave-benchmark")
    arguments.add_argument("--results", type=Path, default=HERE / "results")
    chosen = arguments.parse_args()
    chosen.work.mkdir(parents=True, exist_ok=True)
    chosen.results.mkdir(parents=True, exist_ok=True)
    chosen.first_name = chosen.treebank + (f"-{chosen.sentences}" if chosen.sentences else "")
    chosen.name = chosen.first_name + (f"-runs{chosen.runs}" if chosen.runs > 1 else "")
    path = chosen.results / f"{chosen.name}.jsonl"
    split = read(chosen.treebank, chosen.sentences, chosen.held_out, chosen.work)
    known = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    for seed in chosen.seeds:
        for row in chosen.rows:
            same = [r for r in known if (r["row"], r["seed"]) == (row, seed)]
            if same and (not chosen.test or "test" in same[0]):
                continue
            record = run(row, seed, split, chosen)
            known = [r for r in known if (r["row"], r["seed"]) != (row, seed)] + [record]
            path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in known))
            print(json.dumps(record, ensure_ascii=False), flush=True)
            path.with_suffix(".md").write_text(render(chosen, split, known))
    path.with_suffix(".md").write_text(render(chosen, split, known))


if __name__ == "__main__":
    main()
