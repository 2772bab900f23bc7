"""Who is measured: plait's systems, and what every contender offers to the measurement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol

import plait
from plait.data.document import Sentence
from plait.pipeline.streams import BATCH


class Analyser(Protocol):
    """A trained contender in use. Only ``run`` is timed."""

    def prepare(self, sentences: Sequence[Sentence]) -> list[Any]:
        """Sentences as the contender's own objects, rebuilt for every repetition."""

    def run(self, items: list[Any]) -> list[Any]:
        """Analyse them all, in the way that the contender's own manual recommends for many."""

    def finish(self, results: list[Any]) -> list[Sentence]:
        """What it found, as sentences."""


@dataclass(frozen=True)
class Contender:
    """One row of the page."""

    name: str
    package: str  # distribution whose version is named
    kinds: tuple[str, ...]  # of tasks
    train: Callable[[list[Sentence], list[Sentence], Path, bool], None]  # training set, dev, model to write, quick
    open: Callable[[Path, str], Analyser]  # model and kind of task
    command: str  # how the same is done by hand
    of: str = ""  # another contender whose model this one uses
    measured: tuple[str, ...] = ()  # measures that it predicts; none: all of the task

    def version(self) -> str | None:
        """The installed version; None: it is not installed."""
        try:
            return version(self.package)
        except PackageNotFoundError:
            return None


class PlaitAnalyser:
    """A model of plait."""

    def __init__(self, path: Path, kind: str) -> None:
        self.model = plait.load(path)
        self.kind = kind

    def prepare(self, sentences: Sequence[Sentence]) -> list[Any]:
        if self.kind == "words":
            return ["".join(sentence.forms) for sentence in sentences]
        bare = [sentence.bare() for sentence in sentences]
        if self.kind == "chunks":
            for twin, sentence in zip(bare, sentences, strict=True):
                twin.xpos = list(sentence.xpos)
        return bare

    def run(self, items: list[Any]) -> list[Any]:
        if self.kind == "words":
            return [self.model(text) for text in items]
        return list(self.model.annotate(items, batch_size=BATCH))

    def finish(self, results: list[Any]) -> list[Sentence]:
        return [sentence for document in results for sentence in document] if self.kind == "words" else results


def plait_contender(name: str, system: str, kinds: tuple[str, ...], quick: dict[str, Any], **options: Any) -> Contender:
    """A system of plait with options; ``quick`` ones replace them in a quick run."""

    def train(known: list[Sentence], dev: list[Sentence], path: Path, is_quick: bool) -> None:
        chosen = options | quick if is_quick else options
        plait.train(system, train=known, dev=dev or None, seed=1, **chosen).save(path)

    flags = "".join(f" --{key.replace('_', '-')} {value}" for key, value in options.items())
    measured = ("upos",) if "tagger" in system else ("words",) if options.get("structure") == "linear" else ()
    return Contender(
        f"plait {name}", "plait", kinds, train, PlaitAnalyser, f"plait train {system}{flags}", measured=measured
    )


TREES, CHUNKS, WORDS = ("trees",), ("chunks",), ("words",)
FAST = {"epochs": 2}
PLAIT = (
    plait_contender("perceptron-tagger", "perceptron-tagger", TREES, FAST, epochs=6),
    plait_contender("crf-tagger", "crf-tagger", TREES, FAST, optimizer="adagrad", epochs=8),
    plait_contender("easyfirst-parser, greedy", "easyfirst-parser", TREES, FAST, epochs=12),
    plait_contender(
        "easyfirst-parser, greedy, small", "easyfirst-parser", TREES, FAST, epochs=12, templates="small"
    ),
    plait_contender("easyfirst-parser, beam 8", "easyfirst-parser", TREES, FAST | {"epochs": 3}, beam=8, epochs=12),
    plait_contender("easyfirst-joint, greedy", "easyfirst-joint", TREES, FAST, epochs=12),
    plait_contender("transition-joint, greedy", "transition-joint", TREES, FAST, beam=1, beam_tags=0, epochs=8),
    plait_contender("transition-joint, beam 8", "transition-joint", TREES, FAST | {"folds": 2}, beam=8, epochs=10),
    plait_contender(
        "graph-joint", "graph-joint", TREES,
        {"epochs": 1, "folds": 2, "arc_epochs": 1}, epochs=6, prune_arcs=0.003, max_heads=12,
    ),
    plait_contender("crf-chunker", "crf-chunker", CHUNKS, FAST, optimizer="adagrad", epochs=8, tagger=False),
    plait_contender(
        "crf-segmenter", "crf-segmenter", WORDS, FAST, optimizer="adagrad", epochs=5, tag="upos", sentences=False
    ),
    plait_contender(
        "crf-segmenter, words alone", "crf-segmenter", WORDS, FAST, structure="linear", optimizer="adagrad", epochs=5,
        sentences=False,
    ),
)  # fmt: skip
