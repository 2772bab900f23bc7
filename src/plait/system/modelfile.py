"""The model file: one safetensors file with a JSON header in its metadata. It is data; nothing in it is executed.

The header is preceded by its digest, and lists type, shape and digest of every array, so that any corruption is
detected before anything is used. The file has no timestamp: equal data, options and seed give equal bytes. Each content
has one layout: arrays are contiguous and aligned, with nothing before, between or after them. An array that occurs
several times (the lexicon of a parser and of its internal tagger, the taggers of a committee) is stored once.

A file is read into private memory. Memory-mapping would save a copy, but a file overwritten in place (``cp new.plait
live.plait``) would then change the arrays of a model in use, after they were checked.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import plait
from plait.arrays import AnyArray, UInt8Array
from plait.errors import ModelError
from plait.system.layout import ALIGNMENT, CODES, TYPES, write_layout

try:
    from _blake2 import blake2b  # hashlib has the same, but loads OpenSSL for other digests
except ImportError:
    from hashlib import blake2b

# raised when an older reader could not read the new files: 2 has shared arrays, 3 packed weight tables, 4 one table for
# parts and whole tags
FORMAT = 4
PACKED, SHARED = 3, 2
READABLE = range(1, FORMAT + 1)
NEEDS_FORMAT = "needs_format"  # in the header of a part that only readers of this format and later ones can read
WORTH_SHARING = 1 << 12  # bytes: an entry of the header takes some 60

_KEY = "plait"
_HALF = re.compile(r"[\ud800-\udfff]|\\u[dD][89a-fA-F]")  # perhaps: the second may be text
_AGAIN = "train or download the model again"

Arrays = dict[str, AnyArray]
Buffer = bytes | bytearray | memoryview


def model_bytes(header: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> bytes:
    """The whole file as bytes; the same for the same content."""
    plain = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    shared = _shared(plain)
    plain = {name: array for name, array in plain.items() if name not in shared}
    given = {"format": _needed_format(header, plain, shared)} | ({"shared": shared} if shared else {})
    listed = {
        name: {"type": CODES[array.dtype], "shape": list(array.shape), "digest": _digest(array)}
        for name, array in sorted(plain.items())
    }
    text = json.dumps(
        {**given, "plait": plait.__version__, **header, "arrays": listed},
        ensure_ascii=False,
        sort_keys=True,
        separators=(",", ":"),
        allow_nan=False,
    )
    return write_layout(plain, {_KEY: f"{_digest(text.encode())} {text}"})


def open_model(path: str | Path) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of a model file; the arrays are read-only and independent of the file."""
    path = Path(path)
    try:
        with path.open("rb", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            _check_length(file.read(8), size, str(path))  # first: a corpus given by mistake may be larger than memory
            content = np.empty(size, dtype=np.uint8).data  # a bytearray would be cleared first
            file.seek(0)
            filled = 0
            while filled < size and (count := file.readinto(content[filled:])):
                filled += count
    except FileNotFoundError as error:
        raise ModelError(f"{path}: no such model file; check the path") from error
    except IsADirectoryError as error:
        raise ModelError(f"{path}: is a folder; expected a model file") from error
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be read as a model: {error}") from error
    except MemoryError as error:
        raise ModelError(f"{path}: too large for the available memory") from error
    return parse_model(content[:filled], str(path))


def parse_model(content: Buffer, name: str = "model") -> tuple[dict[str, Any], Arrays]:
    """Header and arrays from the bytes of a model file; they are checked, and not copied."""
    whole = np.frombuffer(content, dtype=np.uint8)
    if whole.ctypes.data % ALIGNMENT:  # a slice of something larger
        whole = whole.copy()
    whole.flags.writeable = False
    length = _check_length(whole[:8].tobytes(), len(whole), name)
    layout, header = _read_header(whole[8 : 8 + length].tobytes(), name)
    listed = header.pop("arrays", None)
    if not isinstance(listed, dict) or set(listed) != set(layout):
        raise ModelError(f"{name}: the arrays do not match the header; {_AGAIN}")
    data = whole[8 + length :]
    _check_layout(layout, 8 + length, len(data), name)
    arrays = {array: _take(data, layout[array], listed[array], f"{name}: array {array}") for array in listed}
    return header, arrays | _open_shared(header.pop("shared", {}), arrays, name)


def _needed_format(header: Any, arrays: Mapping[str, AnyArray], shared: Mapping[str, str]) -> int:
    """The lowest format version that supports everything in the file."""
    packed = any(name.rsplit(".", 1)[-1] == "packed" for name in arrays)
    return max([PACKED if packed else SHARED if shared else 1, *_formats_of_parts(header)])


def _formats_of_parts(header: Any) -> Iterator[int]:
    if isinstance(header, Mapping):
        if NEEDS_FORMAT in header:
            yield header[NEEDS_FORMAT]
        header = header.values()
    elif not isinstance(header, list):
        return
    for inner in header:
        yield from _formats_of_parts(inner)


def _shared(arrays: Mapping[str, AnyArray]) -> dict[str, str]:
    """Duplicate arrays, which need not be stored, with the name of the array that each equals."""
    first: dict[tuple[Any, ...], str] = {}
    found = {}
    for name, array in sorted(arrays.items()):
        if array.nbytes >= WORTH_SHARING:
            other = first.setdefault((array.dtype.str, array.shape, _digest(array)), name)
            if other != name:
                found[name] = other
    return found


def _open_shared(shared: Any, arrays: Arrays, name: str) -> Arrays:
    try:
        if shared.keys() & arrays.keys():
            raise ValueError("one that is stored as well")
        return {array: arrays[other] for array, other in shared.items()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{name}: the shared arrays are damaged: {error}; {_AGAIN}") from error


def _check_length(first: bytes, size: int, name: str) -> int:
    """The length of the layout, from the first eight bytes of a file of this size."""
    length = int.from_bytes(first, "little")
    if size < 8:
        raise ModelError(f"{name}: a file of {size} bytes is not a model; {_AGAIN}")
    if not 2 <= length <= size - 8:
        raise ModelError(f"{name}: not a plait model, or truncated; {_AGAIN}")
    return length


def _read_header(text: bytes, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The places of the arrays, and plait's own header."""
    try:
        layout = json.loads(text, object_pairs_hook=_once)
        metadata = layout.pop("__metadata__")
        if set(metadata) != {_KEY}:
            raise KeyError(_KEY)
        digest, sealed = metadata[_KEY].split(" ", 1)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError(f"{name}: not a plait model (no header); expected a file that plait train wrote") from error
    if digest != _digest(sealed.encode("utf-8", "surrogatepass")):
        raise ModelError(f"{name}: the header is damaged (its digest does not match); {_AGAIN}")
    try:
        header = json.loads(sealed, parse_constant=_refuse_constant)
        version = header["format"]
        if _HALF.search(sealed):  # half a character can be neither printed nor written to a file
            json.dumps(header, ensure_ascii=False).encode()
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ModelError(f"{name}: the header cannot be read; {_AGAIN}") from error
    if type(version) is not int or version not in READABLE:
        raise ModelError(
            f"{name}: was written by format {version!s:.20}; this version reads {READABLE[0]}–{READABLE[-1]}. "
            "Upgrade plait or retrain."
        )
    return layout, header


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("duplicate name")
    return found


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not a number")


def _check_layout(layout: Mapping[str, Any], start: int, size: int, name: str) -> None:
    """Contiguous aligned arrays, from the beginning of the data to its end; otherwise a ModelError."""
    try:
        entries = [(*entry["data_offsets"], np.dtype(TYPES[entry["dtype"]]).itemsize) for entry in layout.values()]
        if any(set(entry) != {"dtype", "shape", "data_offsets"} for entry in layout.values()):
            raise ValueError("unknown fields")
        at = 0
        for begin, end, width in sorted(entries):
            if type(begin) is not int or type(end) is not int or begin != at or end < begin or begin % width:
                raise ValueError("the arrays overlap, leave gaps or are not aligned")
            at = end
        if at != size or start % ALIGNMENT:
            raise ValueError(f"{size} bytes of data, {at} of them in arrays")
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{name}: the layout is damaged: {error}; {_AGAIN}") from error


def _take(data: UInt8Array, layout: Any, listed: Any, where: str) -> AnyArray:
    try:
        start, end = layout["data_offsets"]
        kind, shape = np.dtype(TYPES[listed["type"]]), tuple(listed["shape"])
        if layout["dtype"] != listed["type"] or tuple(layout["shape"]) != shape:
            raise ValueError("another type or shape")
        if any(type(side) is not int or side < 0 for side in (*shape, *layout["shape"])):
            raise ValueError(f"a shape of {shape}")
        array = data[start:end].view(kind).reshape(shape)
        if _digest(array) != listed["digest"]:
            raise ValueError("its digest does not match")
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise ModelError(f"{where} is damaged: {error}; {_AGAIN}") from error
    return array


def _digest(data: bytes | AnyArray) -> str:
    raw = data if isinstance(data, bytes) else np.ascontiguousarray(data).view(np.uint8).reshape(-1).data
    return blake2b(raw, digest_size=16).hexdigest()
