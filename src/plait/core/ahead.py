"""The large weight tables of a model file, unpacked in other threads while the modules that use them are imported."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from plait.arrays import AnyArray, UInt8Array
from plait.core import _frozen
from plait.core._frozen import FrozenWeights

if TYPE_CHECKING:
    from concurrent.futures import Future

WORTH_A_THREAD = 100_000  # bytes of a packed table
MAX_THREADS = 2
BETWEEN = ("tables", "models", "crf")  # levels of the header that the names of arrays do not have

_Key = tuple[int, int, int, int, float, int]
_opening: dict[_Key, Future[FrozenWeights]] = {}


def open_packed(packed: UInt8Array, labels: int, bits: int, scale: float, salt: int) -> FrozenWeights:
    """The table that was packed, perhaps by a thread that is at it already; a ValueError where it is none."""
    key = _key(packed, labels, bits, scale, salt)
    begun = _opening.get(key)
    if begun is None:
        return _frozen.open_packed(packed, labels, bits, scale, salt)
    from concurrent.futures import Future

    if not begun.cancel():  # a thread is already working on it
        return begun.result()
    here = Future[FrozenWeights]()  # no thread has come to it: do not wait for one
    _unpack(here, packed, labels, bits, scale, salt)
    if _opening.get(key) is begun:
        _opening[key] = here
    return here.result()


@contextmanager
def opening_ahead(header: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> Iterator[None]:
    """Meanwhile ``open_packed`` has a start: the large tables are unpacked in the order of their sizes.

    A table that is not found here, or not sound, is left to whoever opens it.
    """
    wanted: dict[_Key, tuple[Any, ...]] = {}
    for name, table in _packed_tables(header):
        packed = arrays.get(f"{name}.packed")
        if packed is None or packed.dtype != np.uint8 or packed.ndim != 1 or packed.nbytes < WORTH_A_THREAD:
            continue
        labels, bits, scale, salt = (table.get(field) for field in ("labels", "bits", "scale", "salt"))
        if type(labels) is int and type(bits) is int and type(scale) is float and type(salt) is int:
            wanted[_key(packed, labels, bits, scale, salt)] = (packed, labels, bits, scale, salt)
    own = sorted(wanted.keys() - _opening.keys(), key=lambda key: -key[1])  # two threads may open the same bytes
    if not own:
        yield
        return
    from concurrent.futures import Future  # slow to import, and not always needed
    from threading import Thread

    begun = {key: Future[FrozenWeights]() for key in own}
    work = deque((future, *wanted[key]) for key, future in begun.items())  # safe between threads
    _opening.update(begun)
    threads = [Thread(target=_unpack_all, args=(work,)) for _ in range(min(_spare_cores(), len(own)))]
    try:
        for thread in threads:
            thread.start()
        yield
    finally:
        for key, future in begun.items():
            future.cancel()
            _opening.pop(key, None)
        for thread in threads:
            thread.join()


def usable_cores() -> int:
    """The cores that this process may use: in a container or under a scheduler, often fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _spare_cores() -> int:
    """How many threads can work beside the one that asks."""
    return max(1, min(MAX_THREADS, usable_cores() - 1))


def _unpack_all(work: deque[tuple[Any, ...]]) -> None:
    with suppress(IndexError):  # another thread had the last one
        while work:
            _unpack(*work.popleft())


def _unpack(future: Future[FrozenWeights], *packed: Any) -> None:
    if future.set_running_or_notify_cancel():
        try:
            future.set_result(_frozen.open_packed(*packed))
        except Exception as error:
            future.set_exception(error)


def _key(packed: UInt8Array, labels: int, bits: int, scale: float, salt: int) -> _Key:
    return packed.ctypes.data, packed.nbytes, labels, bits, scale, salt


def _packed_tables(header: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The headers of packed tables, by the beginning of the names of their arrays."""
    left: list[tuple[tuple[str, ...], Any]] = [((), header)]  # no recursion: a forged header may be deep
    while left:
        path, part = left.pop()
        if isinstance(part, list):
            left += [((*path, str(k)), each) for k, each in enumerate(part) if isinstance(each, dict)]
        elif isinstance(part, dict) and part.get("kind") == "packed":
            yield ".".join(level for level in path if level not in BETWEEN), part
        elif isinstance(part, dict):
            left += [((*path, level), each) for level, each in part.items() if isinstance(each, (dict, list))]
