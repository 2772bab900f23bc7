from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.chain._chart import Chart

Float = npt.NDArray[np.floating[Any]]
Labels = npt.NDArray[np.int32]

Scores = Mapping[str, Float | None]  # by view; only s and t must be there

def probabilities(
    chart: Chart,
    scores: Scores,
    *,
    logs: bool = False,
    spans: Sequence[tuple[int, Sequence[tuple[int, int]]]] = (),
    pairs: bool = True,
) -> tuple[float, dict[str, npt.NDArray[np.float64]]]: ...
def labelling_score(chart: Chart, s_path: Labels, t_path: Labels, scores: Scores) -> float: ...
def best(
    chart: Chart,
    scores: Scores,
    patterns: Labels | None = None,
    bonuses: tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[int], Sequence[float]] | None = None,
) -> tuple[Labels, Labels, float]: ...
