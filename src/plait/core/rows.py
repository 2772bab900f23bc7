"""Validation of weight tables: compiled code does not check the arrays it is given."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from plait.arrays import AnyArray

# The largest weight: at most 2^12 templates (features/templates.py), each firing once for each of 2^16 tags between two
# words, over 2^24 words, still sum to 2^92 or less, far below the 2^128 at which single precision overflows. Scores are
# therefore finite, and infinity is free to mean "impossible" in every search.
LARGEST = 2.0**40


def checked(arrays: Mapping[str, AnyArray], name: str, dtype: npt.DTypeLike, shape: tuple[int, ...]) -> AnyArray:
    """A copy of an array from a file; a ValueError unless type and shape are as expected and all numbers finite.

    >>> checked({"w": np.ones(3)}, "w", np.float64, (2,))
    Traceback (most recent call last):
    ValueError: array w is float64 of shape (3,); expected float64 of shape (2,)
    """
    if name not in arrays:
        raise ValueError(f"no array {name}")
    array = arrays[name]
    if array.dtype != np.dtype(dtype) or array.shape != shape:
        raise ValueError(
            f"array {name} is {array.dtype} of shape {array.shape}; expected {np.dtype(dtype)} of shape {shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"array {name} contains values that are not finite")
    return array.copy()


def check_rows(
    keys: npt.ArrayLike, starts: npt.ArrayLike, labels: npt.ArrayLike, values: npt.ArrayLike, label_count: int
) -> None:
    """Keys ascending and not 0, consecutive rows, valid labels; otherwise a ValueError."""
    keys, starts, labels, values = (np.asarray(array) for array in (keys, starts, labels, values))
    if len(starts) != len(keys) + 1 or starts[0] != 0 or starts[-1] != len(labels) or len(labels) != len(values):
        raise ValueError("the arrays of rows do not match")
    if (np.diff(starts) < 0).any() or not (keys[:1] > 0).all() or not (keys[1:] > keys[:-1]).all():
        raise ValueError("rows or keys out of order")
    if len(labels) and labels.max() >= label_count:
        raise ValueError(f"label {labels.max()} of {label_count}")
    check_weights(values)


def check_scale(scale: float, bits: int) -> None:
    """A power of two, as freezing chooses it, under which weights of so many bits are not much above ``LARGEST``."""
    fits = scale == 1.0 if bits == 32 else 1e-30 < scale <= LARGEST / 2 ** (bits - 2)
    if not fits or math.frexp(scale)[0] != 0.5:
        raise ValueError(f"{scale} is not the scale of a weight table of {bits} bits")


def check_weights(values: npt.ArrayLike) -> None:
    """Numbers whose sums over any sentence stay finite in single precision; otherwise a ValueError."""
    values = np.asarray(values)
    # written so that NaN, which compares as false, is refused as well
    if values.size and not (values.min() >= -LARGEST and values.max() <= LARGEST):
        raise ValueError("a weight is not finite, or too large")
