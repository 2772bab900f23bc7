"""Which types the surface tokens of a sentence may have, by the number of their words and the tags they are given."""

from __future__ import annotations

from collections.abc import Sequence

from plait.chain.multiword import JOIN
from plait.data.document import Sentence
from plait.data.tags import TagColumns


def allowed_types(sentence: Sentence, types: Sequence[str], columns: TagColumns, *, constrain: bool) -> list[list[int]]:
    """For each surface token the numbers of the types it may have; none where all may stand.

    A type has one tag for each word. With ``constrain`` it also agrees with the tags that the words have; a tag that no
    type agrees with binds nothing.

    >>> s = Sentence(["a", "b"], upos=["NOUN", "_"])
    >>> allowed_types(s, ["NOUN", "VERB", "NOUN\\nVERB"], TagColumns("upos"), constrain=True)
    [[0], [0, 1]]
    """
    parts = [type.split(JOIN) for type in types]
    tags = sorted({tag for part in parts for tag in part})
    agreeing = [{tags[k] for k in found} for found in columns.agreeing(sentence, tags)] if constrain else None
    by_length: dict[int, list[int]] = {}
    for number, part in enumerate(parts):
        by_length.setdefault(len(part), []).append(number)
    found: list[list[int]] = []
    for first, last, _, _ in sentence.surface_tokens():
        allowed = by_length.get(last - first + 1, [])
        for k in range(last - first + 1 if agreeing is not None else 0):
            assert agreeing is not None
            narrower = [number for number in allowed if parts[number][k] in agreeing[first - 1 + k]]
            allowed = narrower or allowed
        found.append(allowed)
    return found
