from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.chain._chart import Chart

Float = npt.NDArray[np.floating[Any]]
Labels = npt.NDArray[np.int32]

def probabilities(
    chart: Chart,
    s: Float,
    t: Float,
    st: Float | None = None,
    ss: Float | None = None,
    tt: Float | None = None,
    logs: bool = False,
    spans: Sequence[tuple[int, Sequence[tuple[int, int]]]] = (),
    pairs: bool = True,
) -> tuple[float, dict[str, npt.NDArray[np.float64]]]: ...
def partition(
    chart: Chart, s: Float, t: Float, st: Float | None = None, ss: Float | None = None, tt: Float | None = None
) -> float: ...
def labelling_score(
    chart: Chart,
    s_path: Labels,
    t_path: Labels,
    s: Float,
    t: Float,
    st: Float | None = None,
    ss: Float | None = None,
    tt: Float | None = None,
) -> float: ...
def best(
    chart: Chart,
    s: Float,
    t: Float,
    st: Float | None = None,
    ss: Float | None = None,
    tt: Float | None = None,
    patterns: Labels | None = None,
    bonuses: tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[int], Sequence[float]] | None = None,
) -> tuple[Labels, Labels, float]: ...
