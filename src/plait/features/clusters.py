"""Word clusters (Brown et al. 1992) as atoms: the first 4 bits, the first 6, and the whole of a word's bit string."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from plait.arrays import AnyArray, UInt64Array
from plait.core._hashing import text_hash
from plait.errors import FormatError, OptionError
from plait.features._lexicon_table import WordTable, build_from_hashes, build_table

CLUSTER_COLUMNS = ("bits4", "bits6", "bits")
MAX_CLUSTERS = 65_535
FORMER_COLUMNS = dict(zip(("c4", "c6", "c"), CLUSTER_COLUMNS, strict=True))  # in older models and tables
_FORMER_ATOM = re.compile(r"((?:.*\.)?)(c4|c6|c)(?:@([+-]?\d+)|([+-]\d+|0))?$")


def present_atom(atom: str) -> str:
    """The current spelling of an atom; those of clusters had other names before.

    >>> [present_atom(atom) for atom in ("c6", "c6@-1", "c+1", "c0", "p0.c4", "ch1", "w0")]
    ['bits6', 'bits6@-1', 'bits@+1', 'bits', 'p0.bits4', 'ch1', 'w0']
    """
    match = _FORMER_ATOM.match(atom)
    if match is None:
        return atom
    offset = match[3] or match[4] or "0"
    return f"{match[1]}{FORMER_COLUMNS[match[2]]}" + (f"@{offset}" if int(offset) else "")


class Clusters:
    """The clusters of words. Words without one have no such atoms, and templates with them do not fire.

    >>> clusters = Clusters.of({"dog": "0010", "cat": "00110111"})
    >>> found = clusters.atoms(np.array([text_hash("dog"), text_hash("cow")], dtype=np.uint64))
    >>> (found != 0).tolist()
    [[True, True, True], [False, False, False]]
    """

    def __init__(self, table: WordTable, prefixes: UInt64Array) -> None:
        if prefixes.dtype != np.uint64 or prefixes.ndim != 2 or prefixes.shape[1] != len(CLUSTER_COLUMNS):
            raise ValueError("the clusters are damaged")
        if len(table) == 0 or int(table.values.max()) >= len(prefixes):
            raise ValueError("the clusters are damaged: a word without a cluster")
        self.table = table  # words → numbers of clusters
        self.prefixes = prefixes  # [clusters][columns]
        self._atoms = np.concatenate([prefixes, np.zeros((1, len(CLUSTER_COLUMNS)), dtype=np.uint64)])  # −1: none

    @classmethod
    def of(cls, bits: Mapping[str, str]) -> Self:
        """From word → bit string."""
        clusters = sorted(set(bits.values()))
        if len(clusters) > MAX_CLUSTERS:
            raise OptionError(f"{len(clusters):,} clusters; expected at most {MAX_CLUSTERS:,}")
        number = {cluster: i for i, cluster in enumerate(clusters)}
        prefixes = [[text_hash(text) for text in (b[:4], b[:6], b)] for b in clusters]
        table = build_table(list(bits), [number[cluster] for cluster in bits.values()])
        return cls(table, np.array(prefixes, dtype=np.uint64).reshape(-1, len(CLUSTER_COLUMNS)))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> Self:
        """The inverse of ``arrays``; also supports those of older models, hashes and prefixes of every word."""
        if not set(arrays) <= {"words", "prefixes"} and not set(arrays) <= {"starts", "prints", "values", "prefixes"}:
            raise ValueError("the clusters are damaged: unknown arrays")
        if "words" in arrays:
            words, prefixes = arrays["words"], arrays["prefixes"]
            if words.dtype != np.uint64 or words.ndim != 1 or prefixes.shape != (len(words), len(CLUSTER_COLUMNS)):
                raise ValueError("the clusters are damaged")
            distinct, numbers = np.unique(prefixes, axis=0, return_inverse=True)
            if len(distinct) > MAX_CLUSTERS:
                raise ValueError("the clusters are damaged: too many of them")
            return cls(build_from_hashes(words, numbers.reshape(-1)), np.ascontiguousarray(distinct))
        return cls(WordTable(arrays["starts"], arrays["prints"], arrays["values"], 0), arrays["prefixes"])

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a cluster file: bit string, word and count, separated by tabs; counts may be missing."""
        bits: dict[str, str] = {}
        try:
            lines = Path(path).read_text("utf-8-sig").split("\n")
        except (OSError, ValueError) as error:  # not text, or no name of a file
            reason = error.strerror if isinstance(error, OSError) else error
            raise FormatError(f"cannot read the clusters: {reason}", file=str(path), hint="check the path") from error
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            parts = line.split("\t")
            if len(parts) not in (2, 3) or not parts[0] or set(parts[0]) - {"0", "1"} or not parts[1]:
                raise FormatError(
                    "not a cluster entry", file=str(path), line=number, value=line[:60],
                    expected="bit string, tab, word, tab, count",
                )  # fmt: skip
            if bits.setdefault(parts[1], parts[0]) != parts[0]:
                raise FormatError(
                    f'"{parts[1][:40]}" is in two clusters', file=str(path), line=number, value=line[:60],
                    expected=f"each word in one cluster; it was in {bits[parts[1]]} before",
                )  # fmt: skip
        if not bits:
            raise FormatError("no clusters", file=str(path), expected="lines of bit string, word, count")
        return cls.of(bits)

    def atoms(self, words: UInt64Array) -> UInt64Array:
        """[words][columns], 0 for words without cluster; words are given by their form atoms."""
        found: UInt64Array = self._atoms[self.table.hashed(words)]
        return found

    def fill(self, atoms: UInt64Array, columns: Sequence[str], words: UInt64Array) -> None:
        """Fill the cluster columns of a matrix; words are given by their form atoms."""
        mine = [name for name in CLUSTER_COLUMNS if name in columns]
        if mine:
            found = self.atoms(words)
            atoms[:, [columns.index(name) for name in mine]] = found[:, [CLUSTER_COLUMNS.index(name) for name in mine]]

    def arrays(self) -> dict[str, AnyArray]:
        """What a model file stores."""
        table = self.table
        return {"starts": table.starts, "prints": table.prints, "values": table.values, "prefixes": self.prefixes}


def read_clusters(path: str, files: dict[str, Any]) -> Clusters | None:
    """The file that --clusters names, if it names one; ``files`` keeps what a training has read before."""
    if path and path not in files:
        files[path] = Clusters.read(path)
    return files[path] if path else None
