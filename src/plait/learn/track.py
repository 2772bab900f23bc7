"""Progress bars: training hands its loops to whoever wants to show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

Track = Callable[[Iterable[Any], str], Iterable[Any]]  # (items, what is done with them) -> the same items


def no_track(items: Iterable[Any], label: str) -> Iterable[Any]:
    """No progress bar."""
    return items
