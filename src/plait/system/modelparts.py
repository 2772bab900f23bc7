"""Pieces that many systems keep in their model files: weight tables, tag sets, dictionaries."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from plait.arrays import AnyArray
from plait.core._weights import Scorer
from plait.core.tables import Frozen, open_table, prefixed, under
from plait.data.document import UNSPECIFIED, Sentence
from plait.data.tags import JOINT, TagColumns
from plait.errors import DataError
from plait.features._lexicon import AffixTags, TagDictionary
from plait.options import make_options
from plait.system.base import Arrays as Arrays
from plait.system.base import Parts, System

S = TypeVar("S", bound=System)

MAX_TAGS = 60_000  # a label is a 16-bit number
RARELY = 0.1  # a column that no more words have may be missing in a development set


def read_tagset(sentences: Sequence[Sentence], columns: TagColumns, dev: Sequence[Sentence] = ()) -> list[str]:
    """All tags of the training data, sorted; training data or a development set without tags is rejected.

    So is a development set without one of several columns: hardly a tag would be right there, in any epoch.
    """
    for name, part in (("training data", sentences), ("development set", dev)):
        if part and not any(columns.given(sentence) for sentence in part):
            raise DataError(
                f'the {name} has no "{columns.spec}" tags ({len(part)} sentences, all "_"); '
                "choose another column with --tag"
            )
        untagged = [s for s in part if UNSPECIFIED in s.upos] if "upos" in columns.columns else []
        if untagged:
            words = sum(sentence.upos.count(UNSPECIFIED) for sentence in untagged)
            first = untagged[0].sent_id or " ".join(untagged[0].forms)[:40]
            raise DataError(
                f'{words} word{"s have" if words > 1 else " has"} no UPOS in the {name}, first in sentence "{first}"; '
                "tag them, or remove these sentences"
            )
    missing = sorted(columns.filled(sentences, RARELY) - columns.filled(dev)) if dev else ()
    if missing:
        raise DataError(
            f"the development set has no {' and no '.join(map(str.upper, missing))}, unlike the training data; use "
            "another one, leave out --dev, or choose other columns with --tag (in a parser also --morphology off)"
        )
    tags = sorted({tag for sentence in sentences for tag in columns.read(sentence)})
    if len(tags) > MAX_TAGS:
        raise DataError(f'"{columns.spec}" has {len(tags)} different tags; expected at most {MAX_TAGS}')
    check_tags(tags, columns)
    return tags


def open_names(names: Any, what: str) -> list[str]:
    """A list of distinct strings from a header, short enough to be numbered; otherwise a ValueError."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{what} that are not a list of strings")
    if len(set(names)) != len(names) or len(names) > MAX_TAGS:
        raise ValueError(f"too many {what}, or duplicates")
    return list(names)


def open_labels(names: Any) -> list[str]:
    """The arc labels of a model file; a ValueError for labels that no treebank can contain."""
    labels = open_names(names, "labels")
    for label in labels:
        if not label or any(c in label for c in "\t\n\r\0"):
            raise ValueError(f"{label!r} cannot be the label of an arc")
    return labels


def open_tags(names: Any, columns: TagColumns) -> list[str]:
    """The tag set of a model file; a ValueError for tags that training cannot produce."""
    tags = open_names(names, "tags")
    if not tags:
        raise ValueError("no tags")
    try:
        check_tags(tags, columns)
    except DataError as error:
        raise ValueError(str(error)) from error
    return tags


def check_tags(tags: Sequence[str], columns: TagColumns) -> None:
    """Tags that any format can hold, with a part for each column; otherwise a DataError."""
    for tag in tags:
        parts = tag.split(JOINT)
        sound = len(parts) == len(columns.columns) and all(parts)
        if not sound or any(c in part for part in parts for c in "\t\n\r\0") or not _is_unicode(tag):
            raise DataError(f'{tag!r} cannot be a "{columns.spec}" tag; expected text without tabs and line breaks')


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= c <= "\udfff" for c in text)


def table_parts(tables: Mapping[str, Scorer]) -> Parts:
    """Frozen tables, one per feature group."""
    header: dict[str, Any] = {}
    arrays: dict[str, AnyArray] = {}
    for group, table in tables.items():
        assert isinstance(table, Frozen)
        header[group] = table.header()
        arrays |= prefixed(f"{group}.", table.arrays())
    return {"tables": header}, arrays


def open_group(group: str, header: Mapping[str, Any], arrays: Arrays, labels: int) -> Scorer:
    """The table of one feature group; it must have a weight for each label."""
    weights = open_table(header["tables"][group], under(f"{group}.", arrays))
    if weights.labels != labels:
        raise ValueError(f"{weights.labels} weights a row for {labels} labels of {group}")
    return weights


def lexicon_arrays(dictionary: TagDictionary, affixes: Sequence[AffixTags]) -> dict[str, AnyArray]:
    """A tag dictionary and the tag sets of first and last characters."""
    return prefixed("dictionary.", dictionary.arrays()) | affix_arrays(affixes)


def affix_arrays(affixes: Sequence[AffixTags]) -> dict[str, AnyArray]:
    """The tag sets of first and last characters, or nothing where there are none."""
    arrays: dict[str, AnyArray] = {}
    for side, table in zip(("begins", "ends"), affixes, strict=False):
        arrays |= prefixed(f"{side}.", table.arrays())
    return arrays


def open_dictionary(tags: int, arrays: Arrays) -> TagDictionary:
    """The inverse of ``lexicon_arrays``: the dictionary."""
    return TagDictionary(tags, *(arrays[f"dictionary.{name}"] for name in ("words", "starts", "known")))


def open_affixes(arrays: Arrays) -> tuple[AffixTags, AffixTags]:
    """The inverse of ``lexicon_arrays``: the tag sets of characters."""
    begins, ends = (AffixTags(arrays[f"{side}.characters"], arrays[f"{side}.symbols"]) for side in ("begins", "ends"))
    return begins, ends


def drop_shared_clusters(name: str, arrays: Arrays) -> dict[str, AnyArray]:
    """The arrays of a nested system without its clusters, which are those of the enclosing model."""
    return {key: array for key, array in arrays.items() if not key.startswith(f"{name}.clusters.")}


def with_shared_clusters(name: str, arrays: Arrays) -> dict[str, AnyArray]:
    """The inverse of ``drop_shared_clusters``."""
    return {**arrays, **prefixed(f"{name}.clusters.", under("clusters.", arrays))}


def joined_parts(*parts: Parts) -> Parts:
    """The headers and the arrays of several parts as one."""
    header: dict[str, Any] = {}
    arrays: dict[str, AnyArray] = {}
    for more, more_arrays in parts:
        header |= more
        arrays |= more_arrays
    return header, arrays


def nested_parts(name: str, system: System, *, with_system: bool = False) -> Parts:
    """A whole system inside another's model file, under a name; ``with_system``: which system it is, if that varies."""
    header, arrays = system.parts()
    inner = {"options": dataclasses.asdict(system.options), **header}
    if with_system:
        inner["system"] = system.name
    return {name: inner}, prefixed(f"{name}.", arrays)


def open_system(kind: type[S], header: Mapping[str, Any], arrays: Arrays) -> S:
    """The system of a header with its options, and of the arrays that belong to it."""
    options: Any = make_options(kind.Options, header["options"], kind.name)
    return kind.from_parts(options, header, arrays)


def open_nested(name: str, kind: type[S], header: Mapping[str, Any], arrays: Arrays) -> S:
    """The inverse of ``nested_parts``."""
    system = open_system(kind, header[name], under(f"{name}.", arrays))
    system.training = dict(header.get("training", {}).get(name, {}))
    return system
