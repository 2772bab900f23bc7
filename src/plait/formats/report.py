"""Error handling of readers: stop, skip and count the sentence, or report and accept it."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable
from typing import TypeAlias

from plait.errors import FormatError, FormatWarning, OptionError, PlaitError

# A reader hands every fault to its report and, when that returns, goes on with the next sentence.
Report: TypeAlias = Callable[[PlaitError], None]

# What is wrong with a file and does no harm, such as the line ends of Windows, goes to its notice, with what was done.
Notice: TypeAlias = Callable[[FormatError, str], None]

_NUMBER = re.compile(r"\b(0x[0-9A-F]+|\d+)\b")  # faults that differ in numbers alone have one reason


def stop(error: PlaitError) -> None:
    """The report that ends the reading at the first fault."""
    raise error


def refuse(error: FormatError, done: str) -> None:
    """The notice of ``strict``: an error."""
    raise error


def ignore(error: FormatError, done: str) -> None:
    """A notice that is discarded."""


def warn(error: FormatError, done: str) -> None:
    """The notice as a ``FormatWarning``."""
    place = error.file if error.line is None else f"{error.file}:{error.line}"
    warnings.warn(f"{place}: {error.what}; {done}", FormatWarning, stacklevel=2)


class Skipped:
    """The report that continues reading, and counts the skipped sentences and the reasons.

    >>> skipped = Skipped()
    >>> skipped(FormatError("is not a number", file="a.conllu", line=7, column="HEAD", value="x"))
    >>> skipped.count, dict(skipped.reasons)
    (1, {'HEAD: is not a number': 1})
    >>> print(skipped)
    left out 1 sentence
      1 × HEAD: is not a number (first: a.conllu:7: HEAD is 'x': is not a number)
    """

    def __init__(self) -> None:
        self.reasons: Counter[str] = Counter()
        self.examples: dict[str, PlaitError] = {}  # reason: the first error of its kind

    def __call__(self, error: PlaitError) -> None:
        """Count one fault, with the sentences (or lines) that are left out because of it."""
        reason = error.what if isinstance(error, FormatError) else str(error)
        reason = _NUMBER.sub("N", reason)
        if isinstance(error, FormatError) and error.column is not None:
            reason = f"{error.column}: {reason}"
        self.reasons[reason] += error.lost if isinstance(error, FormatError) else 1
        self.examples.setdefault(reason, error)

    @property
    def count(self) -> int:
        """How many sentences were left out."""
        return self.reasons.total()

    def __bool__(self) -> bool:
        return bool(self.reasons)

    def __str__(self) -> str:
        lines = [f"left out {self.count} sentence{'' if self.count == 1 else 's'}"]
        lines += [f"  {n} × {reason} (first: {self.examples[reason]})" for reason, n in self.reasons.most_common()]
        return "\n".join(lines)


def choose_report(on_error: str, skipped: Skipped | None = None) -> Report:
    """The report for ``on_error``: "stop", or "skip" into the given ``Skipped``."""
    if on_error == "stop":
        return stop
    if on_error == "skip":
        return Skipped() if skipped is None else skipped
    raise OptionError(f"on_error is {on_error!r}; expected 'stop' or 'skip'")
