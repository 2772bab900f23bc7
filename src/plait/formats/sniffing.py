"""What format a file has, judged by its first lines: for names that do not tell, and for columns in a .txt file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from plait.formats.compression import DECOMPRESSION_ERRORS, decompressed
from plait.formats.segmented import find_separator
from plait.formats.validation import UNIVERSAL_TAGS

SAMPLE = 1 << 16  # bytes looked at
LINES = 200

_CHUNK = re.compile(r"[O_]|[BIES]-\S+")  # _: no chunks are given
_ID = re.compile(r"[1-9][0-9]*")
_OTHER_ID = re.compile(r"[0-9]+[-.][0-9]+")  # of a multiword token or an empty node: CoNLL-U alone has them
_WORDS = 10  # as many words must agree before text is taken for tagged words


def sniff_path(path: str | Path) -> str | None:
    """The name of the format that a file's content tells, or None; OSError when it cannot be read."""
    sample = b""
    with Path(path).open("rb") as file:
        try:
            unpacked = decompressed(file)
            while len(sample) < SAMPLE and (more := unpacked.read(SAMPLE - len(sample))):
                sample += more
        except DECOMPRESSION_ERRORS:
            pass  # the reader will say what is wrong, if what came before tells the format
    return sniff_bytes(sample)


def sniff_bytes(sample: bytes) -> str | None:
    """The name of the format in which a file begins like this, or None when it may be plain text, or anything.

    >>> sniff_bytes(b"He PRP B-NP\\nreckons VBZ B-VP\\n"), sniff_bytes(b"Dogs bark loudly.\\n")
    ('conll2000', None)
    """
    text = sample.decode("utf-8", "ignore").removeprefix("\ufeff").replace("\r\n", "\n")
    if len(sample) == SAMPLE:
        text = text.rpartition("\n")[0]  # the last line is cut
    lines = [line for line in text.split("\n") if line.strip()][:LINES]
    if not lines:
        return None
    return next((name for name, fits in _TESTS if fits(lines)), None)


def _is_json(lines: Sequence[str]) -> bool:
    try:
        record = json.loads(lines[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and "forms" in record


def _is_conll09(lines: Sequence[str]) -> bool:
    rows = [line.split("\t") for line in lines]
    return all(len(row) >= 14 and _ID.fullmatch(row[0]) for row in rows)


def _is_conllu(lines: Sequence[str]) -> bool:
    """Ten columns, and what CoNLL-X does not have; where nothing tells the two apart, they read the same."""
    rows = _ten_columns(lines)
    if rows is None:
        return False
    if len(rows) < len(lines) or any(_OTHER_ID.fullmatch(row[0]) or ":" in row[8] or "=" in row[9] for row in rows):
        return True
    sentences, roots = ([row[c] for row in rows].count(value) for c, value in ((0, "1"), (6, "0")))
    return (
        all(row[3] in UNIVERSAL_TAGS or row[3] == "_" for row in rows)
        and not any(row[8].isdecimal() for row in rows)  # PHEAD
        and roots <= sentences
    )


def _is_conllx(lines: Sequence[str]) -> bool:
    rows = _ten_columns(lines)
    return rows is not None and len(rows) == len(lines)


def _ten_columns(lines: Sequence[str]) -> list[list[str]] | None:
    """The rows that are not comments, when they all have the ten columns of CoNLL-X and CoNLL-U."""
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    if not rows or not all(len(row) == 10 and (_ID.fullmatch(row[0]) or _OTHER_ID.fullmatch(row[0])) for row in rows):
        return None
    return rows


def _is_conll2000(lines: Sequence[str]) -> bool:
    rows = [line.replace("\t", " ").split(" ") for line in lines]
    return all(len(row) == 3 and _CHUNK.fullmatch(row[2]) for row in rows)


def _is_segmented(lines: Sequence[str]) -> bool:
    """Words with tags; without tags, segmented words cannot be distinguished from text."""
    words = sum(len(line.split()) for line in lines)
    return words >= _WORDS and words > len(lines) and bool(find_separator(lines))


_TESTS: tuple[tuple[str, Callable[[Sequence[str]], bool]], ...] = (
    ("json", _is_json),
    ("conll09", _is_conll09),
    ("conllu", _is_conllu),
    ("conllx", _is_conllx),
    ("conll2000", _is_conll2000),
    ("segmented", _is_segmented),
)
