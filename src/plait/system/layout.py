"""The safetensors layout: a length, JSON with the position of each array, and the arrays one after the other.

Written here rather than by the safetensors library, which has no wheels for free-threaded Python; the bytes are those
that the library writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from plait.arrays import AnyArray

TYPES = {
    "U8": np.uint8, "I8": np.int8, "I16": np.int16, "U16": np.uint16, "I32": np.int32, "U32": np.uint32,
    "F32": np.float32, "F64": np.float64, "I64": np.int64, "U64": np.uint64,
}  # fmt: skip
CODES = {np.dtype(kind): code for code, kind in TYPES.items()}
ALIGNMENT = 8  # of the data in the file, and of the widest type

_RANKS = {np.dtype(kind): rank for rank, kind in enumerate(reversed(TYPES.values()))}  # wide types come first


def write_layout(arrays: Mapping[str, AnyArray], metadata: Mapping[str, str]) -> bytes:
    """The whole file; the same bytes for the same content.

    >>> write_layout({"a": np.array([1, 2], dtype=np.uint8)}, {"k": "v"})[8:]
    b'{"__metadata__":{"k":"v"},"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}  \\x01\\x02'
    """
    at = 0
    places: dict[str, Any] = {"__metadata__": dict(metadata)}
    pieces: list[memoryview] = []  # not copied before they are joined
    for name in sorted(arrays, key=lambda name: (_RANKS[arrays[name].dtype], name)):
        array = np.ascontiguousarray(arrays[name])
        end = at + array.nbytes
        places[name] = {"dtype": CODES[array.dtype], "shape": list(arrays[name].shape), "data_offsets": [at, end]}
        pieces.append(array.reshape(-1).view(np.uint8).data)
        at = end
    text = json.dumps(places, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    return b"".join([len(text).to_bytes(8, "little"), text, *pieces])
