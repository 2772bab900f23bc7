"""The model file: one safetensors file with a JSON header in its metadata. It is data; nothing in it is executed.

The header is preceded by its digest, and lists type, shape and digest of every array, so that any damage is found
before anything is used. The file holds no time: equal data, options and seed give equal bytes.
A model in use is mapped from its file: a new version must replace the file, as plait does, not be written into it.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import plait
from plait.errors import ModelError

FORMAT = 1  # raised when a reader of the old number would misread the new files
READABLE = range(1, FORMAT + 1)

_KEY = "plait"
_TYPES = {
    "U8": np.uint8, "I8": np.int8, "U16": np.uint16, "I16": np.int16, "U32": np.uint32, "I32": np.int32,
    "U64": np.uint64, "I64": np.int64, "F32": np.float32, "F64": np.float64,
}  # fmt: skip
_CODES = {np.dtype(kind): code for code, kind in _TYPES.items()}
_AGAIN = "train or fetch the model again"

Arrays = dict[str, npt.NDArray[Any]]


def model_bytes(header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """The whole file as bytes; the same for the same content."""
    from safetensors.numpy import save

    plain = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    listed = {
        name: {"type": _CODES[array.dtype], "shape": list(array.shape), "digest": _digest(array)}
        for name, array in sorted(plain.items())
    }
    text = json.dumps(
        {"format": FORMAT, "plait": plait.__version__, **header, "arrays": listed},
        ensure_ascii=False,
        sort_keys=True,
        separators=(",", ":"),
        allow_nan=False,
    )
    # one metadata entry: safetensors writes several in no fixed order
    return save(plain, metadata={_KEY: f"{_digest(text.encode())} {text}"})


def open_model(path: str | Path) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of a model file; the arrays are mapped from it, read-only, and shared by all who open it."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            if path.stat().st_size < 8:
                raise ModelError(f"{path}: {path.stat().st_size} bytes are no model; {_AGAIN}")
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError as error:
        raise ModelError(f"{path}: no such model file; check the path") from error
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be read as a model: {error}") from error
    return parse_model(content, str(path))


def parse_model(content: bytes | mmap.mmap, name: str = "model") -> tuple[dict[str, Any], Arrays]:
    """Header and arrays out of the bytes of a model file; they are checked, and not copied."""
    # The safetensors library copies every array; reading the layout here (length, JSON, data) maps them instead.
    size = len(content)
    length = int.from_bytes(content[:8], "little")
    if not 2 <= length <= size - 8:
        raise ModelError(f"{name}: not a plait model, or cut short; {_AGAIN}")
    try:
        layout = json.loads(content[8 : 8 + length])
        sealed = layout["__metadata__"][_KEY]
        digest, text = sealed.split(" ", 1)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError(f"{name}: not a plait model (no header); expected a file that plait train wrote") from error
    if digest != _digest(text.encode("utf-8", "surrogatepass")):
        raise ModelError(f"{name}: the header is damaged (its digest does not match); {_AGAIN}")
    try:
        header = json.loads(text)
        version = header["format"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ModelError(f"{name}: the header cannot be read; {_AGAIN}") from error
    if type(version) is not int or version not in READABLE:
        raise ModelError(
            f"{name}: was written by format {version}; this version reads {READABLE[0]}–{READABLE[-1]}. "
            "Upgrade plait or retrain."
        )
    listed = header.pop("arrays", None)
    if not isinstance(listed, dict) or set(listed) != set(layout) - {"__metadata__"}:
        raise ModelError(f"{name}: the arrays are not those of the header; {_AGAIN}")
    view = memoryview(content)[8 + length :]
    return header, {array: _take(view, layout[array], listed[array], f"{name}: array {array}") for array in listed}


def _take(view: memoryview, layout: Any, listed: Any, where: str) -> npt.NDArray[Any]:
    try:
        start, end = layout["data_offsets"]
        kind, shape = np.dtype(_TYPES[listed["type"]]), tuple(listed["shape"])
        if layout["dtype"] != listed["type"] or tuple(layout["shape"]) != shape or not 0 <= start <= end <= len(view):
            raise ValueError("another type, shape or place")
        array = np.frombuffer(view[start:end], dtype=kind).reshape(shape)
        if _digest(array) != listed["digest"]:
            raise ValueError("its digest does not match")
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise ModelError(f"{where} is damaged: {error}; {_AGAIN}") from error
    return array


def _digest(data: bytes | npt.NDArray[Any]) -> str:
    raw = data if isinstance(data, bytes) else np.ascontiguousarray(data).view(np.uint8).reshape(-1).data
    return hashlib.blake2b(raw, digest_size=16).hexdigest()
