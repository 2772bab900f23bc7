"""Weight tables of both kinds: created for training, frozen for use, saved, and opened from a file's arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from plait.arrays import AnyArray, BoolArray
from plait.core._frozen import FrozenWeights, freeze
from plait.core._kernel import FrozenKernel, HashKernel, freeze_kernel
from plait.core._weights import Scorer, Trainable, Weights
from plait.core.ahead import open_packed
from plait.core.rows import checked
from plait.errors import ModelError

Arrays = dict[str, AnyArray]
Frozen = FrozenWeights | FrozenKernel

_ROWS = ("keys", "starts", "labels", "values", "sums")


def new_table(kind: str, labels: int, hash_bits: int) -> Trainable:
    """An empty table: ``exact`` keeps every feature apart, ``hash`` has 2^hash_bits weights and no more."""
    return Weights(labels) if kind == "exact" else HashKernel(labels, hash_bits)


def averaged(table: Trainable) -> Arrays:
    """The averaged weights of a table in training, as plain arrays; ``freeze_arrays`` makes them fit for use."""
    if isinstance(table, Weights):
        return dict(zip(_ROWS[:4], table.export(averaged=True)[:4], strict=True))
    assert isinstance(table, HashKernel)
    return {"values": table.export(averaged=True)[0]}


def empty_like(table: Trainable) -> Trainable:
    """A new table for weights of the same kind."""
    if isinstance(table, Weights):
        return Weights(table.labels)
    return HashKernel(table.labels, (_kernel_size(table) - table.labels).bit_length() - 1)


def mean_weights(tables: Sequence[Arrays]) -> Arrays:
    """The mean of several tables of averaged weights; a weight that one of them does not have is 0 there."""
    if "keys" not in tables[0]:
        mean = np.average([table["values"].astype(np.float64) for table in tables], axis=0)
        return {"values": np.asarray(mean, dtype=np.float32)}
    keys = np.concatenate([np.repeat(table["keys"], np.diff(table["starts"])) for table in tables])
    labels = np.concatenate([table["labels"] for table in tables])
    values = np.concatenate([table["values"] for table in tables]).astype(np.float64)
    order = np.lexsort((labels, keys))
    keys, labels, values = keys[order], labels[order], values[order]
    first = np.ones(len(keys), dtype=bool)  # of those with the same key and label
    first[1:] = (keys[1:] != keys[:-1]) | (labels[1:] != labels[:-1])
    at = np.flatnonzero(first)
    sums = np.add.reduceat(values, at)
    keys, labels = keys[at], labels[at]
    rows = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else at
    return {
        "keys": keys[rows],
        "starts": np.append(rows, len(keys)).astype(np.int64),
        "labels": labels,
        "values": (sums / len(tables)).astype(np.float32),
    }


def pruned(arrays: Arrays, share: float) -> Arrays:
    """The same weights without this share of the rows, those whose weights are smallest in sum, and without what is
    small in the others: below half of the same quantile of all weights. A hash kernel stays as it is.
    """
    if "keys" not in arrays or share <= 0 or len(arrays["keys"]) == 0:
        return arrays
    size = np.abs(arrays["values"])
    row = np.repeat(np.arange(len(arrays["keys"])), np.diff(arrays["starts"]))
    sums = np.bincount(row, weights=size, minlength=len(arrays["keys"]))
    keep = (sums >= np.quantile(sums, share))[row] & (size >= 0.5 * np.quantile(size, share))
    return kept_weights(arrays, keep)


def kept_weights(arrays: Arrays, keep: BoolArray) -> Arrays:
    """Rows with the weights that are kept alone, and without rows that have none of them."""
    row = np.repeat(np.arange(len(arrays["keys"])), np.diff(arrays["starts"]))
    counts = np.bincount(row[keep], minlength=len(arrays["keys"]))
    return {
        "keys": arrays["keys"][counts > 0],
        "starts": np.concatenate([[0], np.cumsum(counts[counts > 0])]).astype(np.int64),
        "labels": arrays["labels"][keep],
        "values": arrays["values"][keep],
    }


def bits_for(labels: int, bits: int) -> int:
    """The bits of a weight that rows with so many labels can have: 8 only up to 256 labels."""
    return 16 if bits == 8 and labels > 256 else bits


def freeze_arrays(arrays: Arrays, labels: int, bits: int) -> Frozen:
    """Averaged weights → a read-only table with 8, 16 or 32 bits a weight; 16 for 8 where there are too many labels."""
    bits = bits_for(labels, bits)
    if "keys" in arrays:
        return freeze(arrays["keys"], arrays["starts"], arrays["labels"], arrays["values"], labels, bits)
    return freeze_kernel(arrays["values"], labels, bits)


def save_state(table: Trainable) -> Arrays:
    """Everything that training needs to go on."""
    clock = np.array([table.clock])
    if isinstance(table, Weights):
        return {"clock": clock, **dict(zip(_ROWS, table.export(averaged=False, zeros=True), strict=True))}
    assert isinstance(table, HashKernel)
    return {"clock": clock, **dict(zip(("values", "sums"), table.export(averaged=False), strict=True))}


def load_state(arrays: Arrays, like: Trainable) -> Trainable:
    """The inverse of ``save_state``, for a table of the same kind and labels; unsound arrays are a ValueError."""
    clock = float(checked(arrays, "clock", np.float64, (1,))[0])
    if clock < 0:
        raise ValueError(f"{clock} examples seen")
    if isinstance(like, Weights):
        _check_names(arrays, ("clock", *_ROWS))
        checked(arrays, "sums", np.float64, arrays["values"].shape)
        return Weights.restore(like.labels, clock, *(arrays[name] for name in _ROWS))
    _check_names(arrays, ("clock", "values", "sums"))
    shape = (_kernel_size(like),)
    values, sums = checked(arrays, "values", np.float32, shape), checked(arrays, "sums", np.float64, shape)
    return HashKernel.restore(like.labels, clock, values, sums)


def check_averaged(arrays: Arrays, like: Trainable) -> None:
    """A ValueError unless these could be what ``averaged`` gives for such a table."""
    if isinstance(like, Weights):
        _check_names(arrays, _ROWS[:4])
        freeze(arrays["keys"], arrays["starts"], arrays["labels"], arrays["values"], like.labels, 32)
    else:
        _check_names(arrays, ("values",))
        checked(arrays, "values", np.float32, (_kernel_size(like),))


def under(prefix: str, arrays: Mapping[str, AnyArray]) -> Arrays:
    """The arrays with this prefix, which is removed from their names."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def prefixed(prefix: str, arrays: Mapping[str, AnyArray]) -> Arrays:
    """The inverse of ``under``: the arrays with this prefix before their names."""
    return {prefix + name: array for name, array in arrays.items()}


def _kernel_size(table: Trainable) -> int:
    assert isinstance(table, HashKernel)
    return len(table.export(averaged=False)[0])


def _check_names(arrays: Arrays, names: Sequence[str]) -> None:
    if set(arrays) != set(names):
        raise ValueError(f"arrays {', '.join(sorted(arrays)) or 'missing'}; expected {', '.join(names)}")


def open_table(header: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> Scorer:
    """A frozen table from the header and the arrays of a model file; damage is a ModelError."""
    try:
        labels, bits, scale = int(header["labels"]), int(header["bits"]), float(header["scale"])
        if header["kind"] == "packed":
            packed = arrays["packed"]
            if packed.dtype != np.uint8 or packed.ndim != 1:
                raise ValueError("arrays of another type")
            return open_packed(packed, labels, bits, scale, int(header["salt"]))
        if header["kind"] == "rows":  # tables were not packed up to format 2
            index, arena = arrays["index"], arrays["arena"]
            if index.dtype != np.uint32 or arena.dtype != np.uint16:
                raise ValueError("arrays of another type")
            return FrozenWeights(index, arena, labels, bits, scale, int(header["salt"]))
        if header["kind"] == "kernel":
            return FrozenKernel(arrays["values"], labels, bits, scale)
        raise ValueError(f"unknown kind {header['kind']!r}")
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        raise ModelError(f"damaged weight table: {error}; train or download the model again") from error
    except MemoryError as error:  # a packed table is far larger when it is open
        raise ModelError("a weight table is too large for the available memory") from error
