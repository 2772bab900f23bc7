"""Hard constraints on 100,000 random inputs: legal borders and one type a stretch, whatever the scores are.

python benchmarks/crf/constraints.py [COUNT]
"""

from __future__ import annotations

import sys
import time

import numpy as np

from plait.chain._search import best
from plait.chain.labels import hybrid_space
from plait.chain.segments import FINAL, SegmentLabels
from plait.data.schemes import BIES, BIO, BMES, OUTSIDE, SIX


def spaces(rng: np.random.Generator):
    types = [f"T{k}" for k in range(int(rng.integers(1, 8)))]
    for scheme in (BIO, BIES):
        yield scheme, hybrid_space(scheme.marks, [*types, OUTSIDE], scheme)
    for scheme in (BMES, SIX):
        for finals in (False, True):
            yield scheme, SegmentLabels("hybrid", scheme, types, finals=finals).space


def main(count: int) -> None:
    rng = np.random.default_rng(1)
    begin = time.perf_counter()
    checked = items = 0
    while checked < count:
        for scheme, space in spaces(rng):
            S, T = len(space.marks), len(space.types)  # noqa: N806
            chart = space.chart()
            spread = 10 ** rng.uniform(-2, 3)  # from hardly any preference to absurd weights
            chart.set_scores(*(spread * rng.normal(size=shape) for shape in ((S, T), (S, S, T), (S, T, T))))
            for _ in range(min(50, count - checked)):
                n = int(rng.integers(1, 40))
                shapes = {"s": (n, S), "t": (n, T), "st": (n, S, T), "ss": (n, S, S), "tt": (n, T, T)}
                x = {name: (spread * rng.normal(size=shape)).astype(np.float32) for name, shape in shapes.items()}
                s, t, score = best(chart, x)
                marks = [space.marks[k].removesuffix(FINAL) for k in s]
                types = [space.types[k] for k in t]
                labels = [
                    OUTSIDE if type == OUTSIDE else f"{mark}-{type}" for mark, type in zip(marks, types, strict=True)
                ]
                assert np.isfinite(score), "no labelling was found"
                assert scheme.is_legal(labels), labels
                checked += 1
                items += n
    print(f"{checked:,} inputs, {items:,} items, 0 violations, {time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
