"""Processing a stream in several threads, in order and in bounded memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from plait.data.document import Document, Sentence

T = TypeVar("T")

# units handed to a thread at a time, and their characters: enough to hide the hand-over, few enough to keep memory flat
BATCH, BATCH_SIZE = 64, 1 << 15


def size_of(item: Any) -> int:
    """The approximate number of characters of an input; numbered inputs are pairs."""
    if isinstance(item, tuple) and item:
        return size_of(item[-1])
    if isinstance(item, Document):
        return 5 * item.token_count
    if isinstance(item, Sentence):
        return 5 * len(item)
    return len(item) if isinstance(item, str) else 100


def in_order(
    function: Callable[[Any], T],
    inputs: Iterable[Any],
    threads: int,
    batch_size: int = BATCH,
    size: Callable[[Any], int] = size_of,
    together: Callable[[list[Any]], list[T]] | None = None,
) -> Iterator[T]:
    """``map`` over a stream, with several threads or in batches: results in order, a few batches in memory at once.

    batch_size: inputs per batch; fewer if they are long, according to ``size`` in characters.
    together: does what ``function`` does for several inputs at once, if that is faster. If it fails, ``function`` is
        called for each of them, so that it must be possible to repeat the work.
    """
    if threads <= 1 and together is None:
        yield from map(function, inputs)
        return
    source = iter(inputs)

    def batch(items: list[Any]) -> tuple[list[T], Exception | None]:
        if together is not None:
            try:
                return together(items), None
            except Exception:
                pass  # all up to the fault are given: see below
        return _until_error(function(item) for item in items)

    def given(results: list[T], fault: Exception | None) -> Iterator[T]:
        yield from results
        if fault is not None:
            raise fault

    with ExitStack() as stack:
        if threads > 1:
            from concurrent.futures import ThreadPoolExecutor  # slow to import, and often not needed

            pool = stack.enter_context(ThreadPoolExecutor(threads))
        waiting: deque[Callable[[], tuple[list[T], Exception | None]]] = deque()
        fault: Exception | None = None
        while fault is None:
            items, fault = _take(source, batch_size, size)
            if not items:
                break
            waiting.append(pool.submit(batch, items).result if threads > 1 else partial(batch, items))
            if threads <= 1 or len(waiting) > 2 * threads:
                yield from given(*waiting.popleft()())
        while waiting:
            yield from given(*waiting.popleft()())
        if fault is not None:  # what came before it has been given
            raise fault


def _take(source: Iterator[Any], count: int, size: Callable[[Any], int]) -> tuple[list[Any], Exception | None]:
    """The next items of a source, and the error that ended them early, if any."""

    def batch() -> Iterator[Any]:
        taken = 0
        for item in islice(source, count):
            yield item
            taken += size(item)
            if taken > BATCH_SIZE:
                break

    return _until_error(batch())


def _until_error(items: Iterable[T]) -> tuple[list[T], Exception | None]:
    found: list[T] = []
    try:
        for item in items:
            found.append(item)
    except Exception as error:
        return found, error
    return found, None
