"""What lexicons and clusters bring: segmentation, tagging and parsing with none, either and both, known and unknown
words apart.

    pip install jieba==0.42.1 opencc==1.4.2 spacy-lookups-data==1.0.5
    python benchmarks/lexicon/ablation.py [en_ewt zh_gsd1] [--seeds 1 2 3] [--clusters zh_gsd1=FILE]

English: the lemmas of WordNet and Brown clusters; Chinese: the words of jieba, and the clusters of a file if one is
named (``scripts/word_resources.py`` makes the rest). Test sets; a word is unknown when its form does not occur in the
training data. Runs are appended to TREEBANK.jsonl beside this file, one that is there is not repeated, and README.md is
written from all of them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import plait
from plait.chain.rawtext import passages
from plait.data.document import Sentence
from plait.evaluation import conll18

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "scripts")]
from word_resources import chinese_words, english_clusters, english_words  # noqa: E402
from workbench import keep_runs, known_runs, part_of  # noqa: E402

SYSTEMS: dict[str, dict[str, Any]] = {
    "crf-segmenter": {"structure": "linear", "optimizer": "adagrad", "epochs": 6, "sentences": False},
    "crf-tagger": {"optimizer": "adagrad", "epochs": 6},
    "easyfirst-joint": {"epochs": 10},
}
SHOWN = {
    "crf-segmenter": ("words", "recall, known", "recall, unknown"),
    "crf-tagger": ("UPOS", "UPOS, known", "UPOS, unknown"),
    "easyfirst-joint": ("UPOS", "LAS", "LAS, known", "LAS, unknown"),
}


def settings(treebank: str, system: str, files: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """The rows: what the language has, and what the system takes."""
    given = files[treebank]
    rows: dict[str, dict[str, str]] = {"none": {}, "lexicon": {"lexicon": given["lexicon"]}}
    if "clusters" in given and system != "crf-segmenter":
        rows |= {"clusters": {"clusters": given["clusters"]}, "both": dict(given)}
    return rows


def share(right: Sequence[bool]) -> float:
    return 100 * sum(right) / max(len(right), 1)


def words_scored(gold: Sequence[Sentence], found: Sequence[Sentence], known: set[str]) -> dict[str, float]:
    """Accuracy of given words, over all, known and unknown ones."""
    tags: dict[bool, list[bool]] = {True: [], False: []}
    arcs: dict[bool, list[bool]] = {True: [], False: []}
    for g, f in zip(gold, found, strict=True):
        for k, form in enumerate(g.forms):
            tags[form in known].append(g.upos[k] == f.upos[k])
            arcs[form in known].append((g.heads[k], g.deprels[k]) == (f.heads[k], f.deprels[k]))
    scored = {}
    for name, right in (("UPOS", tags), ("LAS", arcs)):
        scored |= {
            name: share(right[True] + right[False]), f"{name}, known": share(right[True]),
            f"{name}, unknown": share(right[False]),
        }  # fmt: skip
    return scored


def segmentation_scored(model: plait.Model, gold: Sequence[Sentence], known: set[str]) -> dict[str, float]:
    """F1 of words, and how many of the known and unknown ones are found."""
    found, right = [], {True: list[bool](), False: list[bool]()}
    for sentence in gold:
        (passage,) = passages([sentence], None, running=False, spaces=False)
        analysed = model.system.segment(passage.text)
        found += analysed
        spans = {span for one in analysed for span in one.offsets or ()}
        for span, form in zip(passage.spans, sentence.forms, strict=True):
            right[form in known].append(span in spans)
    return {
        "words": conll18(gold, found)["Words"].f1, "recall, known": share(right[True]),
        "recall, unknown": share(right[False]),
    }  # fmt: skip


def run(treebank: str, system: str, chosen: dict[str, str], seed: int) -> dict[str, Any]:
    train, dev, test = (plait.read(part_of(treebank, name)).sentences for name in ("train", "dev", "test"))
    known = {form for sentence in train for form in sentence.forms}
    begin = time.process_time()
    model = plait.train(system, train=train, dev=dev, seed=seed, **SYSTEMS[system], **chosen)
    seconds = round(time.process_time() - begin)
    if system == "crf-segmenter":
        scored = segmentation_scored(model, test, known)
    else:
        scored = words_scored(test, [model(sentence.bare())[0] for sentence in test], known)
    return {"scores": {name: round(scored[name], 2) for name in SHOWN[system]}, "bytes": len(model.to_bytes()),
            "seconds": seconds}  # fmt: skip


def render(treebanks: Sequence[str], of: dict[str, list[dict[str, Any]]]) -> str:
    seeds = sorted({str(r["seed"]) for treebank in treebanks for r in of[treebank]})
    command = f"python benchmarks/lexicon/ablation.py {' '.join(treebanks)} --seeds {' '.join(seeds)}"
    if any(r["row"] == "clusters" for r in of.get("zh_gsd1", [])):
        command += " --clusters zh_gsd1=FILE"
    lines = [
        "# Ablation of lexicons and clusters",
        "",
        f"    {command}",
        "",
        "English: the lemmas of WordNet and Brown clusters; Chinese: the words of jieba, and clusters of the People's",
        "Daily (`benchmarks/transition/clusters.py`). Test sets, means of the seeds. A word is unknown when its form",
        "does not occur in the training data.",
        "",
    ]
    for treebank in treebanks:
        for system, names in SHOWN.items():
            rows = [r for r in of[treebank] if r["system"] == system]
            if not rows:
                continue
            options = " ".join(f"{key}={value}" for key, value in SYSTEMS[system].items())
            lines += [f"## {treebank}, `{system}` {options}", "", f"| features | seeds | {' | '.join(names)} | MB |"]
            lines += ["|---|---|" + "---|" * (len(names) + 1)]
            for row in dict.fromkeys(r["row"] for r in rows):
                mine = [r for r in rows if r["row"] == row]
                cells = [f"{mean(r['scores'][name] for r in mine):.2f}" for name in names]
                size = mine[-1]["bytes"] / 1e6  # of the newest run: earlier versions packed less tightly
                lines.append(f"| {row} | {len(mine)} | {' | '.join(cells)} | {size:.1f} |")
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebanks", nargs="*", default=["en_ewt", "zh_gsd1"])
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS), choices=list(SYSTEMS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--clusters", action="append", default=[], metavar="TREEBANK=FILE")
    parser.add_argument("--work", type=Path, default=Path("build") / "lexicon-benchmark")
    chosen = parser.parse_args()
    chosen.work.mkdir(parents=True, exist_ok=True)
    write = chosen.work.__truediv__
    files = {
        "en_ewt": {
            "lexicon": str(write(english_words(chosen.work))), "clusters": str(write(english_clusters(chosen.work))),
        },
        "zh_gsd1": {"lexicon": str(write(chinese_words(chosen.work)))},
    }  # fmt: skip
    for named in chosen.clusters:
        treebank, _, file = named.partition("=")
        files[treebank]["clusters"] = file
    results: dict[str, list[dict[str, Any]]] = {}
    for treebank in chosen.treebanks:
        path = HERE / f"{treebank}.jsonl"
        done = results[treebank] = known_runs(path)
        for seed in chosen.seeds:
            for system in chosen.systems:
                if system == "crf-segmenter" and not treebank.startswith("zh"):
                    continue  # English words stand between spaces
                for row, options in settings(treebank, system, files).items():
                    key = {"system": system, "row": row, "seed": seed}
                    if any(all(r[k] == v for k, v in key.items()) for r in done):
                        continue
                    done.append(key | run(treebank, system, options, seed))
                    print(treebank, done[-1], flush=True)
                    keep_runs(path, done)
                    (HERE / "README.md").write_text(render(list(results), results))
    (HERE / "README.md").write_text(render(list(results), results))


if __name__ == "__main__":
    main()
