"""Label schemes: spans of a sequence (words of characters, chunks of words) written as one label for each item.

=========== ==================================== =======================================================
scheme      a span of one, two, three, six    outside
=========== ==================================== =======================================================
``bio``     B | B I | B I I | B I I I I I        O
``bies``    S | B E | B I E | B I I I I E        O; for words of characters M stands for I, as is usual there
``six``     S | B E | B B2 E | B B2 B3 M M E     O
=========== ==================================== =======================================================

A typed label is ``B-NP``; an untyped one is ``B``. A span is ``(start, end, type)``, items ``start`` to ``end - 1``
counted from 0, the type ``""`` when there is none.

**Repair.** Any sequence of labels has a reading, and ``decode`` gives it: a span begins at B or S, and at any
other label but O that cannot continue the span before it (there is none, or it is of another type, or it has been
closed by E or S); it ends at E or S, or where the next item does not continue it. Which of I, M, B2, B3 stands inside
makes no difference. That is how conlleval counts chunks in bio and bies. ``repair`` writes the labels of that reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

OUTSIDE = "O"


class Span(NamedTuple):
    """Items ``start`` to ``end - 1`` that belong together, and what they are."""

    start: int
    end: int
    type: str = ""


class Scheme(NamedTuple):
    """One way to label spans; ``BIO``, ``BIES``, ``BMES`` and ``SIX`` are the ones there are.

    >>> BIO.encode(4, [Span(0, 2, "NP")])
    ['B-NP', 'I-NP', 'O', 'O']
    >>> BIO.repair(["I-NP", "I-VP", "O"])
    ['B-NP', 'B-VP', 'O']
    """

    name: str
    begin: tuple[str, ...]  # marks of the first, second, ... item
    inside: str  # mark of those that follow
    end: str  # mark of the last of two or more; "" when it is as one inside
    single: str  # mark of a span of one; "" when it is as the first

    @property
    def marks(self) -> tuple[str, ...]:
        """All marks, without O."""
        found = (*self.begin, self.inside, self.end, self.single)
        return tuple(dict.fromkeys(mark for mark in found if mark))

    def labels(self, types: Iterable[str] = ("",), *, outside: bool = True) -> list[str]:
        """Every label over these types.

        >>> BIES.labels(["NP"])
        ['B-NP', 'I-NP', 'E-NP', 'S-NP', 'O']
        """
        return [_join(mark, type) for type in types for mark in self.marks] + [OUTSIDE] * outside

    def encode(self, n: int, spans: Iterable[Span | tuple[int, int, str]]) -> list[str]:
        """The labels of n items with these spans; ValueError when they overlap or run out of the sequence."""
        labels = [OUTSIDE] * n
        free = 0
        for start, end, type in sorted(spans):
            if not free <= start < end <= n:
                raise ValueError(f"span {start} to {end} overlaps another, is empty, or is outside the {n} items")
            labels[start:end] = [_join(mark, type) for mark in self.marks_of(end - start)]
            free = end
        return labels

    def decode(self, labels: Sequence[str]) -> list[Span]:
        """The spans of any sequence of labels, legal or not (see Repair above)."""
        spans: list[Span] = []
        start, open_type, is_open = 0, "", False
        for i, label in enumerate(labels):
            mark, type = split(label)
            if is_open and (mark in (OUTSIDE, "B", "S") or type != open_type):
                spans.append(Span(start, i, open_type))
                is_open = False
            if mark != OUTSIDE and not is_open:
                start, open_type, is_open = i, type, True
            if is_open and mark in ("E", "S"):
                spans.append(Span(start, i + 1, open_type))
                is_open = False
        if is_open:
            spans.append(Span(start, len(labels), open_type))
        return spans

    def repair(self, labels: Sequence[str]) -> list[str]:
        """The legal labels that say what these say; legal ones come back as they are."""
        return self.encode(len(labels), self.decode(labels))

    def is_legal(self, labels: Sequence[str]) -> bool:
        """Whether every step of the sequence, its start and its end are legal and every mark is of this scheme."""
        if any(not label or _join(*split(label)) != label for label in labels):
            return False
        steps = zip(["", *labels], [*labels, ""], strict=True)
        return all(self.may_follow(before, after) for before, after in steps)

    def may_follow(self, before: str, after: str) -> bool:
        """Whether ``after`` may follow ``before``; the empty label represents the edge of the sequence.

        >>> BIO.may_follow("B-NP", "I-NP"), BIO.may_follow("B-NP", "I-VP"), BIO.may_follow("", "I-NP")
        (True, False, False)
        """
        (mark, type), (next_mark, next_type) = split(before or OUTSIDE), split(after or OUTSIDE)
        if OUTSIDE != mark not in self.marks or OUTSIDE != next_mark not in self.marks:
            return False
        if next_mark in self._continuations(mark):
            return type == next_type
        return self._may_close(mark) and next_mark in (OUTSIDE, self.begin[0], self.single)

    def transitions(self, labels: Sequence[str]) -> list[list[bool]]:
        """table[i][j]: whether labels[j] may follow labels[i]; a last row and column stand for the edge.

        >>> BIO.transitions(["B", "I", "O"])[-1]  # what may begin a sequence
        [True, False, True, True]
        """
        edged = [*labels, ""]
        return [[self.may_follow(before, after) for after in edged] for before in edged]

    def marks_of(self, length: int) -> list[str]:
        """The marks of the items of a span.

        >>> SIX.marks_of(5)
        ['B', 'B2', 'B3', 'M', 'E']
        """
        if length == 1 and self.single:
            return [self.single]
        marks = [*self.begin[:length], *[self.inside] * (length - len(self.begin))]
        if self.end and length > 1:
            marks[-1] = self.end
        return marks

    def _continuations(self, mark: str) -> tuple[str, ...]:
        """The marks that may go on with a span after this one."""
        if mark in self.begin:
            next = (*self.begin, self.inside)[self.begin.index(mark) + 1]
        elif mark == self.inside:
            next = self.inside
        else:
            return ()
        return (next, self.end) if self.end else (next,)

    def _may_close(self, mark: str) -> bool:
        """Whether a span may end with this mark."""
        return mark in (OUTSIDE, self.single, self.end) or not self.end


BIO = Scheme("bio", ("B",), "I", "", "")
BIES = Scheme("bies", ("B",), "I", "E", "S")
BMES = Scheme("bmes", ("B",), "M", "E", "S")
SIX = Scheme("six", ("B", "B2", "B3"), "M", "E", "S")

SCHEMES = {scheme.name: scheme for scheme in (BIO, BIES, BMES, SIX)}


def split(label: str) -> tuple[str, str]:
    """(mark, type) of a label; the type begins after the first hyphen.

    >>> split("B-NP"), split("O"), split("B2-NR-PN")
    (('B', 'NP'), ('O', ''), ('B2', 'NR-PN'))
    """
    mark, _, type = label.partition("-")
    return mark, "" if mark == OUTSIDE else type


def _join(mark: str, type: str) -> str:
    return f"{mark}-{type}" if type else mark
