"""Word resources: clusters and lexicons, as atoms for the templates of any family."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from plait.arrays import AnyArray, UInt64Array
from plait.core.tables import prefixed, under
from plait.errors import OptionError
from plait.features._words import WORD_COLUMNS, WordRows, word_atoms
from plait.features.clusters import CLUSTER_COLUMNS, Clusters, present_atom, read_clusters
from plait.features.heaviest import show_form
from plait.features.templates import Template, load_templates, united
from plait.features.word_lexicon import LEXICON_COLUMNS, MATCH_COLUMNS, Lexicon, read_lexicon

RESOURCE_COLUMNS = (*CLUSTER_COLUMNS, *LEXICON_COLUMNS)
KNOWN_COLUMNS = (*WORD_COLUMNS, *RESOURCE_COLUMNS)

_OPTION = dict.fromkeys(CLUSTER_COLUMNS, "--clusters") | dict.fromkeys((*LEXICON_COLUMNS, *MATCH_COLUMNS), "--lexicon")

Arrays = Mapping[str, AnyArray]


@dataclass(frozen=True, eq=False, repr=False)
class WordResources:
    """The clusters and the lexicon of a model, either of which may be missing.

    >>> resources = WordResources(clusters=Clusters.of({"dog": "0010"}))
    >>> resources.columns
    ('bits4', 'bits6', 'bits')
    >>> (resources.atoms(["dog", "cow"], ("bits4",)) != 0).tolist()
    [[True], [False]]
    """

    clusters: Clusters | None = None
    lexicon: Lexicon | None = None

    @classmethod
    def read(cls, options: Any, files: dict[str, Any]) -> Self:
        """The files given by the options ``clusters`` and ``lexicon``; ``files`` caches files read before."""
        return cls(read_clusters(options.clusters, files), read_lexicon(options.lexicon, files))

    def __bool__(self) -> bool:
        return self.clusters is not None or self.lexicon is not None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it can fill."""
        of_clusters = CLUSTER_COLUMNS if self.clusters is not None else ()
        return (*of_clusters, *(LEXICON_COLUMNS if self.lexicon is not None else ()))

    def check(self, columns: Iterable[str]) -> None:
        """An OptionError when templates use columns of a resource that is not there."""
        missing = {"--clusters": self.clusters is None, "--lexicon": self.lexicon is None}
        for column in columns:
            if column in _OPTION and missing[_OPTION[column]]:
                raise OptionError(f'the feature templates use "{column}"; give a file with {_OPTION[column]}')

    def extended(self, templates: tuple[Template, ...], family: str, name: str) -> tuple[Template, ...]:
        """Templates extended by those of the tables FAMILY-clusters and FAMILY-lexicon for the available resources."""
        if self.clusters is not None:
            there = {tuple(map(present_atom, template.atoms)) for template in templates}
            added = [t for t in load_templates(name, f"{family}-clusters") if t.atoms not in there]
            templates = united(templates, added)
        if self.lexicon is not None:
            templates = united(templates, load_templates(name, f"{family}-lexicon"))
        return templates

    def fill(self, atoms: UInt64Array, columns: Sequence[str], forms: Sequence[str]) -> None:
        """Fill the resource columns of a matrix with one row for each form."""
        if self.clusters is not None and not set(CLUSTER_COLUMNS).isdisjoint(columns) and len(forms):
            self.clusters.fill(atoms, columns, word_atoms(forms, ("w",), 0)[:, 0])
        if self.lexicon is not None:
            self.lexicon.fill(atoms, columns, forms)

    def atoms(self, forms: Sequence[str], columns: Sequence[str]) -> UInt64Array:
        """[words][columns], 0 for missing values."""
        found = np.zeros((len(forms), len(columns)), dtype=np.uint64)
        self.fill(found, columns, forms)
        return found

    def reader(self, columns: Sequence[str], pad: int) -> WordRows:
        """A reader that makes the padded matrices of sentences; the last columns may be those of resources."""
        words = [column for column in columns if column not in RESOURCE_COLUMNS]

        def complete(atoms: UInt64Array, forms: Sequence[str]) -> None:
            if forms:
                self.fill(atoms, columns, forms)

        return WordRows(words, pad, len(columns) - len(words), complete if self else None)

    def parts(self) -> tuple[dict[str, Any], dict[str, AnyArray]]:
        """Header entries and arrays for the model file."""
        arrays = {} if self.clusters is None else prefixed("clusters.", self.clusters.arrays())
        if self.lexicon is None:
            return {}, arrays
        return {"lexicon": self.lexicon.header()}, arrays | prefixed("lexicon.", self.lexicon.arrays())

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Arrays) -> Self:
        """The inverse of ``parts``; invalid arrays are a ValueError."""
        clusters, lexicon = (under(name, arrays) for name in ("clusters.", "lexicon."))
        return cls(
            Clusters.from_arrays(clusters) if clusters else None,
            Lexicon.from_parts(header["lexicon"], lexicon) if "lexicon" in header else None,
        )


NO_RESOURCES = WordResources()


def show_word(column: str, form: str) -> str:
    """``show_form`` for columns including resources: ``~dog`` is the cluster of "dog", ``@dog`` its lexicon entry."""
    if column in CLUSTER_COLUMNS:
        return f"~{form}"
    return f"@{form}" if column in LEXICON_COLUMNS else show_form(column, form)
