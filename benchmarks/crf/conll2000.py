"""CoNLL-2000 chunking, the experiment of Qian et al. (2010), Section 4.1: cross-product against hybrid CRF.

    python benchmarks/crf/conll2000.py train NAME [--threads 2] [OPTION=VALUE ...]   # one row; model and record in OUT
    python benchmarks/crf/conll2000.py crfsuite            # the same cross-product model by python-crfsuite
    python benchmarks/crf/conll2000.py speed               # measure the decoding speed of all rows again, one by one
    python benchmarks/crf/conll2000.py table [AGAINST]     # all rows found in OUT, McNemar's test against one

OUT is the environment variable PLAIT_BENCH_OUT (default: ./bench-out), the data is found through PLAIT_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from plait import load, read, train, write
from plait.data.schemes import BIES, BIO
from plait.errors import PlaitError
from plait.evaluation import mcnemar
from plait.features.templates import load_templates
from plait.learn.records import Record
from workbench import DATA, value

OUT = Path(os.environ.get("PLAIT_BENCH_OUT", "bench-out")) / "conll2000"


def chunk_scores(gold: list, predicted: list) -> dict[str, float]:
    right = found = wanted = 0
    for g, p in zip(gold, predicted, strict=True):
        a, b = set(BIO.decode(g.extra["chunk"])), set(BIO.decode(p.extra["chunk"]))
        right, found, wanted = right + len(a & b), found + len(b), wanted + len(a)
    return {"precision": 100 * right / found, "recall": 100 * right / wanted, "f1": 200 * right / (found + wanted)}


def run(name: str, threads: int, options: dict[str, object]) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    sentences = read(DATA / "conll2000" / "train.txt", "conll2000").sentences
    test = read(DATA / "conll2000" / "test.txt", "conll2000").sentences
    records: list[Record] = []

    def note(record: Record) -> None:
        records.append(record)
        print(record.line(), flush=True)

    begin, cpu = time.perf_counter(), time.process_time()
    model = train("crf-chunker", train=sentences, threads=threads, tagger=False, on_epoch=note, **options)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    model.save(OUT / f"{name}.plait")
    predicted = []
    for s in test:
        bare = s.bare()
        bare.xpos = list(s.xpos)
        predicted.append(bare)
    begin = time.perf_counter()
    for s in predicted:
        model.system.annotate(s)
    speed = len(test) / (time.perf_counter() - begin)
    write(predicted, OUT / f"{name}.txt", "conll2000")
    record = {
        "name": name,
        "options": options,
        "threads": threads,
        **chunk_scores(test, predicted),
        "iterations": len(records),
        "objective": records[-1].to_dict()["objective"],
        "weights": model.system.training["weights"],
        "seconds": seconds,
        "cpu_seconds": cpu,
        "sentences_per_second": speed,
        "model_mb": (OUT / f"{name}.plait").stat().st_size / 1e6,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    }
    (OUT / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")
    print(json.dumps(record))


TEMPLATES = [t.atoms[:-1] for t in load_templates("qian2010-chunk-cross", "chain") if t.atoms[0][0] != "y"]
PLAN = [[(atom[0], int(atom[1:].lstrip("@")) + 3) for atom in t] for t in TEMPLATES]


def attributes(s) -> list[list[str]]:
    """The cross-product model's features as strings, for CRFsuite."""
    columns = {"w": ["<s>"] * 3 + s.forms + ["</s>"] * 3, "p": ["<s>"] * 3 + s.xpos + ["</s>"] * 3}
    return [["|".join([str(k), *(columns[c][i + o] for c, o in p)]) for k, p in enumerate(PLAN)] for i in range(len(s))]


def crfsuite() -> None:
    """The same cross-product features and labels with python-crfsuite."""
    import pycrfsuite

    OUT.mkdir(parents=True, exist_ok=True)
    sentences = read(DATA / "conll2000" / "train.txt", "conll2000").sentences
    test = read(DATA / "conll2000" / "test.txt", "conll2000").sentences
    begin, cpu = time.perf_counter(), time.process_time()
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c1": 0.0, "c2": 0.5, "max_iterations": 300, "feature.possible_transitions": True,
                        "epsilon": 1e-5, "delta": 1e-4})  # fmt: skip
    for s in sentences:
        trainer.append(attributes(s), BIES.encode(len(s), BIO.decode(s.extra["chunk"])))
    trainer.train(str(OUT / "crfsuite.model"))
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    last = trainer.logparser.last_iteration
    tagger = pycrfsuite.Tagger()
    tagger.open(str(OUT / "crfsuite.model"))
    items = [pycrfsuite.ItemSequence(attributes(s)) for s in test]
    begin = time.perf_counter()
    for x in items:
        tagger.tag(x)
    alone = len(test) / (time.perf_counter() - begin)
    begin = time.perf_counter()
    labels = [tagger.tag(attributes(s)) for s in test]
    speed = len(test) / (time.perf_counter() - begin)
    predicted = []
    for s, found in zip(test, labels, strict=True):
        bare = s.bare()
        bare.xpos = list(s.xpos)
        bare.extra["chunk"] = BIO.encode(len(s), BIES.decode(found))
        predicted.append(bare)
    write(predicted, OUT / "crfsuite.txt", "conll2000")
    record = {
        "name": "crfsuite",
        "options": {"c2": 0.5, "possible_transitions": True},
        "threads": 1,
        **chunk_scores(test, predicted),
        "iterations": last.get("num"),
        "objective": last.get("loss"),
        "weights": last.get("active_features"),
        "seconds": seconds,
        "cpu_seconds": cpu,
        "sentences_per_second": speed,
        "decoding_alone_per_second": alone,
        "model_mb": (OUT / "crfsuite.model").stat().st_size / 1e6,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    }
    (OUT / "crfsuite.json").write_text(json.dumps(record, indent=1) + "\n")
    print(json.dumps(record))


def speed() -> None:
    """Sentences a CPU second of every row, words to chunks, the best of five passes on one core."""
    test = read(DATA / "conll2000" / "test.txt", "conll2000").sentences

    def best(function, items) -> float:
        times = []
        for _ in range(5):
            begin = time.process_time()
            for item in items:
                function(item)
            times.append(time.process_time() - begin)
        return len(test) / min(times)

    for path in sorted(OUT.glob("*.json")):
        record = json.loads(path.read_text())
        if record["name"] == "crfsuite":
            import pycrfsuite

            tagger = pycrfsuite.Tagger()
            tagger.open(str(OUT / "crfsuite.model"))
            items = [pycrfsuite.ItemSequence(attributes(s)) for s in test]
            record["decoding_alone_per_second"] = best(tagger.tag, items)
            record["sentences_per_second"] = best(lambda s, tag=tagger.tag: tag(attributes(s)), test)
        else:
            try:
                model = load(OUT / f"{record['name']}.plait")
            except PlaitError as error:
                print(error)
                continue
            record["sentences_per_second"] = best(model.system.annotate, [s.copy() for s in test])
        path.write_text(json.dumps(record, indent=1) + "\n")
        print(record["name"], round(record["sentences_per_second"]), round(record.get("decoding_alone_per_second", 0)))


def labels_right(name: str, gold: list) -> np.ndarray:
    """[tokens], has the token its gold chunk label (in BIES, so that both borders count)?"""
    predicted = read(OUT / f"{name}.txt", "conll2000").sentences

    def labels(s) -> list[str]:
        return BIES.encode(len(s), BIO.decode(s.extra["chunk"]))

    return np.array(
        [a == b for g, p in zip(gold, predicted, strict=True) for a, b in zip(labels(g), labels(p), strict=True)]
    )


def table(against: str | None) -> None:
    rows = [json.loads(path.read_text()) for path in sorted(OUT.glob("*.json"))]
    gold = read(DATA / "conll2000" / "test.txt", "conll2000").sentences
    right = {r["name"]: labels_right(r["name"], gold) for r in rows} if against else {}
    print(
        "| row | P | R | F1 | McNemar p | iterations | objective | weights "
        "| training s | CPU s | threads | sentences/CPU s | model MB | peak MB |"
    )
    print("|---" * 14 + "|")
    for r in sorted(rows, key=lambda r: -r["f1"]):
        p = "–" if against in (None, r["name"]) else f"{mcnemar(right[against], right[r['name']]).exact_p:.1e}"
        cpu = f"{r['cpu_seconds']:.0f}" if "cpu_seconds" in r else "–"
        print(
            f"| {r['name']} | {r['precision']:.2f} | {r['recall']:.2f} | **{r['f1']:.2f}** | {p} | {r['iterations']} "
            f"| {r['objective']:.1f} | {r['weights']:,} | {r['seconds']:.0f} | {cpu} | {r['threads']} "
            f"| {r['sentences_per_second']:,.0f} | {r['model_mb']:.1f} | {r['peak_mb']:,.0f} |"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("train", "crfsuite", "speed", "table"))
    parser.add_argument("name", nargs="?")
    parser.add_argument("options", nargs="*")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    if arguments.what == "train":
        chosen = dict(o.split("=", 1) for o in arguments.options)
        run(arguments.name, arguments.threads, {k: value(v) for k, v in chosen.items()})
    elif arguments.what == "crfsuite":
        crfsuite()
    elif arguments.what == "speed":
        speed()
    else:
        table(arguments.name)
