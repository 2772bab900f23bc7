"""Threads for compiled code that releases the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

R = TypeVar("R")


class Workers:
    """``map`` over some threads; a single one is the caller's own."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.pool = ThreadPoolExecutor(count) if count > 1 else None

    def map(self, function: Callable[..., R], *arguments: Iterable[Any]) -> list[R]:
        """The results in order."""
        return list(map(function, *arguments) if self.pool is None else self.pool.map(function, *arguments))


@contextmanager
def start_workers(count: int) -> Iterator[Workers]:
    """Workers that end with the block."""
    workers = Workers(count)
    try:
        yield workers
    finally:
        if workers.pool is not None:
            workers.pool.shutdown()
