"""The features with the highest weights for each label, as text. Keys are hashes, which training data names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, KeysView
from itertools import pairwise
from typing import Any

import numpy as np

from plait.arrays import AnyArray, UInt64Array
from plait.core.tables import Arrays

Named = dict[str, list[list[Any]]]  # label → [feature in words, weight], heaviest first; as a model header keeps it

CANDIDATES = 4  # for one that is shown: not all can be named


class HeavyFeatures:
    """Collects the keys with the highest weights for each label, then their names from the data.

    >>> heavy = HeavyFeatures(count=1)
    >>> heavy.add_label("NOUN", np.array([7, 8], np.uint64), np.array([0.5, 2.0]))
    >>> heavy.name([5, 8], lambda k: f"template {k}")
    >>> heavy.named()
    {'NOUN': [['template 1', 2.0]]}
    """

    def __init__(self, count: int = 8) -> None:
        self.count = count
        self._wanted: dict[int, list[tuple[str, float]]] = {}
        self._found: Named = {}

    def add_label(self, label: str, keys: UInt64Array, values: AnyArray) -> None:
        """A label's weights and the keys that they belong to."""
        self._found.setdefault(label, [])
        for j in np.argsort(-values, kind="stable")[: CANDIDATES * self.count].tolist():
            if values[j] > 0:
                self._wanted.setdefault(int(keys[j]), []).append((label, float(values[j])))

    def add_table(self, rows: Arrays, labels: Iterable[str]) -> None:
        """The same for a whole table, averaged and in plain arrays; a hash kernel has no keys."""
        if "keys" not in rows:
            return
        keys = np.repeat(rows["keys"], np.diff(rows["starts"]))
        for number, label in enumerate(labels):
            of_label = rows["labels"] == number
            if of_label.any():
                self.add_label(label, keys[of_label], rows["values"][of_label])

    @property
    def unnamed(self) -> KeysView[int]:
        """The keys that have no name yet."""
        return self._wanted.keys()

    def name(self, keys: Iterable[int], text: Callable[[int], str]) -> None:
        """Name keys that occur in the data; ``text`` describes the key at an index."""
        for k, key in enumerate(keys):
            if key in self._wanted:
                said = text(k)
                for label, value in self._wanted.pop(key):
                    self._found[label].append([said, round(value, 4)])

    def named(self) -> Named:
        """The features with the highest weights that could be named."""
        order = {label: sorted(pairs, key=lambda pair: (-pair[1], pair[0])) for label, pairs in self._found.items()}
        return {label: pairs[: self.count] for label, pairs in order.items()}


def show_form(column: str, form: str) -> str:
    """The value of a column of words or units for a form, as text; only called for columns that are not absent."""
    kind = column.rstrip("0123456789")
    k = int(column[len(kind) :] or 0)
    if kind in ("pre", "suf"):
        return form[:k] if kind == "pre" else form[-k:]
    if kind in ("ch", "che", "init"):
        return form[-k] if kind == "che" else form[k - 1]
    if kind in ("inner", "rest"):
        return form[k]
    if kind == "rep":
        return [a for a, b in pairwise(form) if a == b][k - 1]
    if kind in ("begins", "ends"):
        return form[0] if kind == "begins" else form[-1]
    if kind in ("digit", "upper", "hyphen", "tagged"):
        return "yes"
    if kind == "len":
        return str(min(len(form), 10))
    return form.lower() if kind == "low" else form
