"""The main rows of the joint parsers over several seeds, stored without pruning, with paired tests between them.

    python benchmarks/seeds.py [--treebank zh_gsd1] [--rows "transition" "transition + G" ...] [--seeds 1 2 3]
                               [--sentences N] [--last]

Every row is trained until dev has not risen for three epochs (or to the last epoch of its row), its weights are stored
as they are (``--no-prune --bits 32``), and the best epoch on dev is read on dev and on test; with ``--last`` all epochs
are done and the last one counts, which saves reading dev after each. What stands in one table
is therefore stored alike. Runs are appended to results/seeds-TREEBANK.jsonl; one that is there is not repeated, and
results/seeds-TREEBANK.md is written from all of them. Pairs of rows are compared seed by seed with the permutation test
and McNemar's test of ``plait evaluate GOLD A --against B``, and over all seeds with the permutation test, from the
predictions kept in --work. Rows share
tagger, jackknifed tags and (graph) the CRF that prunes; tagger and tags are those of seed 1 for all, so that seeds
differ in the training of the parser alone. The data is looked for in PLAIT_DATA, else in ../shared/data.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import time
from pathlib import Path
from statistics import mean
from typing import Any

import plait
from plait.data.document import Document
from plait.evaluation import Difference, RunDifference, compare, compare_runs, evaluate
from plait.graph.options import GraphJointOptions
from plait.graph.system import GraphJoint
from plait.graph.training.first_order import FirstStage, fit_first_stage
from plait.graph.training.systems import fit_chart
from plait.learn.task import TrainingTask
from plait.pipeline import Model

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "transition"))
from accuracy import with_kept_tags  # noqa: E402

from plait.transition.training import systems  # noqa: E402
from workbench import keep_runs, known_runs, part_of  # noqa: E402

MEASURES = ("upos", "uas", "las", "tlas")
BEST = "the best epoch on dev, training stops after three epochs without improvement on dev"
LAST = "the last epoch; nothing is chosen on dev"
STORED = {"prune": False, "bits": 32, "patience": 3, "runs": 1}

TRANSITION = {"beam": 8, "epochs": 20}
WIDER = {"beam": 16, "epochs": 12}
EASY_FIRST = {"epochs": 20}
GRAPH = {"epochs": 10, "prune_arcs": 0.001, "max_heads": 20}
ROWS: dict[str, tuple[str, dict[str, Any]]] = {
    "transition": ("transition-joint", TRANSITION),
    "transition, three runs": ("transition-joint", TRANSITION | {"runs": 3}),
    "transition, α = 0.6": ("transition-joint", TRANSITION | {"alpha": 0.6}),
    "transition + G": ("transition-joint", TRANSITION | {"graph_features": True}),
    "transition + G, no neighbours": (
        "transition-joint",
        TRANSITION | {"graph_features": True, "graph_templates": "factors"},
    ),
    "transition, b1 = 16": ("transition-joint", WIDER),
    "transition + G, b1 = 16": ("transition-joint", WIDER | {"graph_features": True}),
    "graph, SPA": ("graph-joint", GRAPH),
    "graph, SPA, 20 epochs": ("graph-joint", GRAPH | {"epochs": 20}),
    "graph, SPA, three runs": ("graph-joint", GRAPH | {"runs": 3}),
    "graph, PA": ("graph-joint", GRAPH | {"learner": "pa"}),
    "graph, SPA, zhang-clark": ("graph-joint", GRAPH | {"pos_templates": "zhang-clark"}),
    "easy-first": ("easyfirst-joint", EASY_FIRST),
    "easy-first, three runs": ("easyfirst-joint", EASY_FIRST | {"runs": 3}),
}
PAIRS = (
    ("transition, α = 0.6", "transition"),
    ("transition, three runs", "transition"),
    ("graph, SPA, three runs", "graph, SPA"),
    ("easy-first, three runs", "easy-first"),
    ("transition + G", "transition"),
    ("transition + G", "transition + G, no neighbours"),
    ("graph, SPA", "graph, PA"),
    ("graph, SPA, zhang-clark", "graph, SPA"),
    ("transition + G, b1 = 16", "transition, b1 = 16"),
    ("graph, SPA", "transition + G, b1 = 16"),
)


def slug(name: str, row: str, seed: int, part: str) -> str:
    return f"{name}-{row}-{seed}-{part}.conllu".replace(" ", "").replace(",", "-").replace("+", "-")


def fit(system: str, options: dict[str, Any], task: TrainingTask, stages: dict[str, FirstStage]) -> Any:
    """Train a row; ``stages`` keeps what graph rows share."""
    if system != "graph-joint":
        return plait.train(system, train=task.train, dev=task.dev, seed=task.seed, on_epoch=show, **options).system
    made = GraphJointOptions(**options)
    of_chart = {"epochs", "runs", "learner", "templates", "pos_templates", "patience", "bits", "prune"}
    key = json.dumps({k: v for k, v in dataclasses.asdict(made).items() if k not in of_chart})
    if key not in stages:
        stages[key] = fit_first_stage(dataclasses.replace(task, seed=1), made)
    return fit_chart(GraphJoint, stages[key], task, made)


def with_one_tagger() -> None:
    """Let the transition systems of all seeds have the tagger of seed 1, and so its jackknifed tags."""
    fit_tagger = systems.fit_tagger
    systems.fit_tagger = lambda name, task, options: fit_tagger(name, dataclasses.replace(task, seed=1), options)


def show(record: Any) -> None:
    print(record.line(), flush=True)


def run(name: str, row: str, seed: int, chosen: argparse.Namespace, stages: dict[str, FirstStage]) -> dict[str, Any]:
    system, options = ROWS[row]
    options = STORED | options
    if chosen.last:
        del options["patience"]
    treebank, work = chosen.treebank, chosen.work
    parts = {part: plait.read(part_of(treebank, part)) for part in ("dev", "test")}
    train = plait.read(part_of(treebank, "train")).sentences[: chosen.sentences or None]
    task = TrainingTask(train, () if chosen.last else parts["dev"].sentences, seed=seed, on_epoch=show)
    begin = time.process_time()
    trained = fit(system, options, task, stages)
    seconds = time.process_time() - begin
    model = Model(trained, {"system": system, "options": dataclasses.asdict(trained.options)})
    record: dict[str, Any] = {"row": row, "seed": seed, "system": system, "options": options}
    for part, gold in parts.items():
        begin = time.process_time()
        predicted = Document([model(sentence.bare())[0] for sentence in gold])
        speed = len(gold.sentences) / (time.process_time() - begin)
        plait.write(predicted, work / slug(name, row, seed, part))
        found = evaluate(gold, predicted)
        record[part] = {m: round(getattr(found, m), 2) for m in MEASURES}
        record["sentences_per_second"] = round(speed)
    training = trained.training
    epochs = [round(next(iter(epoch["dev"].values()), 0.0), 2) for epoch in training["epochs"]]
    record |= {"epochs": epochs, "best_epoch": training["best_epoch"], "seconds": round(seconds)}
    if "pruning" in training:
        record["pruning"] = training["pruning"]
    return record


def tested(pair: tuple[str, str], seed: int | str, found: Difference | RunDifference) -> dict[str, Any]:
    return {
        "pair": list(pair), "seed": seed, "measure": found.measure, "difference": round(found.difference, 2),
        "permutation_p": round(found.permutation_p, 4),
    }  # fmt: skip


def paired(treebank: str, name: str, records: list[dict[str, Any]], work: Path) -> list[dict[str, Any]]:
    """The tests of each pair and seed whose predictions are at hand."""
    ran = {(r["row"], r["seed"]) for r in records}
    gold = plait.read(part_of(treebank, "test"))
    found = []
    for pair in PAIRS:
        files = {}
        for seed in sorted({seed for _, seed in ran}):
            both = [work / slug(name, row, seed, "test") for row in pair]
            if all((row, seed) in ran for row in pair) and all(file.exists() for file in both):
                files[seed] = [plait.read(file) for file in both]
        for seed, (a, b) in files.items():
            for d in compare(gold, a, b).differences:
                if d.measure in MEASURES:
                    found.append(tested(pair, seed, d) | {"mcnemar_p": round(d.mcnemar.exact_p, 4)})
        if len(files) > 1:
            every = compare_runs(gold, [a for a, _ in files.values()], [b for _, b in files.values()])
            found += [tested(pair, f"all {len(files)}", every[measure]) for measure in MEASURES]
    return found


def render(command: str, last: bool, records: list[dict[str, Any]], tests: list[dict[str, Any]]) -> str:
    lines = [
        "# Joint parsers over seeds", "", f"    {command}", "",
        "Gold words, no gold tags, punctuation counted, one core. Weights stored as they are (`--no-prune --bits 32`);",
        f"{LAST if last else BEST}. Seconds are processor time, without",
        "parts shared with earlier rows. The options of every run are in the `.jsonl` file next to this page.",
        *pruning(records), "",
        "| row | seed | " + " | ".join(f"dev {m.upper()}" for m in MEASURES)
        + " | " + " | ".join(f"test {m.upper()}" for m in MEASURES) + " | best epoch | seconds | sentences/s |",
        "|---|---|" + "---|" * (2 * len(MEASURES) + 3),
    ]  # fmt: skip
    for row in ROWS:
        mine = sorted((r for r in records if r["row"] == row), key=lambda r: r["seed"])
        for r in mine:
            cells = [f"{r[part][m]:.2f}" for part in ("dev", "test") for m in MEASURES]
            epoch = f"{r['best_epoch']} of {len(r['epochs'])}"
            lines.append(
                f"| {row} | {r['seed']} | {' | '.join(cells)} | {epoch} | {r['seconds']} "
                f"| {r['sentences_per_second']} |"
            )
        if len(mine) > 1:
            cells = [f"**{mean(r[part][m] for r in mine):.2f}**" for part in ("dev", "test") for m in MEASURES]
            lines.append(f"| {row} | mean of {len(mine)} | {' | '.join(cells)} | | | |")
    if tests:
        lines += [
            "", "Pairs on test: difference in points, p of the permutation test, p of McNemar's exact test.", "",
            "| first | second | seed | " + " | ".join(m.upper() for m in MEASURES) + " |",
            "|---|---|---|" + "---|" * len(MEASURES),
        ]  # fmt: skip
    for one, other in PAIRS:
        mine = [t for t in tests if t["pair"] == [one, other]]
        for seed in dict.fromkeys(t["seed"] for t in mine):
            here = {t["measure"]: t for t in mine if t["seed"] == seed}
            cells = [f"{here[m]['difference']:+.2f} ({p_values(here[m])})" for m in MEASURES]
            lines.append(f"| {one} | {other} | {seed} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def pruning(records: list[dict[str, Any]]) -> list[str]:
    """What the pruning of graph rows keeps, in a sentence."""
    found = next((r["pruning"] for r in records if "pruning" in r), None)
    if found is None:
        return []
    arcs, tags = f"{found['arc_oracle']:.2f} % of the gold ones", f"{found['tag_oracle']:.2f} % of the gold ones"
    return [
        f"In the graph rows pruning keeps {found['arcs_kept']:.1f} % of the arcs with {arcs},",
        f"and {found['tags_per_word']:.2f} tags per word with {tags}.",
    ]


def p_values(test: dict[str, Any]) -> str:
    return ", ".join(f"{test[p]:.3f}" for p in ("permutation_p", "mcnemar_p") if p in test)


def show_table(path: Path, name: str, chosen: argparse.Namespace, records: list[dict[str, Any]]) -> None:
    """Write the table of all runs so far."""
    of = f" --sentences {chosen.sentences}" if chosen.sentences else ""
    rows = " ".join(f'"{row}"' for row in ROWS if any(r["row"] == row for r in records))
    last = " --last" if chosen.last else ""
    command = f"python benchmarks/seeds.py --treebank {chosen.treebank}{of}{last} --rows {rows}"
    tests = paired(chosen.treebank, name, records, chosen.work)
    path.with_suffix(".md").write_text(render(command, chosen.last, records, tests))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--treebank", default="zh_gsd1")
    arguments.add_argument("--rows", nargs="*", default=list(ROWS), choices=list(ROWS))
    arguments.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    arguments.add_argument("--sentences", type=int, default=0, help="only the first N training sentences")
    arguments.add_argument("--last", action="store_true", help="keep the last epoch, not the best on dev")
    arguments.add_argument("--work", type=Path, default=Path("build") / "seeds-benchmark")
    arguments.add_argument("--results", type=Path, default=HERE / "results")
    chosen = arguments.parse_args()
    chosen.work.mkdir(parents=True, exist_ok=True)
    name = f"seeds-{chosen.treebank}" + (f"-{chosen.sentences}" if chosen.sentences else "")
    path = chosen.results / f"{name}.jsonl"
    with_kept_tags(chosen.work, chosen.treebank)
    with_one_tagger()
    stages: dict[str, FirstStage] = {}
    for seed in chosen.seeds:
        for row in chosen.rows:
            if not any((r["row"], r["seed"]) == (row, seed) for r in known_runs(path)):
                record = run(name, row, seed, chosen, stages)
                keep_runs(path, [*known_runs(path), record])
                print(json.dumps(record, ensure_ascii=False), flush=True)
                show_table(path, name, chosen, known_runs(path))
    show_table(path, name, chosen, known_runs(path))


if __name__ == "__main__":
    main()
