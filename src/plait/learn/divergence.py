"""Detects diverging training before its weights end up in a model."""

from __future__ import annotations

import math

import numpy.typing as npt

from plait.core.rows import check_weights
from plait.errors import ModelError

DIVERGED = "training diverged: the weights are no longer finite; reduce the step size or choose another learner"


def check_learned(weights: npt.ArrayLike) -> None:
    """A ModelError unless all weights are numbers that a model file can hold."""
    try:
        check_weights(weights)
    except ValueError as error:
        raise ModelError(DIVERGED) from error


def check_score(score: float) -> None:
    """The same for the score of an analysis that exists, so that only its weights can keep it from being finite.

    >>> check_score(1e30)
    """
    if not math.isfinite(score):
        raise ModelError(DIVERGED)
