"""What is measured: treebanks by name or path, chunks, and segmentation; with files cut down for quick runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import plait
from plait.data.document import Sentence
from plait.evaluation import conll18, evaluate
from workbench import DATA, UD

NAMED = {
    "conll2000": ("chunks", "conll2000", "conll2000"),
    "pd98": ("words", "pd98", "segmented"),
}  # kind, folder, format; all other names are UD treebanks
MEASURES = {"trees": ("upos", "uas", "las"), "chunks": ("chunk_f1",), "words": ("words", "tags")}


@dataclass(frozen=True)
class Task:
    """One data set: what is to be found in it, and its files."""

    name: str
    kind: str  # trees: tags and trees of given words; chunks; words: raw text to words and tags
    train: Path
    dev: Path | None
    test: Path
    format: str | None = None

    def read(self, part: str, limit: int = 0) -> list[Sentence]:
        """The sentences of one part, the first ``limit`` of them (0: all); of a part that is missing none."""
        path = getattr(self, part)
        if path is None:
            return []
        sentences = plait.read(path, self.format).sentences
        return sentences[:limit] if limit else sentences

    def scores(self, gold: list[Sentence], found: list[Sentence]) -> dict[str, float]:
        """The measures of this kind of task."""
        if self.kind == "words":
            measured = conll18(gold, found)
            return {"words": measured["Words"].f1, "tags": measured["UPOS"].f1}
        scores = evaluate(gold, found).to_dict()
        return {measure: scores[measure] for measure in MEASURES[self.kind] if measure in scores}


def find_task(name: str) -> Task:
    """A data set by name, or any folder of a UD treebank (``*train*.conllu``, ``*dev*``, ``*test*``) by path."""
    kind, folder, format = NAMED.get(name, ("trees", f"ud/{name}", None))
    path = Path(name) if Path(name).is_dir() else DATA / folder
    parts = {part: _find(path, part) for part in ("train", "dev", "test")}
    if parts["train"] is None or parts["test"] is None:
        raise SystemExit(
            f"run: no training and test data in {path}; give a name ({', '.join(NAMED)}, or a folder of {UD}) "
            "or the path of a treebank"
        )
    return Task(path.name, kind, parts["train"], parts["dev"], parts["test"], format)


def _find(folder: Path, part: str) -> Path | None:
    known = ("conllu", "conllu.xz", "txt", "txt.xz")
    return next((file for end in known for file in sorted(folder.glob(f"*{part}*.{end}"))), None)
