"""spaCy, trained on the same files and measured beside plait in one run: accuracy, speed, size, training time.

    python benchmarks/peers.py [--treebank zh_gsd1] [--steps 8000] [--output benchmarks/results/peers.md]

spaCy gets its own recipe for a small CPU pipeline (`spacy init config --pipeline tagger,parser --optimize efficiency`:
tok2vec, tagger for UPOS, parser; no pretraining) and plait the models that are named on its side. Gold words,
punctuation counted, one thread each; the data is looked for in PLAIT_DATA, else in ../shared/data.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import plait
from plait.data.document import Document, Sentence
from plait.integrations.conversion import to_spacy

DATA = Path(os.environ.get("PLAIT_DATA", Path(__file__).parents[2] / "shared" / "data")) / "ud"
PLAIT: dict[str, tuple[str, dict[str, Any]]] = {
    "plait easyfirst-joint": ("easyfirst-joint", {"epochs": 12}),
    "plait transition-joint, beam 8": ("transition-joint", {"beam": 8, "epochs": 10}),
}


def read(treebank: str, part: str) -> Document:
    return plait.read(DATA / treebank / f"{part}.conllu")


def train_spacy(treebank: str, steps: int, work: Path) -> Path:
    """spaCy's own training command on the treebank; UPOS is what its tagger learns."""
    from spacy.tokens import DocBin

    work.mkdir(parents=True, exist_ok=True)
    for part in ("train", "dev"):
        docs = DocBin()
        for sentence in read(treebank, part):
            doc = to_spacy(Document([sentence]))
            for token, tag in zip(doc, sentence.upos, strict=True):
                token.tag_ = tag
            docs.add(doc)
        docs.to_disk(work / f"{part}.spacy")
    spacy = [sys.executable, "-m", "spacy"]
    config = ["--lang", "xx", "--pipeline", "tagger,parser", "--optimize", "efficiency", "--force"]
    subprocess.run([*spacy, "init", "config", str(work / "config.cfg"), *config], check=True)
    paths = [f"--paths.{part}={work / part}.spacy" for part in ("train", "dev")]
    limits = [f"--training.max_steps={steps}", "--training.patience=0"]
    subprocess.run([*spacy, "train", str(work / "config.cfg"), "--output", str(work), *paths, *limits], check=True)
    return work / "model-best"


def spacy_parser(folder: Path) -> Callable[[Sentence], Sentence]:
    import spacy
    from spacy.tokens import Doc

    nlp = spacy.load(folder)

    def parse(sentence: Sentence) -> Sentence:
        doc = Doc(nlp.vocab, words=sentence.forms)
        for _, pipe in nlp.pipeline:
            doc = pipe(doc)
        roots = [token.i for token in doc if token.head.i == token.i]
        heads = [0 if token.i == roots[0] else (roots[0] if token.i in roots else token.head.i) + 1 for token in doc]
        labels = ["root" if token.i == roots[0] else token.dep_ for token in doc]
        return Sentence(sentence.forms, upos=[token.tag_ for token in doc], heads=heads, deprels=labels)

    return parse


def size(path: Path) -> float:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files) / 1e6


def measure(treebank: str, parse: Callable[[Sentence], Sentence]) -> str:
    """UPOS, UAS, LAS and sentences a second, the best of three runs."""
    gold = read(treebank, "test")
    bare = [sentence.bare() for sentence in gold]
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        found = [parse(sentence) for sentence in bare]
        seconds.append(time.perf_counter() - start)
    scores = plait.evaluate(gold, Document(found))
    return f"{scores.upos:.2f} | {scores.uas:.2f} | {scores.las:.2f} | {len(bare) / min(seconds):,.0f}"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--treebank", default="zh_gsd1")
    arguments.add_argument("--steps", type=int, default=8000, help="of spaCy's training")
    arguments.add_argument("--work", type=Path, default=Path("build") / "peers")
    arguments.add_argument("--output", type=Path)
    chosen = arguments.parse_args()
    work = chosen.work / chosen.treebank
    rows = []
    for name, (system, options) in PLAIT.items():
        path = work / f"{name.replace(' ', '-')}.plait"
        path.parent.mkdir(parents=True, exist_ok=True)
        start = time.process_time()
        train, dev = (read(chosen.treebank, part) for part in ("train", "dev"))
        plait.train(system, train=train, dev=dev, seed=1, **options).save(path)
        used = time.process_time() - start
        rows.append((name, path, used, lambda path=path: (lambda model: lambda s: model(s)[0])(plait.load(path))))
    start = time.perf_counter()
    folder = train_spacy(chosen.treebank, chosen.steps, work)
    rows.append(("spaCy, small pipeline", folder, time.perf_counter() - start, lambda: spacy_parser(folder)))
    lines = [
        f"# plait and spaCy on {chosen.treebank}",
        "",
        f"    python benchmarks/peers.py --treebank {chosen.treebank} --steps {chosen.steps}",
        "",
        f"Test, gold words, punctuation counted, one thread, one run on {platform.machine()}; training seconds: "
        "processor time for plait, wall time for spaCy.",
        "",
        "| system | UPOS | UAS | LAS | sentences/s | model MB | training s |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, path, used, opened in rows:
        lines.append(f"| {name} | {measure(chosen.treebank, opened())} | {size(path):.1f} | {used:,.0f} |")
        print(lines[-1], flush=True)
    if chosen.output:
        chosen.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
