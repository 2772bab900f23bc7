"""The speed of a model on some input: sentences and words per second, and time by sentence length."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from time import perf_counter
from typing import Any

from plait.data.document import Sentence
from plait.errors import DataError
from plait.pipeline.model import Model

LENGTHS = ((1, 10), (11, 20), (21, 30), (31, 40), (41, 60), (61, 100), (101, None))

Unit = str | Sentence  # a paragraph of raw text, or a sentence with its words


@dataclass(frozen=True)
class LengthSpeed:
    """The speed on units of one range of lengths."""

    words: str
    units: int
    milliseconds: float  # mean for one unit
    words_per_second: float


@dataclass(frozen=True)
class Speed:
    """What ``measure_speed`` finds; rates are medians over the runs."""

    units: int
    sentences: int
    words: int
    threads: int
    runs: tuple[float, ...]  # seconds of each run, in order
    by_length: tuple[LengthSpeed, ...]
    peak_memory: int | None  # bytes that the process has held at most; None where the system does not tell

    @property
    def seconds(self) -> float:
        """The median run."""
        return median(self.runs)

    @property
    def sentences_per_second(self) -> float:
        """Sentences that come out in a second."""
        return self.sentences / self.seconds

    @property
    def words_per_second(self) -> float:
        """Words that come out in a second."""
        return self.words / self.seconds

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        rates = {name: getattr(self, name) for name in ("seconds", "sentences_per_second", "words_per_second")}
        return {**asdict(self), **rates, "runs": list(self.runs), "by_length": [asdict(row) for row in self.by_length]}


def measure_speed(
    model: Model, units: Sequence[Unit], *, runs: int = 3, threads: int = 1, track: Callable[..., Any] | None = None
) -> Speed:
    """Analyse the units once as a warm-up, timing each, and then ``runs`` times, timing the whole.

    The times by length come from the first pass, on one thread. Reading and writing files is not included.
    """
    units = list(units)
    if not units:
        raise DataError("nothing to analyse; expected at least one sentence")
    watched = units if track is None else track(units, "warm-up")
    lengths, sentences, times = [], 0, []
    for unit in watched:
        begin = perf_counter()
        document = model(unit)
        times.append(perf_counter() - begin)
        lengths.append(document.token_count)
        sentences += len(document)
    seconds = [_run(model, units, threads) for _ in range(runs)]
    return Speed(
        units=len(units),
        sentences=sentences,
        words=sum(lengths),
        threads=threads,
        runs=tuple(seconds),
        by_length=tuple(_by_length(lengths, times)),
        peak_memory=peak_memory(),
    )


def _run(model: Model, units: Sequence[Unit], threads: int) -> float:
    begin = perf_counter()
    for _ in model.pipe(units, threads=threads):
        pass
    return perf_counter() - begin


def _by_length(lengths: Sequence[int], times: Sequence[float]) -> list[LengthSpeed]:
    rows = []
    for low, high in LENGTHS:
        chosen = [(n, t) for n, t in zip(lengths, times, strict=True) if low <= n and (high is None or n <= high)]
        if chosen:
            words, total = sum(n for n, _ in chosen), max(sum(t for _, t in chosen), 1e-9)
            name = f"{low}+" if high is None else f"{low}–{high}"
            rows.append(LengthSpeed(name, len(chosen), 1000 * total / len(chosen), words / total))
    return rows


def peak_memory() -> int | None:
    """The most memory that this process has held, in bytes."""
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return held if sys.platform == "darwin" else held * 1024
