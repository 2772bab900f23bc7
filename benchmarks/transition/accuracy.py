"""Joint transition-based tagging and parsing on the UD treebanks: the rows of Bohnet & Nivre (2012), Tables 1 and 2.

    python benchmarks/transition/accuracy.py grid  [--treebanks zh_gsd1 en_ewt eu_bdt1] [--rows "k = 1" ...] [--beam 40]
    python benchmarks/transition/accuracy.py final [--treebanks zh_gsd1 en_ewt eu_bdt1 cs_cac] [--rows baseline ...]

``grid`` varies the number of candidate tags k and the threshold alpha, then learner, update and oracle at k = 3 and
alpha = 0.8, and scores on dev, after the last epoch, as the paper does. ``final`` scores on test: the k = 1 baseline,
the joint system, with graph features (G), with clusters too (C), over morphological tags, and greedy; p is the
permutation test of TLAS against the baseline. Beam and epochs of each treebank stand in SETTINGS, so that a command
repeats its table; the grid takes another beam by ``--beam`` (the paper has 40). Gold words, punctuation counted.

Each run is appended to results/TABLE.jsonl, and results/TABLE.md is written from all runs there; a run that is there
already is not repeated. Taggers of the folds are the same for all rows of a treebank: they are trained once and kept in
--work, as are the predictions and models. The data is looked for in PLAIT_DATA, else in ../shared/data.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import pickle
import resource
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from clusters import write_clusters

import plait
from plait.data.document import Document
from plait.evaluation import compare, evaluate
from plait.formats import stream
from plait.pipeline import Model
from plait.transition.training import systems
from workbench import UD, keep_runs, known_runs, part_of

HERE = Path(__file__).parent
train_folds = systems.jackknifed_candidates
MEASURES = ("tlas", "las", "uas", "upos")

JOINT = "transition-joint"
G = {"graph_features": True, "graph_templates": "factors"}  # those of the table; the default set has more now
ROWS: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {
    "grid": {
        "k = 1": ("transition-parser", {}),
        **{f"k = {k}, α = {a}": (JOINT, {"tag_candidates": k, "alpha": a})
           for k, a in ((2, 0.2), (3, 0.2), (3, 0.4), (3, 0.6), (3, 0.8), (4, 0.9))},
        "SPA": (JOINT, {"learner": "spa"}),
        "perceptron": (JOINT, {"learner": "perceptron"}),
        "early update": (JOINT, {"update": "early"}),
        "no word dropout": (JOINT, {"word_dropout": 0.0}),
        "eager oracle": (JOINT, {"oracle": "eager"}),
    },
    "final": {
        "baseline": ("transition-parser", {}),
        "joint": (JOINT, {}),
        "joint, α = 0.4": (JOINT, {"alpha": 0.4}),
        "joint + G": (JOINT, {**G, "beam": 16}),
        "joint + G, α = 0.4": (JOINT, {**G, "beam": 16, "alpha": 0.4}),
        "joint + G, b1 = 80": (JOINT, {**G, "beam": 80, "epochs": 4}),
        "joint + C": (JOINT, {"clusters": True, "beam": 16}),
        "joint + G + C": (JOINT, {**G, "clusters": True, "beam": 16}),
        "joint + G + C, b1 = 80": (JOINT, {**G, "clusters": True, "beam": 80, "epochs": 4}),
        "baseline, endings": ("transition-parser", {"templates": "endings"}),
        "joint, endings": (JOINT, {"templates": "endings"}),
        "joint + G, endings": (JOINT, {"templates": "endings", **G}),
        "baseline, morphology": ("transition-parser", {"morphology": "on"}),
        "joint, morphology": (JOINT, {"morphology": "on"}),
        "joint, morphology, k = 4, α = 0.9": (JOINT, {"morphology": "on", "tag_candidates": 4, "alpha": 0.9}),
        "joint + G, morphology": (JOINT, {"morphology": "on", **G}),
        "joint + G, morphology, b1 = 80":
            (JOINT, {"morphology": "on", **G, "beam": 80, "epochs": 4}),
        "greedy": (JOINT, {"beam": 1, "beam_tags": 0, "epochs": 8}),
        "greedy, compact": (JOINT, {"beam": 1, "beam_tags": 0, "epochs": 8, "templates": "compact"}),
    },
}  # fmt: skip

# what a treebank gets in the final table; the grid has one small setting for all
SETTINGS: dict[str, dict[str, Any]] = {
    "zh_gsd1": {"beam": 40, "epochs": 12},
    "en_ewt": {"beam": 16, "epochs": 8},
    "eu_bdt1": {"beam": 16, "epochs": 10},
    "cs_cac": {"beam": 16, "epochs": 8},
}
GRID: dict[str, Any] = {"beam": 8, "epochs": 6}
OF_GRID = (
    "Rows with b1 = 40 (`--beam 40`) have the morph-tagger inside that is the default now, those with b1 = 8 the CRF",
    "tagger that was the default then, so that rows of the two beams cannot be compared with each other.",
)


def read(treebank: str, name: str, count: int | None = None) -> Document:
    return Document(islice(stream(part_of(treebank, name)), count))


def kept(path: Path, make: Callable[[], Any]) -> Any:
    """The cached result of an earlier run, or a new one. Only for trusted files: they are pickled."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(make()))
    return pickle.loads(path.read_bytes())


def recipe(tagger: Any, folds: int) -> str:
    """A digest of what the taggers of the folds are made from.

    The tagger of the whole training data is made in the same way, and before them: its options, templates, tags and
    weights follow from data, seed, clusters, epochs and code, so that a change in any of these shows in them.
    """
    header, arrays = tagger.parts()
    told = {name: value for name, value in header.items() if name != "training"}
    options = dataclasses.asdict(tagger.options)
    digest = hashlib.sha256(json.dumps([folds, options, told], sort_keys=True, default=str).encode())
    for name in sorted(arrays):
        digest.update(name.encode() + arrays[name].tobytes())
    return digest.hexdigest()[:16]


def with_kept_tags(work: Path, treebank: str) -> None:
    """Let the parsers below take the tags of the training data from --work."""

    def jackknifed(task: Any, train: Any, tagger: Any, folds: int) -> Any:
        path = work / f"{treebank}-{tagger.options.tag}-{recipe(tagger, folds)}.folds"

        def make() -> Any:
            return train_folds(task, train, tagger, folds), getattr(tagger, "temperature", None)

        found, temperature = kept(path, make)
        if temperature is not None:
            tagger.temperature = temperature
        return found

    systems.jackknifed_candidates = jackknifed


def settings_of(table: str, treebank: str, beam: int) -> dict[str, Any]:
    return GRID | {"beam": beam} if table == "grid" else SETTINGS[treebank]


def run(chosen: argparse.Namespace, treebank: str, row: str) -> dict[str, Any]:
    table, seed, sentences, work = chosen.table, chosen.seed, chosen.sentences, chosen.work
    system, options = ROWS[table][row]
    settings = settings_of(table, treebank, chosen.beam)
    files = {"clusters": str(write_clusters(treebank, work / f"{treebank}.clusters"))} if "clusters" in options else {}
    dev = read(treebank, "dev")
    gold = dev if table == "grid" else read(treebank, "test")
    start = time.process_time()
    epochs: list[float] = []
    model: Model = plait.train(
        system,
        train=read(treebank, "train", sentences),
        dev=None if table == "grid" else dev,
        seed=seed,
        on_epoch=lambda record: epochs.append(getattr(record, "seconds", 0.0)),
        **{"morphology": "off", "runs": 1, **settings, **options, **files},
    )
    seconds = time.process_time() - start
    begin = time.process_time()
    predicted = Document([model(sentence.bare())[0] for sentence in gold])
    used = time.process_time() - begin
    beam = f"-b{chosen.beam}" if table == "grid" else ""
    name = f"{table}{beam}-{treebank}-{row}-{seed}".replace(" ", "").replace(",", "-")
    plait.write(predicted, work / f"{name}.conllu")
    model.save(work / f"{name}.plait")
    found = evaluate(gold, predicted)
    return {
        "treebank": treebank, "row": row, "seed": seed, "system": system, **settings, **options,
        "sentences": sentences, **{m: round(getattr(found, m), 2) for m in MEASURES},
        "best_epoch": model.system.training.get("best_epoch"), "seconds": round(seconds),
        "sentences_per_second": round(len(gold) / used), "predictions": f"{name}.conllu",
        "megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "model_megabytes": round((work / f"{name}.plait").stat().st_size / 1e6, 1),
    }  # fmt: skip


def significance(records: list[dict[str, Any]], work: Path) -> None:
    """The p of every row against the baseline of its treebank, where both predictions are at hand."""
    for record in records:
        base = next((r for r in records if r["treebank"] == record["treebank"] and r["row"] == "baseline"), None)
        files = [work / r["predictions"] for r in (record, base) if r is not None]
        if base is None or base is record or "p" in record or not all(f.exists() for f in files):
            continue
        mine, other = (plait.read(file) for file in files)
        found = {d.measure: d for d in compare(read(record["treebank"], "test"), mine, other).differences}
        record["p"] = round(found["tlas"].permutation_p, 4)


def render(table: str, records: list[dict[str, Any]]) -> str:
    part = "dev" if table == "grid" else "test"
    head = ["treebank", "row", "b1", "epochs", *MEASURES, "p (TLAS)", "training s", "sentences/s", "MB", "model MB"]
    lines = [f"# {table}", "", f"    python benchmarks/transition/accuracy.py {table}", ""]
    lines += [
        f"Per cent on {part}, gold words, punctuation counted; p against the baseline. Seconds are processor time of a",
        "two-core machine with other work on it: tagger and parser, and the folds in the row that was run first on a",
        "treebank. MB: peak resident memory of the whole run. One seed; three seeds of one setting differ by up to",
        "1.2 LAS. Rows that did worse are included. These models are stored with small weights dropped; rows",
        "stored unpruned over several seeds are in [another table](../../results/seeds-zh_gsd1.md).",
        *(OF_GRID if table == "grid" else ()),
        "",
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
    ]
    for treebank in SETTINGS:
        for name in ROWS[table]:
            for r in records:
                if (r["treebank"], r["row"]) == (treebank, name):
                    of = f" ({r['sentences']} sentences)" if r["sentences"] else ""
                    cells = [treebank + of, name, r["beam"], r["epochs"], *(f"{r[m]:.2f}" for m in MEASURES)]
                    cells += [f"{r['p']:.4f}" if "p" in r else "", r["seconds"], r["sentences_per_second"]]
                    cells += [r["megabytes"], r["model_megabytes"]]
                    lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("table", choices=ROWS)
    arguments.add_argument("--treebanks", nargs="+", default=["zh_gsd1", "en_ewt", "eu_bdt1"], choices=SETTINGS)
    arguments.add_argument("--rows", nargs="+", help="only the rows of these names")
    arguments.add_argument("--sentences", type=int, help="only so many training sentences")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--beam", type=int, default=GRID["beam"], help="of the grid")
    arguments.add_argument("--work", type=Path, default=Path("build") / "transition-benchmark")
    chosen = arguments.parse_args()
    if not UD.is_dir():
        raise SystemExit(f"no treebanks in {UD}; set PLAIT_DATA to the folder with the data")
    chosen.work.mkdir(parents=True, exist_ok=True)
    folder = HERE / "results"
    folder.mkdir(exist_ok=True)
    path = folder / f"{chosen.table}.jsonl"
    records = known_runs(path)
    for treebank in chosen.treebanks:
        with_kept_tags(chosen.work, treebank)
        for row in chosen.rows or ROWS[chosen.table]:
            beam = {**settings_of(chosen.table, treebank, chosen.beam), **ROWS[chosen.table][row][1]}["beam"]
            wanted = (treebank, row, chosen.seed, beam)
            if any((r["treebank"], r["row"], r["seed"], r["beam"]) == wanted for r in records):
                continue
            record = run(chosen, treebank, row)
            records = [*known_runs(path), record]  # other runs may have added theirs
            if chosen.table == "final":
                significance(records, chosen.work)
            keep_runs(path, records)
            print(json.dumps(record, ensure_ascii=False), flush=True)
            (folder / f"{chosen.table}.md").write_text(render(chosen.table, records))


if __name__ == "__main__":
    main()
