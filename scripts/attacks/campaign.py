"""A run of attacks: workers, time limits, and the table of what came of them."""

from __future__ import annotations

import os
import random
import selectors
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from attacks import ACCEPTED, KINDS, REFUSED, SELF_TEST

KNOWN = KINDS | SELF_TEST

COLUMNS = ("tried", "refused", "accepted", "crashed", "untyped", "timed out")


@dataclass
class Tally:
    """What came of the cases of one kind."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[int, str]] = field(default_factory=list)  # seed, what happened

    @property
    def row(self) -> list[int]:
        """The numbers of the table."""
        return [sum(self.counts.values()), *(self.counts[column] for column in COLUMNS[1:])]


class Worker:
    """One process; a new one takes its place when it dies or takes too long."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.kind = kind
        self.folder = folder
        self.limit = KNOWN[kind][1]
        self.log = folder / f"{KNOWN[kind][0]}.log"
        self.process: subprocess.Popen[bytes] | None = None

    def run(self, seed: int) -> tuple[str, str]:
        """(column of the table, details) of one case."""
        if self.process is None:
            self._start()
        process = self.process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"%d\n" % seed)
        process.stdin.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if not selector.select(self.limit):
                self.stop()
                return "timed out", f"after {self.limit} s"
        answer = process.stdout.readline().decode("utf-8", "replace").strip()
        if not answer:
            code = process.wait()
            self.stop()
            name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            return "crashed", f"{name}; the end of its log: {self._last_lines()}"
        return (answer, "") if answer in (REFUSED, ACCEPTED) else ("untyped", answer.removeprefix("untyped "))

    def _start(self) -> None:
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-X", "faulthandler", Path(__file__).with_name("worker.py"), self.kind, self.folder],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, "PLAIT_TRACEBACK": ""},
            )

    def _last_lines(self) -> str:
        text = self.log.read_text(encoding="utf-8", errors="replace")
        at = max(text.find("ERROR: AddressSanitizer"), text.find("runtime error"), text.find("Fatal Python error"))
        return " / ".join(text[max(at, 0) :].splitlines()[:8])[:600]

    def stop(self) -> None:
        """End the process, whatever it does."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe is not None:
                    with suppress(OSError):  # what was still to be written to a dead process
                        pipe.close()
            self.process = None


def seeds_of(seed: int, kind: str) -> Iterator[int]:
    """The cases of one kind, in order; the same for the same seed, whatever else is run."""
    rng = random.Random(f"{seed} {kind}")
    while True:
        yield rng.randrange(1 << 48)


def run_campaign(
    folder: Path, kinds: Iterable[str], seed: int, seconds: float | None, cases: int | None = None
) -> dict[str, Tally]:
    """Give every kind its share of the time, a few cases in turn, or so many cases each."""
    tallies = {kind: Tally() for kind in kinds}
    workers = {kind: Worker(kind, folder) for kind in tallies}
    sources = {kind: seeds_of(seed, kind) for kind in tallies}
    spent = dict.fromkeys(tallies, 0.0)
    started = time.monotonic()
    try:
        while seconds is None or time.monotonic() - started < seconds:
            waiting = [kind for kind in tallies if cases is None or tallies[kind].row[0] < cases]
            if not waiting:
                break
            kind = min(waiting, key=lambda kind: spent[kind] / KNOWN[kind][2])
            begun = time.monotonic()
            number = next(sources[kind])
            column, details = workers[kind].run(number)
            spent[kind] += time.monotonic() - begun
            tallies[kind].counts[column] += 1
            if column not in (REFUSED, ACCEPTED):
                tallies[kind].faults.append((number, f"{column}: {details}"))
                print(f"{kind}, case {number}: {column}: {details}", file=sys.stderr, flush=True)
    finally:
        for worker in workers.values():
            worker.stop()
    return tallies


def table(tallies: dict[str, Tally]) -> str:
    """The counts as Markdown."""
    rows = [["kind", *COLUMNS], *([kind, *map(str, tally.row)] for kind, tally in tallies.items())]
    total = [str(sum(tally.row[k] for tally in tallies.values())) for k in range(len(COLUMNS))]
    rows.append(["all", *total])
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))]
        lines.append(f"| {' | '.join(cells)} |")
    lines.insert(1, f"|{'-' * (widths[0] + 2)}|{'|'.join('-' * (w + 1) + ':' for w in widths[1:])}|")
    return "\n".join(lines)
