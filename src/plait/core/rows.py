"""What makes arrays a weight table: checked before compiled code, which trusts them, sees them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt


def checked(
    arrays: Mapping[str, npt.NDArray[Any]], name: str, dtype: npt.DTypeLike, shape: tuple[int, ...]
) -> npt.NDArray[Any]:
    """A copy of an array out of a file, whose type and shape are as expected and all numbers finite; else a ValueError.

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
        raise ValueError(f"array {name} holds something that is not a number")
    return array.copy()


def check_rows(
    keys: npt.ArrayLike, starts: npt.ArrayLike, labels: npt.ArrayLike, values: npt.ArrayLike, label_count: int
) -> None:
    """Keys ascending and not 0, rows one behind the other, every label a label; else a ValueError."""
    keys, starts, labels, values = (np.asarray(array) for array in (keys, starts, labels, values))
    if len(starts) != len(keys) + 1 or starts[0] != 0 or starts[-1] != len(labels) or len(labels) != len(values):
        raise ValueError("rows that do not fit together")
    if (np.diff(starts) < 0).any() or not (keys[:1] > 0).all() or not (keys[1:] > keys[:-1]).all():
        raise ValueError("rows or keys out of order")
    if len(labels) and labels.max() >= label_count:
        raise ValueError(f"label {labels.max()} of {label_count}")
    if not np.isfinite(values).all():
        raise ValueError("a weight that is not a number")


def check_scale(scale: float) -> None:
    """A scale under which no sum of weights overflows single precision."""
    if not 1e-30 < scale < 1e30:
        raise ValueError(f"{scale} is not the scale of a weight table")
