"""Tables 2, 4 and 6 of Ma et al. (2012) and 2 to 6 of Ma et al. (2013), on treebanks that are free.

    python benchmarks/easyfirst/accuracy.py TABLE [--data zh_gsd1 ...] [--seeds 1 2 3] [--clusters FOLDER]

Each run is appended to results/TABLE.jsonl, and results/TABLE.md is written from all runs there; a run that is there
already is not repeated. The epoch is chosen on dev; test is looked at once, at the end. Rows with clusters take them
from FOLDER/DATA.clusters, which benchmarks/transition/clusters.py writes, and are left out without that. A row that is
compared with a pipeline keeps how many test words only one of the two has right; the words themselves stay in
results/right, which is not committed, so the pipeline must have been run here first.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

from plait.data.document import Sentence
from plait.evaluation import evaluate
from plait.formats import read
from plait.pipeline import Model, train

HERE = Path(__file__).parent
DATA = Path(os.environ.get("PLAIT_DATA", HERE.parents[2] / "shared" / "data")) / "ud"

PARSER = {"epochs": 10, "tagger_epochs": 8}
GOLD = {**PARSER, "gold_tags": True}
GRID = {"epochs": 6, "tagger_epochs": 5}  # of the tables with many rows: the differences count there

LONG = {"epochs": 12}
BEAM = {"beam": 8, "warmup": 4}
CLUSTERS = "DATA.clusters"
WIDE = {"templates": "wide", "tag_dictionary": 20}
FULL = {"prune": False, "bits": 32}  # weights as they were trained, so that storage explains no difference
EVEN = {"epochs": 12, "tag_dictionary": 20, **FULL}
PRINTED = {  # Ma et al. (2012), Table 6: fine tags, no labels, Algorithm 2 exactly, the paper's dictionary
    "tag": "xpos", "templates": "VTT", "labeled": False, "after_error": "stop", "tag_dictionary": 6, "epochs": 40,
    **FULL,
}  # fmt: skip

# table → rows of (name, system, options, what becomes of the test tags: kept or taken away)
TABLES: dict[str, list[tuple[str, str, dict[str, Any], str]]] = {
    "tagging": [
        *((s, "easyfirst-tagger", {"templates": s, "epochs": 8}, "keep")
          for s in ("Z&C08", "BD", "OP", "shen", "general", "quick")),
        ("general, stop", "easyfirst-tagger", {"epochs": 24, "after_error": "stop"}, "keep"),
        ("general, M = 20", "easyfirst-tagger", {"epochs": 10, "tag_dictionary": 20}, "keep"),
        ("wide, M = 20", "easyfirst-tagger", {"epochs": 10, **WIDE}, "keep"),
        ("general, M = 20, clusters", "easyfirst-tagger",
         {"epochs": 10, "tag_dictionary": 20, "clusters": CLUSTERS}, "keep"),
        ("wide, M = 20, clusters", "easyfirst-tagger", {"epochs": 10, **WIDE, "clusters": CLUSTERS}, "keep"),
        ("wide, M = 20, clusters, beam 4", "easyfirst-tagger",
         {"epochs": 10, **WIDE, "clusters": CLUSTERS, "beam": 4, "warmup": 4}, "keep"),
        ("perceptron-tagger, Viterbi", "perceptron-tagger", {"epochs": 8}, "keep"),
    ],
    "tagging-xpos": [
        (s, "easyfirst-tagger", {"templates": s, "epochs": 8, "tag": "xpos"}, "keep")
        for s in ("Z&C08", "BD", "OP", "shen", "general")
    ],
    "tagging-beam": [
        (f"beam {b}", "easyfirst-tagger", {"beam": b, "epochs": 8, "warmup": 3 if b > 1 else 0}, "keep")
        for b in (1, 2, 4, 8, 16)
    ],
    "parsing": [
        (f"{s}, {setting}", "easyfirst-parser", {"templates": s, **options}, tags)
        for setting, options, tags in (
            ("gold tags", {**GRID, "gold_tags": True}, "keep"), ("predicted tags", {**GRID, "gold_tags": True}, "drop"),
            ("jackknifed tags", GRID, "drop"))
        for s in ("G&E10", "VTT", "OP", "compact")
    ],
    "joint": [
        ("pipeline, VTT", "easyfirst-parser", {**PARSER, "templates": "VTT"}, "drop"),
        ("losses joint, VTT", "easyfirst-joint", {"epochs": 10, "templates": "VTT"}, "drop"),
        ("pipeline", "easyfirst-parser", {**GRID, "folds": 5}, "drop"),
        *((f"losses {losses}", "easyfirst-joint", {"epochs": 6, "losses": losses}, "drop")
          for losses in ("joint", "joint,dep", "joint,pos")),
        *((f"guided, losses {losses}", "easyfirst-joint",
           {"epochs": 6, "losses": losses, "tag_templates": "guided+Syn", "guide_epochs": 5, "folds": 5}, "drop")
          for losses in ("joint", "joint,dep")),
        ("pipeline, long", "easyfirst-parser", {**LONG, "tagger_epochs": 8, "folds": 5}, "drop"),
        ("losses joint, long", "easyfirst-joint", {**LONG}, "drop"),
        ("pipeline, beam 8", "easyfirst-parser", {**LONG, "tagger_epochs": 8, "folds": 5, **BEAM}, "drop"),
        ("losses joint, beam 8", "easyfirst-joint", {**LONG, **BEAM}, "drop"),
        ("guided, losses joint, beam 8", "easyfirst-joint",
         {**LONG, "tag_templates": "guided+Syn", "guide_epochs": 8, "folds": 5, **BEAM}, "drop"),
        ("pipeline, beam 8 and M = 20", "easyfirst-parser",
         {**LONG, "tagger_epochs": 8, "folds": 5, "tag_dictionary": 20, **BEAM}, "drop"),
        ("losses joint, beam 8 and M = 20", "easyfirst-joint", {**LONG, "tag_dictionary": 20, **BEAM}, "drop"),
        ("pipeline, beam 8 and clusters", "easyfirst-parser",
         {**LONG, "tagger_epochs": 8, "folds": 5, "clusters": CLUSTERS, **BEAM}, "drop"),
        ("losses joint, beam 8 and clusters", "easyfirst-joint", {**LONG, "clusters": CLUSTERS, **BEAM}, "drop"),
        ("pipeline, OP tags", "easyfirst-parser",
         {**LONG, "tagger_templates": "OP", "tagger_epochs": 8, "folds": 5}, "drop"),
        *((f"losses {losses}, OP tags", "easyfirst-joint",
           {**LONG, "losses": losses, "tag_templates": "OP+Syn"}, "drop")
          for losses in ("joint", "joint,dep", "joint,pos")),
    ],
    "parsing-beam": [
        ("VTT, beam 1", "easyfirst-parser", {**GOLD, "epochs": 14, "templates": "VTT"}, "keep"),
        ("VTT, beam 8", "easyfirst-parser", {**GOLD, "epochs": 14, "templates": "VTT", "beam": 8, "warmup": 4}, "keep"),
        ("beam 1", "easyfirst-parser", {**GRID, "gold_tags": True}, "keep"),
        *((f"beam {b}", "easyfirst-parser", {**GRID, "gold_tags": True, "beam": b, "warmup": 3}, "keep")
          for b in (2, 4, 8, 16)),
        ("long, beam 1", "easyfirst-parser", {**LONG, "tagger_epochs": 5, "gold_tags": True}, "keep"),
        ("long, beam 8", "easyfirst-parser", {**LONG, "tagger_epochs": 5, "gold_tags": True, **BEAM}, "keep"),
    ],
    "parsing-2013": [  # Ma et al. (2013), Table 6: its own templates, gold tags, no labels
        (f"EFB13, beam {b}", "easyfirst-parser",
         {**LONG, "tagger_epochs": 1, "gold_tags": True, "templates": "EFB13", "labeled": False, "beam": b, **FULL},
         "keep")
        for b in (1, 8)
    ],
    "joint-beam": [
        (f"beam {b}{name}", "easyfirst-joint",
         {"beam": b, "epochs": 6, "warmup": 3 if b > 1 else 0, "tag_dictionary": 6, "tag_step": 1.0, **storage}, "drop")
        for name, storage in (("", {}), (", full", FULL))
        for b in (1, 2, 4, 8, 16)
    ],
    "steps": [  # how tags and attachments compete
        ("pipeline", "easyfirst-parser", {**EVEN, "folds": 5}, "drop"),
        *((f"tag step {step}", "easyfirst-joint", {**EVEN, "tag_step": step}, "drop") for step in (1.0, 0.4, 0.2, 0.1)),
        ("pipeline, beam 8", "easyfirst-parser", {**EVEN, "folds": 5, **BEAM}, "drop"),
        *((f"tag step {step}, beam 8", "easyfirst-joint", {**EVEN, "tag_step": step, **BEAM}, "drop")
          for step in (1.0, 0.2)),
    ],
    "printed": [
        ("pipeline", "easyfirst-parser", {**PRINTED, "tagger_templates": "OP", "tagger_epochs": 20}, "drop"),
        *((f"losses {losses}", "easyfirst-joint",
           {**PRINTED, "tag_templates": "OP+Syn", "tag_step": 1.0, "losses": losses}, "drop")
          for losses in ("joint", "joint,dep", "joint,pos")),
    ],
    "taggers": [  # the tagger inside, and fewer templates
        ("easy-first tagger", "easyfirst-parser", {**LONG, "tagger": "easyfirst"}, "drop"),
        ("morph-tagger", "easyfirst-parser", {**LONG, "tagger": "morph"}, "drop"),
        ("morph-tagger, small", "easyfirst-parser", {**LONG, "tagger": "morph", "templates": "small"}, "drop"),
        ("morph-tagger, beam 8", "easyfirst-parser", {**LONG, **BEAM, "tagger": "morph"}, "drop"),
        ("morph-tagger, small, beam 8", "easyfirst-parser",
         {**LONG, **BEAM, "tagger": "morph", "templates": "small"}, "drop"),
    ],
}  # fmt: skip

LATER = ("steps", "printed", "parsing-2013", "taggers")
for table, rows in TABLES.items():
    for _, system, options, _ in rows:
        if system == "easyfirst-parser":
            options.setdefault("tagger", "easyfirst")  # the papers' pipeline
        if table not in LATER and system.startswith("easyfirst"):  # these were the defaults then
            options.setdefault("tag_dictionary", 6)
        if table not in LATER and system == "easyfirst-joint":
            options.setdefault("tag_step", 1.0)

MEASURES = ("upos", "xpos", "upos_known", "upos_unknown", "uas", "las", "root", "complete")


trained: dict[str, tuple[Model, float]] = {}  # rows that differ only in what becomes of the test tags share a model


def get_model(files: dict[str, list[Sentence]], key: str, system: str, options: dict[str, Any], seed: int) -> Model:
    if key not in trained:
        start = time.process_time()
        model = train(system, train=files["train"], dev=files["dev"], seed=seed, **options)
        trained[key] = model, time.process_time() - start
    return trained[key][0]


def run(data: str, system: str, options: dict[str, Any], tags: str, seed: int) -> dict[str, Any]:
    files = {part: read(DATA / data / f"{part}.conllu").sentences for part in ("train", "dev", "test")}
    key = json.dumps([data, system, options, seed])
    model = get_model(files, key, system, options, seed)
    record: dict[str, Any] = {"seconds": round(trained[key][1], 1)}
    record["megabytes"] = round(len(model.to_bytes()) / 1e6, 1)
    record["best_epoch"] = model.system.training["best_epoch"]
    forms = {form for sentence in files["train"] for form in sentence.forms}
    for part in ("dev", "test"):
        inputs = [sentence.copy() if tags == "keep" else bare(sentence) for sentence in files[part]]
        begin = time.process_time()
        for sentence in inputs:
            model.system.annotate(sentence)
        used = time.process_time() - begin
        scores = evaluate(files[part], inputs, train=forms).to_dict()
        record[part] = {name: round(scores[name], 2) for name in MEASURES if name in scores}
        record["words_per_second"] = round(sum(map(len, inputs)) / used)
        if not options.get("labeled", True):
            del record[part]["las"]
    if system == "easyfirst-joint":
        record["order"] = order_of_decisions(inputs)
    gold = [word for sentence in files["test"] for word in sentence]
    found = [word for sentence in inputs for word in sentence]
    column = options.get("tag", "upos")
    record["right"] = {
        "tag": bits(getattr(a, column) == getattr(b, column) for a, b in zip(gold, found, strict=True)),
        "head": bits(a.head == b.head for a, b in zip(gold, found, strict=True)),
    }
    return record


def order_of_decisions(sentences: list[Sentence]) -> dict[str, float]:
    """Of a joint model: per cent of the tags that come before any attachment, and mean scores of what was decided."""
    early, tags, arcs = 0, [], []
    for sentence in sentences:
        attached = False
        for step in sentence.trace or ():
            if step.action == "tag":
                early += not attached
                tags.append(step.score)
            elif step.action != "set_root":
                attached = True
                arcs.append(step.score)
    return {
        "tags_first": round(100 * early / len(tags), 1),
        "tag_score": round(statistics.mean(tags), 1),
        "arc_score": round(statistics.mean(arcs), 1),
    }


def bare(sentence: Sentence) -> Sentence:
    return Sentence(sentence.forms)


def bits(flags: Any) -> str:
    return format(int("1" + "".join("1" if flag else "0" for flag in flags), 2), "x")


def only_one(a: str, b: str) -> tuple[int, int]:
    """How many words only the first, and only the second of two systems has right."""
    x, y = int(a, 16), int(b, 16)  # the first bit of both is 1
    return (x & ~y).bit_count(), (y & ~x).bit_count()


def mcnemar(only_a: int, only_b: int) -> float:
    """Two-sided p of the words that only one of two systems has right (normal approximation, as there are many)."""
    if only_a + only_b == 0:
        return 1.0
    return math.erfc(abs(only_a - only_b) / math.sqrt(2 * (only_a + only_b)))


def rival_of(row: str, pipelines: Collection[str]) -> str | None:
    """The pipeline that a row is compared with: the one that ends alike, else the plain one."""
    if row in pipelines:
        return None
    return next((name for name in (f"pipeline, {row.split(', ')[-1]}", "pipeline") if name in pipelines), None)


def compared(table: str, record: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The record with counts against its pipeline in the place of the words it has right, which go to a file."""
    record = dict(record)
    right = record.pop("right")
    folder.mkdir(exist_ok=True)

    def place(row: str) -> Path:
        return folder / f"{table}-{record['data']}-{record['seed']}-{row}.json".replace(" ", "_")

    place(record["row"]).write_text(json.dumps(right))
    rival = rival_of(record["row"], [row[0] for row in TABLES[table] if row[0].startswith("pipeline")])
    if rival is not None and place(rival).exists():
        other = json.loads(place(rival).read_text())
        record["against"] = {"row": rival, **{k: only_one(right[k], other[k]) for k in ("tag", "head")}}
    return record


def render(table: str, records: list[dict[str, Any]]) -> str:
    lines = [f"# {table}", "", f"    python benchmarks/easyfirst/accuracy.py {table} --data DATA --seeds SEEDS", ""]
    lines += [
        "Per cent, punctuation counted; mean ± standard deviation over the seeds. Words per second: one core of a busy",
        "two-core machine, from Python, tagging included if the model tags. Seconds: processor time of the whole",
        "training, tagger and jackknifing included, on the same busy machine. McNemar: for each seed, on test, against",
        "the pipeline of the same beam. Rows that did worse are included.",
        "",
    ]
    for data in dict.fromkeys(r["data"] for r in records):
        rows = [r for r in records if r["data"] == data]
        has = [m for m in MEASURES if any(m in r["test"] and varies(r, m) for r in rows)]
        lines += [f"## {data}", ""]
        head = ["", *(f"dev {m}" for m in has), *(f"test {m}" for m in has)]
        head += ["words/s", "25-word sentences/s", "seconds", "MB", "epoch", "seeds"]
        ordered = any("order" in r for r in rows)
        if ordered:
            head += ["tags before any attachment", "score of a tag", "of an attachment"]
        against = any("against" in r for r in rows)
        if against:
            head += ["McNemar p, tag", "McNemar p, head"]
        lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        for name in [row[0] for row in TABLES[table]]:
            same = [r for r in rows if r["row"] == name]
            if not same:
                continue
            cells = [name]
            cells += [spread([r[part][m] for r in same if m in r[part]]) for part in ("dev", "test") for m in has]
            speeds = [r["words_per_second"] for r in same if "words_per_second" in r]
            speed = statistics.median(speeds) if speeds else 0
            cells += [f"{speed:,.0f}", f"{speed / 25:,.0f}"] if speeds else ["", ""]
            cells += [f"{statistics.median(r['seconds'] for r in same):.0f}"]
            cells += [str(same[0].get("megabytes", "")), "/".join(str(r["best_epoch"]) for r in same)]
            cells += [" ".join(str(r["seed"]) for r in same)]
            if ordered:
                orders = [r["order"] for r in same if "order" in r]
                for key, form in (("tags_first", "{:.0f} %"), ("tag_score", "{:.0f}"), ("arc_score", "{:.0f}")):
                    cells.append(form.format(statistics.mean(o[key] for o in orders)) if orders else "")
            if against:
                with_rival = [r["against"] for r in same if "against" in r]
                cells += ["/".join(f"{mcnemar(*r[k]):.3f}" for r in with_rival) for k in ("tag", "head")]
            lines.append("| " + " | ".join(cells) + " |")
        lines.append("")
    lines.append("Options of the rows:")
    lines.append("")
    for name, system, options, tags in TABLES[table]:
        flags = " ".join(shown_flag(key.replace("_", "-"), value) for key, value in options.items())
        note = "; the tags of the test file are removed" if tags == "drop" else ""
        lines.append(f"- {name}: `plait train {system} {flags}`{note}")
    return "\n".join(lines) + "\n"


def shown_flag(name: str, value: Any) -> str:
    """An option as the command line takes it."""
    if isinstance(value, bool):
        return f"--{name}" if value else f"--no-{name}"
    return f"--{name} {value}"


def varies(record: dict[str, Any], measure: str) -> bool:
    """Whether the system predicts this at all: what it leaves as given, or empty, says nothing."""
    value = record["test"][measure]
    return 0.0 < value < 100.0


def spread(values: list[float]) -> str:
    if not values:
        return ""
    if len(values) == 1:
        return f"{values[0]:.2f}"
    return f"{statistics.mean(values):.2f} ± {statistics.stdev(values):.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--data", nargs="+", default=["zh_gsd1"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--rows", nargs="+", help="only the rows of these names")
    parser.add_argument("--clusters", type=Path, help="folder with DATA.clusters")
    arguments = parser.parse_args()
    folder = HERE / "results"
    folder.mkdir(exist_ok=True)
    path = folder / f"{arguments.table}.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    for data in arguments.data:
        if not (DATA / data).exists():
            print(f"skipped: no {data} in {DATA}; set PLAIT_DATA")
            continue
        for seed in arguments.seeds:
            for name, system, options, tags in TABLES[arguments.table]:
                known = any((r["data"], r["seed"], r["row"]) == (data, seed, name) for r in records)
                if known or (arguments.rows and name not in arguments.rows):
                    continue
                if "clusters" in options:
                    if arguments.clusters is None:
                        continue
                    options = {**options, "clusters": str(arguments.clusters / f"{data}.clusters")}
                record = {"data": data, "row": name, "seed": seed, **run(data, system, options, tags, seed)}
                record = compared(arguments.table, record, folder / "right")
                records.append(record)
                with path.open("a") as file:
                    file.write(json.dumps(record) + "\n")
                print(data, name, seed, record["dev"], record["test"], f"{record['seconds']} s", flush=True)
                (folder / f"{arguments.table}.md").write_text(render(arguments.table, records))
    if records:
        (folder / f"{arguments.table}.md").write_text(render(arguments.table, records))


if __name__ == "__main__":
    main()
