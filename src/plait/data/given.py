"""The given annotation of a sentence: it is checked, constrains the analysis, and is kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plait.data.document import UNKNOWN, UNSPECIFIED, Sentence
from plait.data.trees import tree_fault
from plait.errors import DataError


class GivenAnnotation:
    """The values of a sentence before the analysis.

    >>> s = Sentence(["dogs", "bark"], upos=["NOUN", "_"], heads=[-1, 0])
    >>> given = GivenAnnotation(s, ["upos", "heads"])
    >>> s.upos, s.heads = ["X", "VERB"], [0, 1]
    >>> given.restore(s)
    >>> s.upos, s.heads
    (['NOUN', 'VERB'], [2, 0])
    """

    def __init__(self, sentence: Sentence, columns: Iterable[str]) -> None:
        self.texts = {column: list(getattr(sentence, column)) for column in columns if column != "heads"}
        self.heads = list(sentence.heads) if "heads" in columns else [UNKNOWN] * len(sentence)
        fault = tree_fault(self.heads)
        if fault is not None and UNKNOWN in self.heads and fault == "no token has head 0":
            fault = None
        if fault is not None:
            raise DataError(
                f'the given heads cannot be kept: {fault}: "{" ".join(sentence.forms[:3])} ..."; expected '
                "no cycle and at "
                "most one root; leave some of them unspecified"
            )

    @property
    def labels(self) -> list[str]:
        """The given labels of arcs."""
        return self.texts.get("deprels", [UNSPECIFIED] * len(self.heads))

    def restore(self, sentence: Sentence, root: str = "root") -> None:
        """Restore the given values; other heads are changed only where necessary to keep a tree."""
        heads = fitted(sentence.heads, self.heads)
        for i, (new, old) in enumerate(zip(heads, sentence.heads, strict=True)):
            if new != old and 0 in (new, old):
                sentence.deprels[i] = root if new == 0 else "dep"
        sentence.heads = heads
        for column, values in self.texts.items():
            found = getattr(sentence, column)
            setattr(sentence, column, [f if v == UNSPECIFIED else v for v, f in zip(values, found, strict=True)])


def fitted(found: Sequence[int], given: Sequence[int]) -> list[int]:
    """The found heads with the given ones, and as few other changes as a tree requires.

    >>> fitted([2, 0, 2], [-1, 3, -1])
    [2, 3, 0]
    >>> fitted([-1, -1], [-1, -1])
    [-1, -1]
    """
    if all(head == UNKNOWN for head in given):
        return list(found)
    heads = [f if g == UNKNOWN else g for f, g in zip(found, given, strict=True)]
    free = [i for i, g in enumerate(given) if g == UNKNOWN]
    # the root: the given one, otherwise the one found, otherwise the word above it to which given heads lead
    root = next((i for i, g in enumerate(given) if g == 0), -1)
    if root < 0:
        root = next((i for i, f in enumerate(found) if f == 0), 0)
        while given[root] > 0:
            root = given[root] - 1
        heads[root] = 0
    for i in free:
        if i != root and heads[i] == 0:
            heads[i] = root + 1
    # a cycle holds a head that was not given, for the given ones have none: that word goes under the root
    state = [0] * len(heads)  # 0 not seen, 1 on the way, 2 leads to the root
    state[root] = 2
    for start in range(len(heads)):
        way = []
        at = start
        while state[at] == 0:
            state[at] = 1
            way.append(at)
            at = heads[at] - 1
        if state[at] == 1:
            loop = way[way.index(at) :]
            heads[next(i for i in loop if given[i] == UNKNOWN)] = root + 1
        for i in way:
            state[i] = 2
    return heads
