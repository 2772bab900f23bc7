"""Pieces that many systems keep in their model files: weight tables, tag sets, dictionaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt

from plait.core._weights import Scorer
from plait.core.tables import Frozen, open_table
from plait.data.document import Sentence
from plait.data.tags import TagColumns
from plait.errors import DataError
from plait.features._lexicon import AffixTags, TagDictionary
from plait.system.base import Parts

Arrays = Mapping[str, npt.NDArray[Any]]


def read_tagset(sentences: Sequence[Sentence], columns: TagColumns) -> list[str]:
    """All tags of the training data, sorted; data without them is refused."""
    tags = sorted({tag for sentence in sentences for tag in columns.read(sentence)})
    if not any(columns.given(sentence) for sentence in sentences):
        raise DataError(
            f'the training data has no "{columns.spec}" tags ({len(sentences)} sentences, all "_"); '
            "choose another column with --tag"
        )
    return tags


def table_parts(tables: Mapping[str, Scorer]) -> Parts:
    """Frozen tables, one per feature group."""
    header: dict[str, Any] = {}
    arrays: dict[str, npt.NDArray[Any]] = {}
    for group, table in tables.items():
        assert isinstance(table, Frozen)
        header[group] = table.header()
        arrays.update({f"{group}.{name}": array for name, array in table.arrays().items()})
    return {"tables": header}, arrays


def open_group(group: str, header: Mapping[str, Any], arrays: Arrays, labels: int) -> Scorer:
    """The table of one feature group; it must have a weight for each label."""
    weights = open_table(header["tables"][group], under(f"{group}.", arrays))
    if weights.labels != labels:
        raise ValueError(f"{weights.labels} weights a row for {labels} labels of {group}")
    return weights


def lexicon_arrays(dictionary: TagDictionary, affixes: Sequence[AffixTags]) -> dict[str, npt.NDArray[Any]]:
    """A tag dictionary and the tag sets of first and last characters."""
    arrays = {f"dictionary.{name}": array for name, array in dictionary.arrays().items()}
    for side, table in zip(("begins", "ends"), affixes, strict=True):
        arrays.update({f"{side}.{name}": array for name, array in table.arrays().items()})
    return arrays


def open_dictionary(tags: int, arrays: Arrays) -> TagDictionary:
    """The inverse of ``lexicon_arrays``: the dictionary."""
    return TagDictionary(tags, *(arrays[f"dictionary.{name}"] for name in ("words", "starts", "known")))


def open_affixes(arrays: Arrays) -> tuple[AffixTags, AffixTags]:
    """The inverse of ``lexicon_arrays``: the tag sets of characters."""
    begins, ends = (AffixTags(arrays[f"{side}.characters"], arrays[f"{side}.symbols"]) for side in ("begins", "ends"))
    return begins, ends


def under(prefix: str, arrays: Arrays) -> dict[str, npt.NDArray[Any]]:
    """The arrays whose names begin so, without that beginning."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
