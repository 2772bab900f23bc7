"""Atoms of chunks with known boundaries: the input of the second stage, which assigns their types."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plait.arrays import UInt64Array
from plait.core._hashing import text_hash

Span = tuple[int, int]

# w: all words, p: all parts of speech; wf, wl, pf, pl: those of the first and of the last word; len: how many
CHUNK_COLUMNS = ("w", "p", "wf", "wl", "pf", "pl", "len")

_BOS, _EOS = text_hash("<start>"), text_hash("<end>")


def chunk_atoms(
    forms: Sequence[str], tags: Sequence[str], spans: Sequence[Span], columns: Sequence[str], pad: int
) -> UInt64Array:
    """The padded matrix of atoms of the chunks.

    >>> chunk_atoms(["the", "dog"], ["DT", "NN"], [(0, 2)], ("w", "len"), 1).shape
    (3, 2)
    """
    atoms = np.zeros((len(spans) + 2 * pad, len(columns)), dtype=np.uint64)
    atoms[:pad], atoms[len(atoms) - pad :] = _BOS, _EOS
    for i, (start, end) in enumerate(spans, pad):
        values = {
            "w": " ".join(forms[start:end]),
            "p": " ".join(tags[start:end]),
            "wf": forms[start],
            "wl": forms[end - 1],
            "pf": tags[start],
            "pl": tags[end - 1],
            "len": str(min(end - start, 8)),
        }
        atoms[i] = [text_hash(values[column]) for column in columns]
    return atoms
