"""Members, their votes, a stacked parser and a student on one treebank: accuracy on dev and test, speed, size.

    python benchmarks/committee/accuracy.py eu_bdt1 [--rows members votes stack student] [--seed 1] [--text FILE]
                                                    [--members transition graph] [--clusters FILE] [--threshold 0.9]
                                                    [--sentences N] [--held-out N]

Models are trained where --work does not have them yet (trainings can be interrupted and go on), and written there as
TREEBANK-SEED-NAME.plait. ``votes`` are all members with each kind of weights, and the three families alone; a vote
learns its weights from dev, so that test is the fair column. ``stack`` is the transition-based member with easy-first
trees as a guide. ``student`` is a greedy easy-first parser, trained on the treebank and on what the vote is sure of in
--text. Each vote is compared with the best single member on dev, by the permutation test. Results are kept in
results/TREEBANK.jsonl beside this script, and results/TREEBANK.md is written from them. Gold words, punctuation
counted, one thread. With --clusters (such as benchmarks/transition/clusters.py writes) all members look at the word
clusters of that file. The data is looked for in PLAIT_DATA, else in ../shared/data.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from typing import Any

import plait
from plait.data.document import Document
from plait.evaluation import compare_runs, evaluate
from plait.pipeline import Model
from plait.pipeline.combining import vote
from plait.pipeline.distilling import Selection, distill, read_units

HERE = Path(__file__).parent
DATA = Path(os.environ.get("PLAIT_DATA", HERE.parents[2] / "shared" / "data")) / "ud"
MEASURES = ("upos", "uas", "las")

ONCE = {"runs": 1}  # also where parsers would average several runs
TRANSITION = ONCE | {"beam": 8, "epochs": 8, "graph_features": True}
MEMBERS: dict[str, tuple[str, dict[str, Any]]] = {
    "transition": ("transition-joint", TRANSITION),
    "right-to-left": ("transition-joint", ONCE | {"beam": 8, "epochs": 8, "direction": "right-to-left"}),
    "graph": ("graph-joint", ONCE | {"epochs": 5, "prune_arcs": 0.003, "max_heads": 12}),
    "easy-first": ("easyfirst-joint", ONCE | {"beam": 8}),
}
FAMILIES = ("transition", "graph", "easy-first")
STACK = ("transition-joint", TRANSITION | {"guide": "easyfirst-joint", "guide_folds": 4})
VOTES = {
    "vote, equal": (tuple(MEMBERS), "equal"),
    "vote, accuracy": (tuple(MEMBERS), "accuracy"),
    "vote, probability": (tuple(MEMBERS), "probability"),
    "vote of three families, accuracy": (FAMILIES, "accuracy"),
}


def read(chosen: argparse.Namespace, part: str) -> Document:
    """One part of the treebank, or the first sentences of it."""
    path = DATA / chosen.treebank / f"{part}.conllu"
    limit = chosen.sentences if part == "train" else chosen.held_out
    return Document(plait.read(path if path.exists() else f"{path}.xz").sentences[: limit or None])


def named(chosen: argparse.Namespace) -> str:
    """The treebank, and how much of it is used."""
    parts = [("", chosen.sentences), ("held-out-", chosen.held_out)]
    clusters = ["clusters"] if chosen.clusters else []
    return "-".join([chosen.treebank, *clusters, *(f"{what}{count}" for what, count in parts if count)])


def model_path(chosen: argparse.Namespace, name: str) -> Path:
    return chosen.work / f"{named(chosen)}-{chosen.seed}-{file_name(name)}.plait"


def file_name(row: str) -> str:
    """A row as part of the name of a file."""
    return row.replace(" ", "-").replace(",", "")


def trained(chosen: argparse.Namespace, name: str, system: str, options: dict[str, Any]) -> Model:
    """The model of a row; trained now if --work does not have it."""
    path = model_path(chosen, name)
    if not path.exists():
        print(f"training {name}", flush=True)
        options = options | ({"clusters": str(chosen.clusters)} if chosen.clusters else {})
        model = plait.train(
            system, train=read(chosen, "train"), dev=read(chosen, "dev"), seed=chosen.seed,
            checkpoint=path.with_suffix(".checkpoint"), resume=True, on_epoch=lambda r: print(r.line(), flush=True),
            **options,
        )  # fmt: skip
        model.save(path)
    return plait.load(path)


def measured(chosen: argparse.Namespace, name: str, model: Model, path: Path) -> dict[str, Any]:
    """Scores on dev and test, sentences a second of processor time, megabytes; analyses go to --work."""
    row: dict[str, Any] = {"row": name, "seed": chosen.seed, "megabytes": round(path.stat().st_size / 1e6, 1)}
    for part in ("dev", "test"):
        gold = read(chosen, part)
        begin = time.process_time()
        found = Document([model(sentence.bare())[0] for sentence in gold])
        row["sentences_per_second"] = round(len(gold.sentences) / (time.process_time() - begin))
        plait.write(found, predictions(chosen, name, part, chosen.seed))
        scores = evaluate(gold, found)
        row[part] = {measure: round(getattr(scores, measure), 2) for measure in MEASURES}
    return row


def predictions(chosen: argparse.Namespace, name: str, part: str, seed: int) -> Path:
    return chosen.work / f"{named(chosen)}-{seed}-{file_name(name)}-{part}.conllu"


def significance(chosen: argparse.Namespace, seeds: Mapping[int, Mapping[str, dict[str, Any]]], name: str) -> str:
    """The difference in LAS between a row and the best member of each seed (by LAS on dev), on test, with its p."""
    pairs = []
    for seed, rows in seeds.items():
        members = [rows[member] for member in MEMBERS if member in rows]
        if name in rows and name not in MEMBERS and members:
            best = max(members, key=lambda row: row["dev"]["las"])["row"]
            pairs.append([predictions(chosen, row, "test", seed) for row in (name, best)])
    if not pairs or not all(file.exists() for pair in pairs for file in pair):
        return ""
    one, other = ([plait.read(pair[k]) for pair in pairs] for k in (0, 1))
    found = compare_runs(read(chosen, "test"), one, other)["las"]
    return f"{found.difference:+.2f} ({found.permutation_p:.4f})"


def student(chosen: argparse.Namespace, name: str, teacher: Model) -> Model:
    """A greedy easy-first parser that has learnt from the vote as well."""
    path = model_path(chosen, name)
    if not path.exists():
        words = read_units([str(chosen.text)], None, raw=False)  # a committee takes text whose words are given
        found = distill(
            teacher, words, system="easyfirst-joint", train=read(chosen, "train").sentences,
            dev=read(chosen, "dev").sentences, work=path.with_suffix(".conllu"), seed=chosen.seed,
            selection=Selection(chosen.threshold),
            on_collected=lambda collected: print(collected.line(), flush=True),
        )  # fmt: skip
        found.save(path)
    return plait.load(path)


def render(chosen: argparse.Namespace, seeds: dict[int, dict[str, dict[str, Any]]]) -> str:
    less = [f" --{name} {n}" for name, n in (("sentences", chosen.sentences), ("held-out", chosen.held_out)) if n]
    if chosen.clusters:
        less.insert(0, " --clusters FILE")
    if len(chosen.members) < len(MEMBERS):
        less.insert(0, f" --members {' '.join(chosen.members)}")
    if len(seeds) > 1:
        less.append(f" --seed {'|'.join(map(str, sorted(seeds)))}")
    known, dev, test = (len(read(chosen, part)) for part in ("train", "dev", "test"))
    lines = [
        f"# Members, votes and stacking on {chosen.treebank}", "",
        f"    python benchmarks/committee/accuracy.py {chosen.treebank}{''.join(less)}", "",
        f"{known} training sentences, {dev} of dev, {test} of test.",
        "Gold words, no gold tags, punctuation counted, one thread. The difference is to the best member on dev",
        "(by LAS), on test, with p of the permutation test; the options of every row are in the script.", "",
        "| row | seed | dev UPOS | dev UAS | dev LAS | test UPOS | test UAS | test LAS | difference in LAS (p) "
        "| sentences/s | MB |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for name in dict.fromkeys(name for rows in seeds.values() for name in rows):
        runs = {seed: rows[name] for seed, rows in sorted(seeds.items()) if name in rows}
        for seed, row in runs.items():
            scores = [f"{row[part][m]:.2f}" for part in ("dev", "test") for m in MEASURES]
            told = row.get("difference", "")
            speed, size = row["sentences_per_second"], row["megabytes"]
            lines.append(f"| {name} | {seed} | {' | '.join(scores)} | {told} | {speed} | {size} |")
        if len(runs) > 1:
            means = [mean(row[part][m] for row in runs.values()) for part in ("dev", "test") for m in MEASURES]
            cells = " | ".join(f"**{value:.2f}**" for value in means)
            told = significance(chosen, {seed: seeds[seed] for seed in runs}, name)
            lines.append(f"| {name} | mean of {len(runs)} | {cells} | {told} | | |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank")
    parser.add_argument(
        "--rows", nargs="+", default=["members", "votes"], choices=("members", "votes", "stack", "student")
    )
    parser.add_argument("--members", nargs="+", default=list(MEMBERS), choices=list(MEMBERS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sentences", type=int, default=0, help="only the first N training sentences")
    parser.add_argument("--held-out", type=int, default=0, help="only the first N sentences of dev and of test")
    parser.add_argument("--clusters", type=Path, help="word clusters for all members")
    parser.add_argument("--threshold", type=float, default=Selection.threshold, help="of distill, for the student")
    parser.add_argument("--text", type=Path, help="text for the student, its words given (any format)")
    parser.add_argument("--work", type=Path, default=Path("build") / "committee-benchmark")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    chosen = parser.parse_args()
    if "student" in chosen.rows and chosen.text is None:
        parser.error("a student needs --text")
    for folder in (chosen.work, chosen.results):
        folder.mkdir(parents=True, exist_ok=True)
    kept = chosen.results / f"{named(chosen)}.jsonl"
    seeds: dict[int, dict[str, dict[str, Any]]] = {chosen.seed: {}}
    for row in [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else ():
        seeds.setdefault(row["seed"], {})[row["row"]] = row
    rows = seeds[chosen.seed]

    def keep(name: str, model: Model, path: Path) -> None:
        rows[name] = measured(chosen, name, model, path)
        if name not in MEMBERS:
            rows[name]["difference"] = significance(chosen, {chosen.seed: rows}, name)
        print(json.dumps(rows[name]), flush=True)
        text = "".join(json.dumps(row) + "\n" for _, mine in sorted(seeds.items()) for row in mine.values())
        kept.write_text(text)
        kept.with_suffix(".md").write_text(render(chosen, seeds))

    members: dict[str, Model] = {}
    for name, (system, options) in MEMBERS.items():
        if name not in chosen.members:
            continue
        members[name] = trained(chosen, name, system, options)
        if "members" in chosen.rows and name not in rows:
            keep(name, members[name], model_path(chosen, name))
    dev = read(chosen, "dev").sentences
    order = sorted(members, key=lambda name: -rows[name]["dev"]["las"])  # equal votes go to the better member
    for name, (chosen_members, weights) in VOTES.items() if "votes" in chosen.rows else ():
        if name not in rows and set(FAMILIES if chosen_members == FAMILIES else ()) <= set(members):
            voting = vote([members[m] for m in order if m in chosen_members], dev=dev, weights=weights)
            path = model_path(chosen, name)
            voting.save(path)
            keep(name, voting, path)
    if "stack" in chosen.rows and "stack" not in rows:
        keep("stack", trained(chosen, "stack", *STACK), model_path(chosen, "stack"))
    name = f"student, threshold {chosen.threshold:g}"
    if "student" in chosen.rows and name not in rows:
        teacher = vote([members[name] for name in order], dev=dev, weights="accuracy")
        keep(name, student(chosen, name, teacher), model_path(chosen, name))


if __name__ == "__main__":
    main()
