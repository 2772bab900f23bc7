"""Templates over a sequence of words: ``w-1`` or ``suf3@+1`` is a column at a distance from the current word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from plait.arrays import UInt64Array
from plait.errors import OptionError
from plait.features._words import WORD_COLUMNS
from plait.features.clusters import CLUSTER_COLUMNS, FORMER_COLUMNS
from plait.features.templates import Template, compile_templates, unknown_atom
from plait.features.word_resources import KNOWN_COLUMNS, NO_RESOURCES, WordResources, show_word

_SHORT = re.compile(r"([a-z])([+-]?\d{1,4})$")  # w-1, t+2: one-letter columns need no @
_LONG = re.compile(r"([a-z]+\d*)(?:@([+-]?\d{1,4}))?$")  # suf3, suf3@-1

_BITS = {f"c{k}" for k in range(1, 17)}  # c5 is no cluster of five words away

FARTHEST = 16  # words to either side; sentences are padded by as much as their templates look out


class SequenceTemplates:
    """A template set compiled for words, split into templates with and without tags.

    ``more`` are further columns of the matrix; it is padded by at least ``least_pad`` rows.

    >>> from plait.features.templates import Template
    >>> s = SequenceTemplates([Template(("w0",)), Template(("t-1", "w0"))])
    >>> len(s.static), len(s.dynamic), s.tag_offsets
    (1, 1, (-1,))
    """

    def __init__(
        self,
        templates: Sequence[Template],
        resources: WordResources = NO_RESOURCES,
        more: Iterable[str] = (),
        least_pad: int = 0,
    ) -> None:
        self.templates = tuple(templates)
        self.resources = resources
        where = {atom: place_atom(atom, KNOWN_COLUMNS) for template in templates for atom in template.atoms}
        used = {column for column, _ in where.values()}
        resources.check(used)
        self.columns = tuple(column for column in KNOWN_COLUMNS if column in {"w", "t", *used, *more})
        self.pad = max((least_pad, *(abs(offset) for _, offset in where.values())))
        self.tag_column = self.columns.index("t")
        of_tags = {atom for atom, (column, _) in where.items() if column == "t"}
        self.tag_offsets = tuple(sorted(where[atom][1] for atom in of_tags))
        self.static_templates = tuple(t for t in templates if not of_tags.intersection(t.atoms))
        self.dynamic_templates = tuple(t for t in templates if of_tags.intersection(t.atoms))

        def place(atom: str) -> int:
            column, offset = where[atom]
            return offset * len(self.columns) + self.columns.index(column)

        self.static = compile_templates(self.static_templates, place)
        self.dynamic = compile_templates(self.dynamic_templates, place)
        self._reader = resources.reader(self.columns, self.pad)

    def atoms(self, forms: Sequence[str]) -> UInt64Array:
        """The padded matrix of atoms of a sentence; the tag column is empty."""
        return self._reader.atoms(forms)

    def name_keys(
        self, wanted: set[int], sentences: Iterable[tuple[Sequence[str], Sequence[int]]], tags: Sequence[str]
    ) -> Iterator[tuple[int, str]]:
        """(key, the filled template as text), once for each wanted key that occurs in (forms, tag numbers)."""
        looked_for = np.array(sorted(wanted), dtype=np.uint64)
        left = set(wanted)
        width = len(self.columns)
        for forms, numbers in sentences:
            if not left:
                return
            atoms = self.atoms(forms)
            atoms[self.pad : self.pad + len(forms), self.tag_column] = np.asarray(numbers, dtype=np.uint64) + 1

            def show(column: str, at: int, forms: Any = forms, numbers: Any = numbers) -> str:
                return tags[numbers[at]] if column == "t" else show_word(column, forms[at])

            for compiled, templates in ((self.static, self.static_templates), (self.dynamic, self.dynamic_templates)):
                keys = compiled.table(atoms.reshape(-1), self.pad * width, width, len(forms))
                for i, k in np.argwhere(np.isin(keys, looked_for)).tolist():
                    key = int(keys[i, k])
                    if key in left:
                        left.discard(key)
                        yield key, describe(templates[k], KNOWN_COLUMNS, i, len(forms), show)


def place_atom(atom: str, columns: Sequence[str] = WORD_COLUMNS) -> tuple[str, int]:
    """``suf3@-1`` → ("suf3", −1); an OptionError for an unknown column or too large an offset."""
    former = FORMER_COLUMNS if CLUSTER_COLUMNS[0] in columns else {}
    atom = former.get(atom, atom)
    if atom in columns:
        return atom, 0
    match = _SHORT.match(atom) or _LONG.match(atom)
    column = former.get(match[1], match[1]) if match is not None else ""
    if match is None or column not in columns or (former and atom in _BITS):
        raise OptionError(unknown_atom(atom, columns))
    offset = int(match[2] or 0)
    if abs(offset) > FARTHEST:
        raise OptionError(f'atom "{atom}" is {abs(offset)} words away; expected at most {FARTHEST}')
    return column, offset


def describe(template: Template, columns: Sequence[str], i: int, n: int, show: Callable[[str, int], str]) -> str:
    """A template filled at item i of n as text, ``w-1=the suf3=ing``; ``show`` gives a column of an item."""

    def value(column: str, offset: int) -> str:
        at = i + offset
        return "<start>" if at < 0 else "<end>" if at >= n else show(column, at)

    return " ".join(f"{atom}={value(*place_atom(atom, columns))}" for atom in template.atoms)
