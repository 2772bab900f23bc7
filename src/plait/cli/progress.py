"""Progress on a terminal: bars with rate and time left on stderr, and nothing when nobody is looking."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from plait.formats.source import Source

T = TypeVar("T")

SHOWN_FROM = 8 << 20  # bytes; smaller files are done before one could read the bar


def track(items: Iterable[T], label: str, unit: str = "sentences") -> Iterable[T]:
    """The same items, with a bar while they pass if stderr is a terminal."""
    if not sys.stderr.isatty():
        return items
    from tqdm import tqdm

    bar: Any = tqdm(items, desc=label, unit=f" {unit}", leave=False, dynamic_ncols=True, mininterval=0.2)
    return bar  # type: ignore[no-any-return]


def show_progress(items: Iterable[T], source: Source) -> Iterator[T]:
    """The same items, and how much of the source they have taken so far."""
    size = Path(source.name).stat().st_size if os.path.isfile(source.name) else 0  # noqa: PTH113 (names may be odd)
    if size < SHOWN_FROM or not sys.stderr.isatty():
        yield from items
        return
    from tqdm import tqdm

    with tqdm(total=size, unit="B", unit_scale=True, desc=source.name, leave=False) as bar:
        for item in items:
            if source.bytes_read > bar.n:
                bar.update(source.bytes_read - bar.n)
            yield item
