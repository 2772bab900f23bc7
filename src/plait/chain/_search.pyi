from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.arrays import Float64Array, Int32Array
from plait.chain._chart import Chart

Float = npt.NDArray[np.floating[Any]]

Scores = Mapping[str, Float | None]  # by view; only s and t must be there

def probabilities(
    chart: Chart,
    scores: Scores,
    *,
    logs: bool = False,
    spans: Sequence[tuple[int, Sequence[tuple[int, int]]]] = (),
    pairs: bool = True,
) -> tuple[float, dict[str, Float64Array]]: ...
def labelling_score(chart: Chart, s_path: Int32Array, t_path: Int32Array, scores: Scores) -> float: ...
def best(
    chart: Chart,
    scores: Scores,
    patterns: Int32Array | None = None,
    bonuses: tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[int], Sequence[float]] | None = None,
) -> tuple[Int32Array, Int32Array, float]: ...
