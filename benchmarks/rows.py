"""How fast the core adds rows of weights, as a ratio to what the machine's memory allows.

    python benchmarks/rows.py [--output benchmarks/results/rows.md]

For tables that fit L2, L3 and neither, random known keys are scored in one call. In the same run, and on memory of the
same size, single random cache lines are fetched (``numpy.take`` with precomputed places, nothing else done): that is
the machine's limit for one access. A row of a keyed table needs two accesses (a slot of the index, then the row), one
of the hash kernel a single one; the ratio is the time of a row over the time of so many bare accesses.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from plait.core._frozen import freeze
from plait.core._kernel import freeze_kernel
from plait.core._weights import Scorer, Weights
from workbench import publish

LABELS = 48
CALL = 1 << 18  # random keys in one call
REPEATS = 9
ASKED = CALL * (REPEATS + 1)
SIZES = {"L2": 1 << 19, "L3": 1 << 23, "DRAM": 1 << 28}  # bytes aimed at


def nanoseconds(run: Callable[[np.ndarray], object], items: np.ndarray) -> float:
    """The median time of one item, each call with items of its own: what one touched must not help the next."""
    times = []
    for part in items.reshape(REPEATS + 1, CALL):
        start = time.perf_counter()
        run(part)
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:]) / CALL * 1e9


def access_limit(size: int) -> float:
    """One random cache line out of ``size`` bytes, in nanoseconds."""
    lines = np.zeros(size // 8, dtype=np.uint64)
    lines[:] = 1  # pages that were never written all map to one
    places = np.random.default_rng(1).integers(0, size // 64, ASKED) * 8
    out = np.empty(CALL, dtype=np.uint64)
    return nanoseconds(lambda part: lines.take(part, out=out, mode="clip"), places)


def tables(size: int, filled: int) -> Iterator[tuple[str, Scorer, int, int, np.ndarray]]:
    """(name, table, bytes, accesses a row needs, keys to look up), each table of about ``size`` bytes."""
    random = np.random.default_rng(2)
    for bits in (8, 16, 32, 0):
        row = {8: 2 + 2 * filled, 16: 2 + 4 * filled, 32: 2 + 6 * filled, 0: 14 * filled}[bits]
        if bits in (8, 16, 32):
            row = min(row, 2 + LABELS * bits // 8)
        rows = size // (row + (24 if bits == 0 else 11))
        keys = np.unique(random.integers(1, 2**63, rows, dtype=np.uint64))
        starts = np.arange(len(keys) + 1, dtype=np.int64) * filled
        first = random.integers(0, LABELS - filled + 1, len(keys))
        labels = (first[:, None] + np.arange(filled)).astype(np.uint16).reshape(-1)
        values = random.normal(size=len(labels)).astype(np.float32)
        asked = random.choice(keys, ASKED)
        if bits == 0:
            growing = Weights.restore(LABELS, 1.0, keys, starts, labels, values, np.zeros(len(labels)))
            yield "growing, exact keys", growing, rows * (24 + row), 2, asked
        else:
            frozen = freeze(keys, starts, labels, values, LABELS, bits)
            yield f"frozen, {bits} bits", frozen, frozen.index.nbytes + frozen.arena.nbytes, 2, asked
    values = random.normal(size=(1 << size.bit_length() - 1) + LABELS).astype(np.float32)
    kernel = freeze_kernel(values, LABELS, 8)
    yield "hash kernel, 8 bits", kernel, kernel.values.nbytes, 1, random.integers(1, 2**63, ASKED, dtype=np.uint64)


def report() -> Iterator[str]:
    """The result table."""
    yield "# Rows of weights added per second\n"
    yield f"`python benchmarks/rows.py`, one core of {platform.machine()}, rows of {LABELS} labels, random keys,"
    yield f"{CALL} rows a call, median of {REPEATS} calls. `limit` is one bare random access to memory of that size in"
    yield "the same run; `ratio` is the time of a row over the accesses that it needs (1.0: the machine's limit).\n"
    yield "| level | table | weights a row | MB | ns a row | million rows/s | limit ns | accesses | ratio |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for level, size in SIZES.items():
        for filled in (4, LABELS):
            for name, table, bytes_, accesses, keys in tables(size, filled):
                shown = LABELS if name.startswith("hash") else filled
                if name.startswith("hash") and filled == 4:
                    continue
                limit = access_limit(bytes_)
                cost = nanoseconds(table.scores, keys)
                yield (
                    f"| {level} | {name} | {shown} | {bytes_ / 1e6:.1f} | {cost:.1f} | {1e3 / cost:.0f} "
                    f"| {limit:.1f} | {accesses} | {cost / (accesses * limit):.1f} |"
                )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--output", type=Path)
    chosen = arguments.parse_args()
    publish(report(), chosen.output)


if __name__ == "__main__":
    main()
