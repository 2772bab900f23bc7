"""Distillation: a student learns from a treebank and from a teacher's confident analyses of raw text.

The teacher's analyses are written to a file as they are made, so that an interrupted run can be resumed, and the
student's training data can be inspected.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from plait.data.document import Sentence
from plait.errors import DataError, OptionError
from plait.formats import stream
from plait.formats.conllu import write_conllu
from plait.learn.records import Record
from plait.learn.task import Track, no_track
from plait.pipeline.model import Model
from plait.pipeline.training import train as train_system

IDENTITY, UNIT, CONFIDENCE = "distill_identity", "distill_unit", "distill_confidence"  # comments in the file


@dataclass(frozen=True)
class Selection:
    """Selects the teacher's sentences that the student learns from."""

    threshold: float = 0.9  # mean score of the tokens at least
    shortest: int = 3
    longest: int = 60

    def takes(self, sentence: Sentence) -> bool:
        """Whether the teacher is confident enough."""
        return self.fits(sentence) and confidence(sentence) >= self.threshold

    def fits(self, sentence: Sentence) -> bool:
        """Whether a sentence is neither too short nor too long."""
        return self.shortest <= len(sentence) <= self.longest


@dataclass
class Collected:
    """The number of sentences read and kept so far."""

    sentences: int = 0
    kept: int = 0
    words: int = 0

    def line(self) -> str:
        """The counts as a message."""
        share = 100.0 * self.kept / self.sentences if self.sentences else 0.0
        return f"{self.kept:,} of {self.sentences:,} sentences kept ({share:.0f} %), {self.words:,} words"


def confidence(sentence: Sentence) -> float:
    """The mean score of the tokens.

    >>> s = Sentence(["a", "b"])
    >>> s.scores = [1.0, 0.5]
    >>> confidence(s)
    0.75
    """
    return sum(sentence.scores) / len(sentence.scores) if sentence.scores else 0.0


def collect(
    teacher: Model, units: Iterable[str | Sentence], path: Path, selection: Selection, *, threads: int = 1
) -> Collected:
    """Let the teacher analyse texts or sentences, and append confident analyses to a CoNLL-U file.

    A file of an earlier run with the same teacher and selection is continued; another is refused. The count of
    sentences is that of this run.
    """
    identity = hashlib.sha256(teacher.to_bytes() + repr(selection).encode()).hexdigest()[:32]
    done = resume(path, identity)
    found = Collected()

    def worth_analysing() -> Iterator[tuple[str | Sentence, int]]:
        for number, unit in islice(enumerate(units), done, None):
            if isinstance(unit, str) or selection.fits(unit):
                yield unit, number
            else:
                found.sentences += 1

    documents = teacher.pipe(worth_analysing(), as_tuples=True, threads=threads, scores=True)
    with path.open("a", encoding="utf-8", newline="\n") as file:
        for document, number in documents:
            for sentence in document:
                if sentence.scores is None and len(sentence):
                    raise OptionError(f"the teacher ({teacher.system.name}) does not provide confidence scores")
                found.sentences += 1
                if not selection.takes(sentence):
                    continue
                found.kept += 1
                found.words += len(sentence)
                sure = f"# {CONFIDENCE} = {confidence(sentence):.4f}"
                sentence.comments = [f"# {IDENTITY} = {identity}", f"# {UNIT} = {number}", sure, *sentence.comments]
                file.writelines(write_conllu([sentence]))
    return found


def resume(path: Path, identity: str) -> int:
    """Truncate the file of an interrupted run to its last complete unit; returns the number of units already done."""
    if not path.exists():
        return 0
    content = path.read_bytes()
    starts: list[tuple[int, int]] = []  # (unit, where its first sentence begins)
    at = 0
    for block in content.split(b"\n\n")[:-1]:
        lines = dict(line[2:].split(b" = ", 1) for line in block.split(b"\n") if b" = " in line and line[:2] == b"# ")
        if lines.get(IDENTITY.encode()) != identity.encode():
            raise DataError(f"{path}: made by another teacher or selection, or not by plait; choose a new file")
        unit = int(lines[UNIT.encode()])
        if not starts or starts[-1][0] != unit:
            starts.append((unit, at))
        at += len(block) + 2
    # the last unit may have been cut off between two of its sentences
    unit, at = starts[-1] if starts else (0, 0)
    with path.open("r+b") as file:
        file.truncate(at)
    return unit


def choose(path: Path, words: int, seed: int) -> list[Sentence]:
    """Sentences of the file in random order, up to a number of words."""
    sentences = list(stream(path, "conllu")) if path.stat().st_size else []
    random.Random(seed).shuffle(sentences)
    chosen, total = [], 0
    for sentence in sentences:
        if total >= words:
            break
        total += len(sentence)
        chosen.append(sentence)
    return chosen


def distill(
    teacher: Model,
    units: Iterable[str | Sentence],
    *,
    train: Sequence[Sentence],
    dev: Sequence[Sentence] = (),
    system: str = "easyfirst-joint",
    work: str | Path,
    selection: Selection | None = None,
    ratio: float = 2.0,
    seed: int = 1,
    threads: int = 1,
    on_collected: Callable[[Collected], None] = lambda collected: None,
    on_epoch: Callable[[Record], None] | None = None,
    track: Track = no_track,
    **options: Any,
) -> Model:
    """Train a student on a treebank and on texts that the teacher has analysed.

    units: raw texts, if the teacher takes them, or sentences whose words are given.
    work: CoNLL-U file of the teacher's sentences; an interrupted run is continued from there.
    ratio: words of the teacher's sentences for each word of the treebank, at most; chosen at random by the seed.
    """
    if ratio <= 0:
        raise OptionError(f"ratio is {ratio}; expected more than 0")
    on_collected(collect(teacher, units, Path(work), selection or Selection(), threads=threads))
    automatic = choose(Path(work), int(ratio * sum(map(len, train))), seed)
    if not automatic:
        raise DataError(f"{work}: the teacher was not sure of any sentence; lower the threshold or give more text")
    return train_system(
        system,
        train=[*train, *map(_without_origin, automatic)],
        dev=dev or None,
        seed=seed,
        threads=threads,
        on_epoch=on_epoch,
        track=track,
        **options,
    )


def _without_origin(sentence: Sentence) -> Sentence:
    sentence.comments = [c for c in sentence.comments if not c.startswith("# distill_")]
    return sentence


def read_units(files: Iterable[str], format: str | None, *, raw: bool) -> Iterator[str | Sentence]:
    """The texts of raw files, or the sentences of files whose words are given."""
    from plait.formats import find_input_format, stream_text

    for file in files:
        chosen = find_input_format(format, file)
        if chosen.read is None:
            if not raw:
                raise OptionError(
                    f"{file}: raw text, but the teacher expects words; segment it, or use a pipeline as the teacher"
                )
            yield from stream_text(file, chosen)
        else:
            yield from (sentence.bare() for sentence in stream(file, chosen))
