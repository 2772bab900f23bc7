"""The partitions of a job: a partition is a range of documents of one input file, and becomes one output file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, ClassVar

from plait.errors import DataError, ModelError
from plait.files import open_atomic
from plait.integrations.annotator import Analysis, Annotator

SHOWN = 20  # faults of a partition that are kept with their words; the others are counted


@dataclass(frozen=True)
class Cut:
    """A range of documents in a file."""

    begin: int  # first byte or, in Parquet, first row
    end: int | None  # the one after the last; None: to the end of a file that is not cut
    first_line: int  # line number of its first byte; 1 in Parquet
    bytes: int  # its share of the file, for the progress bar


@dataclass(frozen=True)
class Partition:
    """A cut of an input file, and the output file made of it; names are relative to the job's folders, with slashes."""

    source: str
    target: str
    cut: Cut


@dataclass(kw_only=True)
class Counts:
    """What was annotated in a partition or a whole job."""

    documents: int = 0
    sentences: int = 0
    words: int = 0
    faults: int = 0
    messages: list[str] = field(default_factory=list)  # the first faults of each partition, with their places


@dataclass
class Outcome(Counts):
    """The result of one partition."""

    partition: Partition

    def count(self, analysis: Analysis, place: str, *, stop: bool) -> None:
        """Count a document; one with a fault is noted, or ends the work."""
        self.documents += 1
        self.sentences += analysis.sentences
        self.words += analysis.words
        if analysis.error is not None:
            self.fault(f"{place}: {analysis.error}", stop=stop)

    def fault(self, message: str, *, stop: bool) -> None:
        """Note a fault, or raise it."""
        if stop:
            raise DataError(message)
        self.faults += 1
        if len(self.messages) < SHOWN:
            self.messages.append(message)


class Kind(ABC):
    """A kind of input file: how it is cut into partitions, and how one of them is read, analysed and written."""

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]  # of its files; the first is given to those that are written

    @abstractmethod
    def check(self, annotator: Annotator) -> None:
        """Reject options that this kind does not support."""

    def suffix(self, annotator: Annotator) -> str:
        """The suffix of the output files."""
        return self.suffixes[0]

    @abstractmethod
    def cut(self, file: Path, size: int) -> Iterator[Cut]:
        """Runs of ``size`` documents, in order; at least one, even of an empty file."""

    @abstractmethod
    def write(self, source: Path, name: str, annotator: Annotator, outcome: Outcome, target: IO[bytes]) -> None:
        """Analyse a partition and write it, counting in ``outcome``; ``name`` is the file as messages show it."""


@dataclass(frozen=True)
class Task:
    """What is done to every partition; it can be sent to other processes and machines that see the same folders."""

    input: Path
    output: Path
    shown_input: str  # as the user named it
    kind: Kind
    annotator: Annotator
    digest: str  # of the model: a worker that opens another one must not go on

    def __call__(self, partition: Partition) -> Outcome:
        """Analyse one partition; its file appears whole or not at all."""
        if self.annotator.digest != self.digest:
            raise ModelError("the model has changed since the job was started; stop all workers and start over")
        outcome = Outcome(partition)
        target = self.output / partition.target
        target.parent.mkdir(parents=True, exist_ok=True)
        name = f"{self.shown_input}/{partition.source}" if self.input.is_dir() else self.shown_input
        source = self.input / partition.source if self.input.is_dir() else self.input
        with open_atomic(target, "wb") as file:
            self.kind.write(source, name, self.annotator, outcome, file)
        return outcome
