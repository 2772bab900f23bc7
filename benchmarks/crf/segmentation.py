"""Raw text in, words and tags out: segmentation and joint F1, as in Section 4.2 of Qian et al. (2010).

    python benchmarks/crf/segmentation.py train NAME --data SET [--dev] [--threads 2] [OPTION=VALUE ...]
    python benchmarks/crf/segmentation.py rerank NAME N ...      # NAME's two models again, with N candidates
    python benchmarks/crf/segmentation.py table SET [AGAINST]    # rows found in OUT; McNemar against the row AGAINST

SET is pd98, zh_gsd1, zh_gsd1-xpos, zh_ud2 or en_ewt; --dev scores the dev part instead of the test part. Lines of pd98
and sentences of zh_gsd1 are given one by one, as in the paper; en_ewt and zh_ud2 are given as running text.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from plait import evaluate, load, read, train, write
from plait.chain.crf_segmenter import CrfSegmenter
from plait.data.document import Sentence
from plait.evaluation import align, conll18, mcnemar
from plait.formats.text import write_text
from plait.learn.records import Record
from workbench import DATA, value

OUT = Path(os.environ.get("PLAIT_BENCH_OUT", "bench-out"))

SETS: dict[str, tuple[list[str], str, str, str, bool]] = {  # train, dev, test, column, running text
    "pd98": (["pd98/train.txt.xz"], "pd98/dev.txt", "pd98/test.txt", "upos", False),
    "zh_gsd1": (["ud/zh_gsd1/train.conllu"], "ud/zh_gsd1/dev.conllu", "ud/zh_gsd1/test.conllu", "upos", False),
    "zh_gsd1-xpos": (["ud/zh_gsd1/train.conllu"], "ud/zh_gsd1/dev.conllu", "ud/zh_gsd1/test.conllu", "xpos", False),
    "zh_ud2": (
        [f"ud/zh_ud2/{name}.conllu" for name in ("gsdsimp-dev", "pud", "hk", "cfl")],
        "ud/zh_ud2/gsdsimp-dev.conllu",
        "ud/zh_ud2/gsdsimp-test.conllu",
        "upos",
        True,
    ),
    "en_ewt": (["ud/en_ewt/train.conllu"], "ud/en_ewt/dev.conllu", "ud/en_ewt/test.conllu", "upos", True),
}


def sentences(path: str) -> list[Sentence]:
    return read(DATA / path, "segmented" if "pd98" in path else "conllu").sentences


def raw_texts(gold: list[Sentence], running: bool, spaces: bool) -> list[str]:
    if running:
        return ["".join(write_text(gold))]
    return [s.surface_text() if spaces else "".join(s.forms) for s in gold]


def run(name: str, data: str, on_dev: bool, threads: int, options: dict[str, object]) -> None:
    train_files, dev, test, column, running = SETS[data]
    folder = OUT / data
    folder.mkdir(parents=True, exist_ok=True)
    known = [s for file in train_files for s in sentences(file)]
    records: list[Record] = []

    def note(record: Record) -> None:
        records.append(record)
        print(record.line(), flush=True)

    begin, cpu = time.perf_counter(), time.process_time()
    model = train(
        "crf-segmenter", train=known, tag=column, sentences=running, threads=threads, on_epoch=note, **options
    )
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    model.save(folder / f"{name}.plait")
    record = {
        "options": options,
        "threads": threads,
        "iterations": len(records),
        "weights": model.system.training["weights"],
        "seconds": seconds,
        "cpu_seconds": cpu,
        "model_mb": (folder / f"{name}.plait").stat().st_size / 1e6,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    }
    score(name, data, model, dev if on_dev else test, known, record)


def rerank(name: str, data: str, on_dev: bool, sizes: list[int]) -> None:
    train_files, dev, test, _, _ = SETS[data]
    model = load(OUT / data / f"{name}.plait")
    known = [s for file in train_files for s in sentences(file)]
    record = json.loads((OUT / data / f"{name}.json").read_text())
    system = model.system
    assert isinstance(system, CrfSegmenter)
    for size in sizes:
        system.options = dataclasses.replace(system.options, structure="rerank", candidates=size)
        score(f"rerank-{size}", data, model, dev if on_dev else test, known, dict(record))


def score(name: str, data: str, model, file: str, known: list[Sentence], record: dict) -> None:
    running, column = SETS[data][4], SETS[data][3]
    gold = sentences(file)
    texts = raw_texts(gold, running, model.system.conventions.spaces)
    begin = time.perf_counter()
    documents = [model(text) for text in texts]
    took = time.perf_counter() - begin
    predicted = [s for document in documents for s in document]
    write(predicted, OUT / data / f"{name}.conllu", "conllu")
    scores = evaluate(gold, predicted, train={f for s in known for f in s.forms}).to_dict()
    record |= {"name": name, "data": data, "file": file, "sentences_per_second": len(gold) / took}
    record |= {key: found for key, found in scores.items() if isinstance(found, float)}
    record["conll18"] = {key: m.f1 for key, m in conll18(gold, predicted).items()}
    record["joint_f1"] = record["conll18"]["UPOS" if column == "upos" else "XPOS"]
    (OUT / data / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")
    print(json.dumps(record))


def tag_right(gold: list[Sentence], predicted: list[Sentence], column: str) -> np.ndarray:
    """[gold words], is there a predicted word of the same characters with the same tag?"""
    pairing = align(gold, predicted)
    wanted = np.array([tag for s in gold for tag in getattr(s, column)])
    found = np.array([tag for s in predicted for tag in getattr(s, column)])
    return pairing.paired & (found[np.maximum(pairing.partner, 0)] == wanted)


def table(data: str, against: str | None) -> None:
    column = SETS[data][3]
    rows = [json.loads(path.read_text()) for path in sorted((OUT / data).glob("*.json"))]
    gold = sentences(rows[0]["file"]) if rows else []
    right = {r["name"]: tag_right(gold, read(OUT / data / f"{r['name']}.conllu").sentences, column) for r in rows}
    print(
        "| row | Words F1 | OOV recall | joint F1 | Sentences F1 | McNemar p | iterations | weights "
        "| training s | CPU s | sentences/s | MB |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for r in sorted(rows, key=lambda r: -r["joint_f1"]):
        p = "–" if against in (None, r["name"]) else f"{mcnemar(right[against], right[r['name']]).exact_p:.1e}"
        print(
            f"| {r['name']} | {r['conll18']['Words']:.2f} | {r.get('oov_recall', float('nan')):.2f} "
            f"| **{r['joint_f1']:.2f}** | {r['conll18']['Sentences']:.2f} | {p} | {r['iterations']} "
            f"| {r['weights']:,} | {r['seconds']:.0f} "
            f"| {r['cpu_seconds']:.0f} | {r['sentences_per_second']:,.0f} | {r['model_mb']:.1f} |"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("train", "rerank", "table"))
    parser.add_argument("name")
    parser.add_argument("options", nargs="*")
    parser.add_argument("--data", choices=tuple(SETS))
    parser.add_argument("--dev", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_intermixed_args()
    if arguments.what == "train":
        chosen = dict(o.split("=", 1) for o in arguments.options)
        options = {k: value(v) for k, v in chosen.items()}
        run(arguments.name, arguments.data, arguments.dev, arguments.threads, options)
    elif arguments.what == "rerank":
        rerank(arguments.name, arguments.data, arguments.dev, [int(n) for n in arguments.options])
    else:
        table(arguments.name, arguments.options[0] if arguments.options else None)
