"""FEATS as atoms for templates, with the same names in every family: ``feats``, ``feat:Case``, agreement of two words.

``feat:Number`` is the value of a feature with all its layers (``Number[psor]``), ``feat:Number[psor]`` a single layer,
``feat:Number+Person`` several features as one atom. Agreement compares two words slot by slot. A slot is an agreement
feature, plain or layered: the number of an ergative noun is its value in the slot ``Number[erg]``, where its verb has
the number of the ergative argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from plait.arrays import UInt64Array
from plait.core._hashing import text_hash
from plait.data.document import UNSPECIFIED
from plait.data.feats import tidy_feats

LEMMA, WHOLE, ONE = "lemma", "feats", "feat:"
AGREEING = ("Animacy", "Case", "Definite", "Gender", "NounClass", "Number", "Person", "Polite")
POSSESSOR = "psor"
# features of the guidelines, which a table may name whether or not a treebank has them
UNIVERSAL = frozenset(
    (
        *AGREEING, "Abbr", "Aspect", "Clusivity", "Degree", "Deixis", "Evident", "ExtPos", "Foreign", "Mood",
        "Negative", "NumType", "Polarity", "Poss", "PronType", "Reflex", "Tense", "Typo", "VerbForm", "Voice",
    )
)  # fmt: skip


def is_of_feats(column: str) -> bool:
    """Whether a column of words is one of FEATS.

    >>> [is_of_feats(column) for column in ("feats", "feat:Case", "feat:", "lemma", "w")]
    [True, True, False, False, False]
    """
    return column == WHOLE or (column.startswith(ONE) and all(column.removeprefix(ONE).split("+")))


def read_feats(feats: str) -> dict[str, str]:
    """Values by name; what is not ``Name=Value`` is its own name.

    >>> read_feats("Case=Nom|Number[psor]=Sing|foo")
    {'Case': 'Nom', 'Number[psor]': 'Sing', 'foo': ''}
    """
    pairs = (piece.partition("=") for piece in feats.split("|") if piece and feats != UNSPECIFIED)
    return {name: value for name, _, value in pairs}


def value_of(column: str, feats: str) -> str:
    """The value of a column for some FEATS, empty if they have none of its features.

    >>> value_of("feat:Number", "Case=Erg|Number[abs]=Sing|Number[erg]=Plur")
    'Number[abs]=Sing|Number[erg]=Plur'
    >>> value_of("feat:Number[abs]+Case", "Case=Erg|Number[abs]=Sing")
    'Case=Erg|Number[abs]=Sing'
    """
    if column == WHOLE:
        return "" if feats == UNSPECIFIED else feats
    wanted = set(column.removeprefix(ONE).split("+"))
    found = read_feats(feats).items()
    return "|".join(sorted(f"{n}={v}" for n, v in found if n in wanted or n.partition("[")[0] in wanted))


def agreement_slots(seen: Iterable[str]) -> tuple[str, ...]:
    """The features, plain and layered, in which words with such FEATS can agree."""
    names = {name for feats in seen for name in read_feats(feats)}
    return tuple(sorted(name for name in names if name.partition("[")[0] in AGREEING))


def answer(slot: str, feats: str) -> str:
    """The value of a word in an agreement slot, empty if it has none.

    >>> answer("Number[erg]", "Case=Erg|Number=Plur"), answer("Number[erg]", "Number[erg]=Sing")
    ('Plur', 'Sing')
    >>> answer("Number[erg]", "Case=Abs|Number=Plur"), answer("Person[erg]", "Case=Erg|Number=Plur")
    ('', '3')
    """
    found = read_feats(feats)
    if slot in found:
        return found[slot]
    name, _, layer = slot.rstrip("]").partition("[")
    if layer and (layer == POSSESSOR or found.get("Case", "").lower() == layer):
        return found.get(name, "3" if name == "Person" and "Case" in found else "")
    return ""


class FeatsAtoms:
    """The FEATS columns used by templates, followed by the agreement slots if templates use agreement.

    >>> atoms = FeatsAtoms(("feats", "feat:Case"), ["Case=Nom|Number=Sing"], agreement=True)
    >>> atoms.slots
    ('Case', 'Number')
    >>> (atoms.rows(["Case=Nom", "_"]) != 0).tolist()
    [[True, True, True, False], [False, False, False, False]]
    """

    def __init__(self, columns: Sequence[str], seen: Iterable[str] = (), *, agreement: bool = False) -> None:
        self.columns = tuple(columns)
        seen = [*seen]
        self.slots = agreement_slots(seen) if agreement else ()
        self._tidy = bool(seen) and all(feats == tidy_feats(feats) for feats in seen)  # so given FEATS are put in order
        self.width = len(self.columns) + len(self.slots)
        self._kept: dict[str, UInt64Array] = {}  # as many as there are tags, however long it is used

    def rows(self, feats: Sequence[str]) -> UInt64Array:
        """[words][columns and slots], 0 for missing values."""
        found = np.zeros((len(feats), self.width), dtype=np.uint64)
        for row, value in zip(found, feats, strict=True):
            row[:] = self._row(value)
        return found

    def _row(self, feats: str) -> UInt64Array:
        known = self._kept.get(feats)
        if known is None:
            whole = tidy_feats(feats) if self._tidy else feats
            texts = [value_of(column, whole if column == WHOLE else feats) for column in self.columns]
            texts += [answer(slot, feats) for slot in self.slots]
            known = np.array([text_hash(text) if text else 0 for text in texts], dtype=np.uint64)
            if len(self._kept) < MAX_KEPT:
                self._kept[feats] = known
        return known


MAX_KEPT = 1 << 14  # FEATS that are given from outside may be anything


def unknown_features(columns: Iterable[str], seen: Iterable[str]) -> list[str]:
    """Features named by columns that occur neither in the guidelines nor in the data: most likely misspelt.

    >>> unknown_features(["feats", "feat:Case", "feat:Csae+Number[psor]"], ["Case=Nom"])
    ['Csae']
    """
    wanted = {name for c in columns if c.startswith(ONE) for name in c.removeprefix(ONE).split("+")}
    wanted = {name for name in wanted if name.partition("[")[0] not in UNIVERSAL}
    names = {name for feats in seen for name in read_feats(feats)} if wanted else set()
    return sorted(wanted - names - {name.partition("[")[0] for name in names})
