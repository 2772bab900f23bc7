"""FEATS as text: ``Name=Value|Name=Value``, in the order of the guidelines or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from plait.data.document import UNSPECIFIED, Sentence


def split_feats(feats: str) -> list[str]:
    """The features of a FEATS column, in the order of the guidelines; none where it is empty.

    >>> split_feats("Number=Sing|Case=Nom")
    ['Case=Nom', 'Number=Sing']
    >>> split_feats("_"), split_feats("")
    ([], [])
    """
    if feats in (UNSPECIFIED, ""):
        return []
    return sorted({piece for piece in feats.split("|") if piece}, key=lambda piece: (piece.lower(), piece))


@lru_cache(maxsize=1 << 14)  # FEATS that are given from outside may be anything
def tidy_feats(feats: str) -> str:
    """The same features in the order of the guidelines, each once: two ways to write one tag are one tag.

    >>> tidy_feats("Number=Sing|Case=Nom|Case=Nom")
    'Case=Nom|Number=Sing'
    """
    return "|".join(split_feats(feats)) or UNSPECIFIED


def feats_fault(feats: str) -> str:
    """What is wrong with a FEATS column, in words; nothing where it is ``Name=Value|…``, in order or not.

    >>> feats_fault("Case=Nom|Number=Sing"), feats_fault("_")
    ('', '')
    >>> feats_fault("Nom")
    '"Nom" is not Name=Value'
    """
    if feats == UNSPECIFIED:
        return ""
    pieces = feats.split("|")
    for piece in pieces:
        name, equals, value = piece.partition("=")
        if not (name and equals and value):
            return f'"{piece}" is not Name=Value'
    names = [piece.partition("=")[0] for piece in pieces]
    twice = next((name for name, count in Counter(names).items() if count > 1), "")
    return f"{twice} is given twice" if twice else ""


def in_order(sentences: Iterable[Sentence]) -> list[Sentence]:
    """The sentences with sound FEATS in order, copied where they were not; other FEATS stay, to be reported.

    >>> s = Sentence(["a", "b"], feats=["Number=Sing|Case=Nom", "sg|nom"])
    >>> in_order([s])[0].feats, s.feats[0]
    (['Case=Nom|Number=Sing', 'sg|nom'], 'Number=Sing|Case=Nom')
    """
    found = []
    for sentence in sentences:
        values = {feats for feats in set(sentence.feats) if feats != tidy_feats(feats) and not feats_fault(feats)}
        if values:
            sentence = sentence.copy()
            sentence.feats = [tidy_feats(feats) if feats in values else feats for feats in sentence.feats]
        found.append(sentence)
    return found
