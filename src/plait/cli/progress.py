"""Progress on a terminal: bars with rate and remaining time on stderr, if it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from plait.files.names import is_file
from plait.formats.source import Source

T = TypeVar("T")

DELAY = 1.0  # seconds; what is done sooner needs no bar


def track(items: Iterable[T], label: str, unit: str = "sentences") -> Iterable[T]:
    """The same items, with a progress bar if stderr is a terminal."""
    if not sys.stderr.isatty():
        return items
    from tqdm import tqdm

    bar: Any = tqdm(items, desc=label, unit=f" {unit}", leave=False, dynamic_ncols=True, mininterval=0.2, delay=DELAY)
    return bar  # type: ignore[no-any-return]


def show_progress(items: Iterable[T], source: Source, label: str | None = None) -> Iterable[T]:
    """The same items, with a progress bar by the fraction of the source read so far.

    For a source without a size, such as a pipe, only the number of items and their rate are shown.
    """
    if not sys.stderr.isatty():
        return items
    size = Path(source.name).stat().st_size if is_file(source.name) else 0
    return _measured(items, source, size, label or source.name) if size else track(items, label or source.name)


def _measured(items: Iterable[T], source: Source, size: int, label: str) -> Iterator[T]:
    from tqdm import tqdm

    with tqdm(total=size, unit="B", unit_scale=True, desc=label, leave=False, dynamic_ncols=True, delay=DELAY) as bar:
        for item in items:
            if source.bytes_read > bar.n:
                bar.update(source.bytes_read - bar.n)
            yield item
