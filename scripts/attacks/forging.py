"""Changes to a header and its arrays by an attacker who knows the format; the digests are recomputed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from attacks.workspace import WILD_NUMBERS, WILD_TEXTS, wild

Arrays = dict[str, npt.NDArray[Any]]


def forge(rng: random.Random, header: dict[str, Any], arrays: Arrays) -> None:
    """One to four changes, in place; now and then to tables as older formats have them, not packed."""
    if rng.random() < 0.4:
        unpack_tables(header, arrays)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        if arrays and rng.random() < 0.5:
            forge_array(rng, arrays)
        else:
            forge_header(rng, header)


def unpack_tables(header: dict[str, Any], arrays: Arrays) -> None:
    """Store all tables of a model as formats 1 and 2 do, so that forged numbers reach the index and the rows."""
    from plait.core._unpacking import unpack

    for name in [name for name in arrays if name.rsplit(".", 1)[-1] == "packed"]:
        prefix = name.removesuffix("packed")
        for group, entry in _packed_tables(header):
            try:
                if prefix.endswith(f"{group}."):
                    index, arena = unpack(arrays[name], entry["labels"], entry["bits"])
                    break
            except ValueError:
                continue  # the table of another system inside the same model
        else:
            continue
        entry["kind"] = "rows"
        del arrays[name]
        arrays[prefix + "index"], arrays[prefix + "arena"] = index, arena
    header["format"] = 2


def _packed_tables(header: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The groups and entries of packed tables, wherever they stand in a header."""
    inside = header.items() if isinstance(header, dict) else enumerate(header) if isinstance(header, list) else ()
    for name, value in inside:
        if isinstance(value, dict) and value.get("kind") == "packed":
            yield str(name), value
        else:
            yield from _packed_tables(value)


def forge_header(rng: random.Random, header: dict[str, Any]) -> None:
    """Walk down to some value, each level by chance, and change what is there."""
    inside: Any = header
    while True:
        key = rng.choice(list(inside) if isinstance(inside, dict) else range(len(inside)))
        value = inside[key]
        if isinstance(value, dict | list) and value and rng.random() < 0.85:
            inside = value
            continue
        inside[key] = _other(rng, value)
        if rng.random() < 0.1:
            del inside[key]
        return


def _other(rng: random.Random, value: Any) -> Any:
    if rng.random() < 0.3:
        return wild(rng)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return rng.choice([value + 1, value - 1, -value, 2 * value, value * 0.5, *rng.sample(WILD_NUMBERS, 3)])
    if isinstance(value, str):
        return rng.choice([value[1:], value + value, value.upper(), value + " ", *rng.sample(WILD_TEXTS, 3)])
    if isinstance(value, list) and value:
        change = rng.randrange(5)
        if change == 0:
            return []
        if change == 1:
            return value[:-1]
        if change == 2:
            return [*value, rng.choice(value)]
        if change == 3:
            return rng.sample(value, len(value))
        return [*value, wild(rng)]
    return wild(rng)


def forge_array(rng: random.Random, arrays: Arrays) -> None:
    """Change the numbers, the shape, the type or the name of one array."""
    name = rng.choice(sorted(arrays))
    array = arrays[name].copy()
    change = rng.randrange(12)
    if change < 5:
        flat = array.reshape(-1)
        if flat.size:
            for _ in range(rng.choice([1, 1, 3, 50])):
                flat[rng.randrange(flat.size)] = _number(rng, array.dtype)
    elif change == 5:
        array.fill(_number(rng, array.dtype))
    elif change == 6:
        array = np.ascontiguousarray(np.roll(array, rng.choice([1, -1, 7])) if rng.random() < 0.5 else array[::-1])
    elif change == 7:
        array = array[: rng.choice([0, len(array) // 2, max(len(array) - 1, 0)])]
    elif change == 8:
        array = np.concatenate([array, array[: rng.choice([1, 8, len(array)])]])
    elif change == 9:
        array = rng.choice([array.reshape(-1), array[None], array.astype(rng.choice([np.uint8, np.int64, np.float64]))])
    elif change == 10:
        array = arrays[rng.choice(sorted(arrays))].copy()
    elif rng.random() < 0.5:
        del arrays[name]
        return
    else:
        other = rng.choice(sorted(arrays))
        arrays[name], arrays[other] = arrays[other], arrays[name]
        return
    arrays[name] = array


def _number(rng: random.Random, dtype: npt.DTypeLike) -> Any:
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return np.array(
            rng.choice([np.nan, np.inf, -np.inf, 3.4e38, -3.4e38, 1e30, -1e30, 0.0, 1e-40, 700.0, rng.gauss(0, 100)])
        ).astype(dtype)
    info = np.iinfo(dtype)
    halves = [0x7F80, 0xFF80, 0x7FC0, 0x7F7F, 0xFF7F]  # the upper halves of floats: inf, -inf, NaN, the largest
    chosen = rng.choice([0, 1, 2, 3, info.max, info.max - 1, info.min, info.max // 2 + 1, *halves, rng.randrange(1000)])
    return np.array(min(max(chosen, info.min), info.max), dtype=dtype)
