"""Targets of text: a path (written atomically, compressed by its suffix), ``-``, or an open file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, TypeAlias

from plait.errors import DataError
from plait.files import open_atomic
from plait.formats.compression import SUFFIXES, compressor

Output: TypeAlias = "str | os.PathLike[str] | IO[bytes] | IO[str]"


def write_pieces(pieces: Iterable[str], target: Output) -> None:
    """Write the pieces as they come; UTF-8, newlines as they are."""
    if target == "-":
        _pour(pieces, _standard_output())
    elif isinstance(target, (str, os.PathLike)):
        suffix = Path(target).suffix.lower()
        with open_atomic(target, "wb") as file:
            if suffix in SUFFIXES:
                with compressor(file, suffix) as packed:
                    _pour(pieces, packed)
            else:
                _pour(pieces, file)
    else:
        _pour(pieces, target)


def _standard_output() -> Any:
    """Standard output as bytes: UTF-8 for files and pipes; for a terminal, characters that it can show."""
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower()
    replaces = getattr(sys.stdout, "errors", "strict") != "strict"
    if encoding not in ("utf-8", "utf8") and replaces and sys.stdout.isatty():
        return sys.stdout
    return getattr(sys.stdout, "buffer", sys.stdout)


def _pour(pieces: Iterable[str], file: Any) -> None:
    as_text = hasattr(file, "encoding")
    for piece in checked_pieces(pieces):
        file.write(piece if as_text else _encoded(piece))
    file.flush()


def checked_pieces(pieces: Iterable[str]) -> Iterator[str]:
    """The same; a DataError if a reader would not find the first character again."""
    for number, piece in enumerate(pieces):
        if number == 0 and piece.startswith("\ufeff"):
            raise DataError("the first word begins with U+FEFF, which would be read as a byte order mark; remove it")
        yield piece


def _encoded(piece: str) -> bytes:
    try:
        return piece.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"{piece[error.start]!r} is half of a surrogate pair and cannot be written as UTF-8; "
            "check how the text was decoded"
        ) from None
