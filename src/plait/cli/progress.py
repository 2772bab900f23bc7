"""Progress on a terminal: bars with rate and time left on stderr, and nothing when nobody is looking."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, TypeVar

T = TypeVar("T")


def track(items: Iterable[T], label: str, unit: str = "sentences") -> Iterable[T]:
    """The same items, with a bar while they pass if stderr is a terminal."""
    if not sys.stderr.isatty():
        return items
    from tqdm import tqdm

    bar: Any = tqdm(items, desc=label, unit=f" {unit}", leave=False, dynamic_ncols=True, mininterval=0.2)
    return bar  # type: ignore[no-any-return]
