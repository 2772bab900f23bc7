"""Structured tags: what a tag of UPOS, XPOS and FEATS consists of, and which unseen tags are plausible.

A tag is written with one text for each column, JOINT between them, as ``TagColumns`` reads it. Its parts are the value
of UPOS, the value of XPOS, and each ``Feature=Value`` of FEATS, so that tags share what they have in common. A large
XPOS tag set (``NNFS1-----A----``) mostly repeats FEATS: together with FEATS it has no parts, and by itself one for each
position.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from plait.data.document import UNSPECIFIED
from plait.data.feats import split_feats
from plait.data.tags import JOINT, TagColumns
from plait.morphology._parts import TagParts

MAX_XPOS_PARTS = 200  # a larger XPOS tag set is not used as parts
MIN_POSITIONS = 5  # of a positional tag
MAX_CLASSES = 256  # into which order 2 groups the tags: it has a weight for any three classes
NO_VALUE = "-"  # at a position of a positional tag


class PartNames:
    """How the tags of some columns are split into parts.

    >>> names = PartNames(TagColumns("upos+feats"), ["NOUN\\tCase=Nom|Number=Sing", "PUNCT\\t_"])
    >>> names.of("NOUN\\tCase=Nom|Number=Sing")
    ['upos=NOUN', 'feats:Case=Nom', 'feats:Number=Sing']
    """

    def __init__(self, columns: TagColumns, tags: Sequence[str]) -> None:
        self.columns = columns
        values = list(zip(*(self.split(tag) for tag in tags), strict=True))
        self.positional = [_is_positional(set(seen)) for seen in values]
        self.without_parts = [
            column == "xpos" and "feats" in columns.columns and len(set(seen)) > MAX_XPOS_PARTS
            for column, seen in zip(columns.columns, values, strict=True)
        ]
        self.prefix, self.cases = self._fewest_cuts({self._coarse(tag) for tag in tags})

    def split(self, tag: str) -> list[str]:
        """The columns of a tag."""
        return tag.split(JOINT) if len(self.columns.columns) > 1 else [tag]

    def coarse(self, tag: str) -> str:
        """What order 2 looks at: the first column, and the case, which agrees across adjectives and adverbs.

        Of a large tag set it is only the beginning of the first column, and not the case if there are too many of them,
        so that there are at most ``MAX_CLASSES``.

        >>> PartNames(TagColumns("upos+feats"), ["NOUN\\tCase=Nom|Number=Sing"]).coarse("NOUN\\tCase=Nom|Number=Sing")
        'NOUN Case=Nom'
        """
        first, cases = self._coarse(tag)
        return " ".join([first[: self.prefix], *cases[: self.cases]]).strip()

    @staticmethod
    def _fewest_cuts(classes: set[tuple[str, tuple[str, ...]]]) -> tuple[int, int]:
        """How many letters of the first column, and how many cases, leave at most ``MAX_CLASSES``."""
        letters, most = (max((len(each[k]) for each in classes), default=0) for k in (0, 1))
        for cases in (most, 0):
            for n in range(letters, -1, -1):
                if len({(first[:n], found[:cases]) for first, found in classes}) <= MAX_CLASSES:
                    return n, cases
        return 0, 0

    def _coarse(self, tag: str) -> tuple[str, tuple[str, ...]]:
        """The first column, unless it is FEATS, and the case."""
        columns = dict(zip(self.columns.columns, self.split(tag), strict=True))
        cases = tuple(feature for feature in split_feats(columns.get("feats", "")) if feature.startswith("Case="))
        column = self.columns.columns[0]
        return "" if column == "feats" else columns[column], cases

    def of(self, tag: str) -> list[str]:
        """The parts of a tag; the first column always has one, so that every tag has at least one."""
        found: list[str] = []
        for k, (column, value) in enumerate(zip(self.columns.columns, self.split(tag), strict=True)):
            if self.without_parts[k] and k > 0:
                continue
            if column == "feats":
                found += [f"feats:{feature}" for feature in split_feats(value)]
                if k == 0:
                    found.append(f"feats={bool(found)}")
            elif self.positional[k]:
                found += [f"{column}{place}={c}" for place, c in enumerate(value) if c != NO_VALUE or place == 0]
            else:
                found.append(f"{column}={value}")
        return list(dict.fromkeys(found))


def _is_positional(values: set[str]) -> bool:
    lengths = {len(value) for value in values if value != UNSPECIFIED}
    return len(values) > MAX_XPOS_PARTS and len(lengths) == 1 and lengths.pop() >= MIN_POSITIONS


def tag_parts(names: PartNames, tags: Sequence[str]) -> tuple[list[str], TagParts]:
    """The parts of all tags, sorted, and the tags in numbers."""
    lists = [names.of(tag) for tag in tags]
    parts = sorted({part for found in lists for part in found})
    number = {part: k for k, part in enumerate(parts)}
    coarse = [names.coarse(tag) for tag in tags]
    classes = {value: k for k, value in enumerate(sorted(set(coarse)))}
    return parts, TagParts(
        len(parts),
        np.cumsum([0, *map(len, lists)]).astype(np.int32),
        np.array([number[part] for found in lists for part in found], dtype=np.uint16),
        np.array([classes[value] for value in coarse], dtype=np.uint16),
    )


def unseen_tags(columns: TagColumns, counts: Counter[str], limit: int) -> list[str]:
    """Plausible tags that do not occur in the data: a tag with one value exchanged for another of the same feature, if
    any two parts of the result have been seen together. At most ``limit``, the most likely ones.
    """
    if "feats" not in columns.columns or limit <= 0:
        return []
    at = columns.columns.index("feats")
    names = PartNames(columns, sorted(counts))
    values: dict[tuple[str, str], Counter[str]] = {}  # of a feature with the first other column
    together: set[frozenset[str]] = set()
    for tag, count in counts.items():
        parts = names.of(tag)
        together.update(frozenset((a, b)) for k, a in enumerate(parts) for b in parts[:k])
        split = names.split(tag)
        for feature in split_feats(split[at]):
            name, _, value = feature.partition("=")
            values.setdefault((_beside(split, at), name), Counter())[value] += count
    found: Counter[str] = Counter()
    for tag, count in counts.items():
        for other, support in _one_value_exchanged(names.split(tag), at, values):
            text = JOINT.join(other)
            if text not in counts:
                parts = names.of(text)
                if all(frozenset((a, b)) in together for k, a in enumerate(parts) for b in parts[:k]):
                    found[text] += min(count, support)
    return sorted(tag for tag, _ in sorted(found.items(), key=lambda item: (-item[1], item[0]))[:limit])


def _beside(split: Sequence[str], at: int) -> str:
    """The first column that is not FEATS; empty if there is none."""
    return next((value for k, value in enumerate(split) if k != at), "")


def _one_value_exchanged(
    split: Sequence[str], at: int, values: dict[tuple[str, str], Counter[str]]
) -> Iterator[tuple[list[str], int]]:
    features = split_feats(split[at])
    for k, feature in enumerate(features):
        name, _, value = feature.partition("=")
        for other, support in values[_beside(split, at), name].items():
            if other != value:
                changed = [*features[:k], f"{name}={other}", *features[k + 1 :]]
                yield [*split[:at], "|".join(changed), *split[at + 1 :]], support
