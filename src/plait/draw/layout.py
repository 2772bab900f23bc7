"""Where words and arcs go on a page: rows of words, and arcs over them as brackets that never lie on each other.

Positions are in pixels, from left to right; a right-to-left drawing mirrors them at the end. The conventions:

- Words are numbered from 0 here. A *port* is the place above a word where one arc starts or ends. Arcs to the left
  leave to the left of arcs to the right, and longer arcs nearer to the word's middle, so that nested arcs do not cross.
- The *level* of an arc is its height: one more than that of the highest arc under it.
- An arc whose ends are in different rows is drawn as part of a *trunk*: all such arcs of one head to one side share a
  line, which runs through the rows between and drops to the head's dependents. However many arcs leave a row, their
  order from bottom to top is the same where they come in again.
- Through a row may pass any number of trunks that meet no word in it. The shortest are drawn, the rest are one line
  that shows their number: otherwise a drawing of n words could take n² lines.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, pairwise

import numpy as np

FORM_SIZE, TAG_SIZE, LABEL_SIZE = 16, 11, 11  # of the letters
GAP = 16.0  # between two words at least
PORT = 8.0  # between two ports
LABEL_PAD = 7.0  # beside a label, on each side
CORNER = 7.0  # radius
LISTED = 20  # dependents that a trunk names in a row where it meets none
MARGIN = 14.0  # left and right of a row, where trunks go on
PASSING = 24  # trunks drawn through a row in which they meet no word
NO_HEAD = -1  # the head of a line that stands for several trunks


@dataclass(frozen=True)
class Mark:
    """A label and the middle of its place on a line."""

    text: str
    x: float
    width: float
    words: tuple[int, ...]  # the dependents it speaks of


@dataclass
class Line:
    """One arc, or one row's part of a trunk: a horizontal line at a level, with verticals down to words."""

    head: int
    leftward: bool  # from the head to its dependents, all of which are on one side
    level: int = 0
    left: float = 0.0
    right: float = 0.0
    open_left: bool = False  # goes on in the row above
    open_right: bool = False  # goes on in the row below
    head_port: float | None = None  # where it meets its head, if that is in this row
    drops: list[tuple[int, float]] = field(default_factory=list)  # dependents in this row, with their ports
    marks: list[Mark] = field(default_factory=list)
    dependents: tuple[int, ...] = ()  # those in this row or, where there are none, the next ones that it leads to
    bundled: int = 0  # trunks that it stands for, where it is not one itself


@dataclass
class Row:
    """Some words side by side, the lines over them, and the roots among them with the level and place of their mark."""

    first: int
    middles: list[float]  # of the words
    width: float
    lines: list[Line]
    levels: int
    roots: list[tuple[int, int, float]]  # word, level, port


@dataclass(frozen=True)
class Words:
    """What the layout must know of a sentence."""

    forms: Sequence[str]
    tags: Sequence[str]
    heads: Sequence[int]  # from 0; −1 is the root, anything below no arc
    labels: Sequence[str]
    glued: frozenset[int] = frozenset()  # words that no row may begin with, inside a multiword token

    def __len__(self) -> int:
        return len(self.forms)


def lay_out(words: Words, width: float | None) -> list[Row]:
    """Rows of at most this width where words allow it; None keeps all in one row."""
    plan = _Plan(words)
    rows: list[Row] = []
    first, n = 0, len(words)
    guess = 8
    while first < n:
        end = n if width is None else plan.end_of_row(first, width, guess)
        rows.append(plan.row(first, end))
        first, guess = end, end - first
    return rows


def text_width(text: str, size: float) -> float:
    """About how wide a sans-serif font sets the text; rather too much than too little.

    >>> text_width("ill", 10) < text_width("win", 10) < text_width("木本木", 10)
    True
    """
    return size * sum(map(_em, text))


@lru_cache(maxsize=4096)
def _em(c: str) -> float:
    if c in "iljtfrI.,:;'|!()[]{} -/\\`\"":
        return 0.38
    if c in "mwMW@%…—":
        return 0.95
    category = unicodedata.category(c)
    if category in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(c) in "WF":
        return 1.04
    return 0.74 if category == "Lu" else 0.62


class _Plan:
    """The arcs of a sentence, ready to be cut into rows."""

    def __init__(self, words: Words) -> None:
        self.words = words
        n = len(words)
        self.children: list[list[int]] = [[] for _ in range(n)]
        for dependent, head in enumerate(words.heads):
            if 0 <= head < n and head != dependent:
                self.children[head].append(dependent)
        self.half = [
            max(text_width(form, FORM_SIZE), text_width(tag, TAG_SIZE)) / 2
            for form, tag in zip(words.forms, words.tags, strict=True)
        ]
        self.needs = [_need(label) for label in words.labels]
        trunks = [(children[0], head, head) for head, children in enumerate(self.children) if children]
        trunks += [(head, children[-1], head) for head, children in enumerate(self.children) if children]
        trunks.sort(key=lambda trunk: (trunk[1] - trunk[0], trunk[0], trunk[2]))
        low, high, self._trunk_heads = np.array(trunks or np.zeros((0, 3)), dtype=np.int64).T
        self._low, self._high = low, high

    def end_of_row(self, first: int, width: float, guess: int) -> int:
        """Where the row that begins with this word ends: as late as the width allows, and after one word at least.

        The search begins with a row of ``guess`` words, as many as the row before had.
        """
        n = len(self.words)

        def fits(end: int) -> bool:
            return self._places(first, end, passing=False)[2] <= width

        end = min(first + guess, n)
        if fits(end):
            while end < n and fits(end + 1):
                end += 1
        else:
            end -= 1
            while end > first + 1 and not fits(end):
                end -= 1
        end = max(end, first + 1)
        whole = end
        while first < whole < n and whole in self.words.glued:  # a multiword token that does not fit moves down whole
            whole -= 1
        return whole if whole > first else end

    def _lines(self, first: int, end: int, passing: bool) -> list[Line]:
        """The lines of a row, shortest first, without places: its arcs, and trunks for arcs that leave it.

        passing: with the lines that meet no word of the row; they take no place in it.
        """
        n = len(self.words)
        found: list[tuple[int, int, int, Line]] = []  # with what they are sorted by

        def add(head: int, low: int, high: int, drops: Sequence[int], listed: Sequence[int]) -> None:
            line = Line(head, low < head, open_left=low < first, open_right=high >= end, dependents=tuple(listed))
            line.drops = [(d, 0.0) for d in drops]
            found.append((high - low, low, head, line))

        met = {h for i in range(first, end) for h in (i, self.words.heads[i]) if 0 <= h < n}
        others: list[int] = []
        if passing:
            found_heads = self._trunk_heads[(self._low < first) & (self._high >= end)].tolist()
            others = [head for head in found_heads if head not in met]  # the shortest first
        for head in chain(met, others[:PASSING]):
            children = self.children[head]
            if not children:
                continue
            a, b = bisect_left(children, first), bisect_left(children, end)
            inside = children[a:b]
            if first <= head < end:
                for d in inside:
                    add(head, min(head, d), max(head, d), (d,), (d,))
                if a > 0:
                    add(head, children[0], head, (), children[max(0, a - LISTED) : a])
                if b < len(children):
                    add(head, head, children[-1], (), children[b : b + LISTED])
            elif head >= end:
                add(head, children[0], head, inside, inside or children[max(0, a - LISTED) : a])
            else:
                add(head, head, children[-1], inside, inside or children[b : b + LISTED])
        lines = [line for *_, line in sorted(found, key=lambda item: item[:3])]
        if len(others) > PASSING:
            lines.append(Line(NO_HEAD, False, open_left=True, open_right=True, bundled=len(others) - PASSING))
        return lines

    def _places(
        self, first: int, end: int, passing: bool = True
    ) -> tuple[list[Line], list[float], float, dict[int, float]]:
        """The lines with their ports, the middles of the words, the width of the row, and the ports of roots."""
        lines = self._lines(first, end, passing)
        offsets, spread, root_offsets = self._ports(lines, first, end)
        needed: list[list[tuple[int, float]]] = [[] for _ in range(end - first)]  # (word or −1 for the edge, distance)
        for number, line in enumerate(lines):
            for before, after, need in self._needed(line, first, end):
                if after < end:
                    extra = offsets.get((number, before), 0.0) - offsets.get((number, after), 0.0)
                    needed[after - first].append((before, need + extra))
        middles: list[float] = []
        for i in range(first, end):
            half = max(self.half[i], spread[i - first] / 2)
            x = MARGIN + half
            if middles:
                x = middles[-1] + max(self.half[i - 1], spread[i - 1 - first] / 2) + GAP + half
            for before, distance in needed[i - first]:
                x = max(x, distance if before < first else middles[before - first] + distance)
            middles.append(x)
        width = middles[-1] + max(self.half[end - 1], spread[-1] / 2) + MARGIN
        for number, line in enumerate(lines):
            ends = []
            if first <= line.head < end:
                line.head_port = middles[line.head - first] + offsets[number, line.head]
                ends.append(line.head_port)
            line.drops = [(d, middles[d - first] + offsets[number, d]) for d, _ in line.drops]
            ends += [x for _, x in line.drops]
            line.left = 0.0 if line.open_left else min(ends)
            line.right = max(ends, default=0.0)
            for before, after, need in self._needed(line, first, end):
                if after >= end:
                    width = max(width, middles[before - first] + offsets[number, before] + need)
        for line in lines:
            if line.open_right:
                line.right = width
        return lines, middles, width, {word: middles[word - first] + off for word, off in root_offsets.items()}

    def _ports(
        self, lines: list[Line], first: int, end: int
    ) -> tuple[dict[tuple[int, int], float], list[float], dict[int, float]]:
        """How far from a word's middle each line meets it, how much room the ports of a word take, and roots' ports."""
        sides: list[tuple[list[int], list[int]]] = [([], []) for _ in range(first, end)]  # lines, shortest first
        for number, line in enumerate(lines):
            if first <= line.head < end:
                sides[line.head - first][0 if line.leftward else 1].append(number)
            for dependent, _ in line.drops:
                sides[dependent - first][1 if line.leftward else 0].append(number)
        offsets: dict[tuple[int, int], float] = {}
        root_offsets: dict[int, float] = {}
        spread: list[float] = []
        for word, (left, right) in enumerate(sides, first):
            root = [-1] if self.words.heads[word] == -1 else []
            order = [*left, *root, *reversed(right)]
            for place, number in enumerate(order):
                offset = (place - (len(order) - 1) / 2) * PORT
                if number < 0:
                    root_offsets[word] = offset
                else:
                    offsets[number, word] = offset
            spread.append((len(order) - 1) * PORT + 4 if order else 0.0)
        return offsets, spread, root_offsets

    def _needed(self, line: Line, first: int, end: int) -> Iterable[tuple[int, int, float]]:
        """The stretches of a line that carry a label: (from, to, length); ``first − 1`` and ``end`` are the edges."""
        inside = first <= line.head < end
        drops = [d for d, _ in line.drops]
        if line.bundled:
            return
        if inside and not drops:
            need = _need(self._trunk_label(line)) + MARGIN
            yield (line.head, end, need) if line.open_right else (first - 1, line.head, need)
        elif inside:
            (dependent,) = drops
            yield min(line.head, dependent), max(line.head, dependent), self.needs[dependent]
        elif line.head < first:  # comes from the left; each label stands before its dependent
            for before, dependent in zip([first - 1, *drops], drops, strict=False):
                yield before, dependent, self.needs[dependent] + (MARGIN if before < first else 0.0)
        else:
            for dependent, after in zip(drops, [*drops[1:], end], strict=False):
                yield dependent, after, self.needs[dependent] + (MARGIN if after >= end else 0.0)

    def _trunk_label(self, line: Line) -> str:
        labels = list(dict.fromkeys(self.words.labels[d] for d in line.dependents))
        return ", ".join(labels[:2]) + (" …" if len(labels) > 2 else "")

    def row(self, first: int, end: int) -> Row:
        """The row of these words, with all lines at their level."""
        lines, middles, width, root_ports = self._places(first, end)
        height = [0] * (end - first + 1)  # highest level over each gap between words, edges included
        for line in lines:
            endpoints = [d for d, _ in line.drops] + ([line.head] if line.head_port is not None else [])
            a = 0 if line.open_left else min(endpoints) - first + 1
            b = len(height) if line.open_right else max(endpoints) - first + 1
            line.level = 1 + max(height[a:b])
            height[a:b] = [line.level] * (b - a)
        roots = [
            (word, 1 + max(height[word - first], height[word - first + 1]), port) for word, port in root_ports.items()
        ]
        self._mark(lines, roots, first, end, width)
        levels = max([line.level for line in lines] + [level for _, level, _ in roots], default=0)
        return Row(first, middles, width, lines, levels, roots)

    def _mark(self, lines: list[Line], roots: list[tuple[int, int, float]], first: int, end: int, width: float) -> None:
        """Put the labels on their stretches, beside the verticals that cross them."""
        verticals = sorted(
            [(x, line.level) for line in lines for _, x in line.drops]
            + [(line.head_port, line.level) for line in lines if line.head_port is not None]
            + [(x, level) for _, level, x in roots]
        )
        levels = max((level for _, level in verticals), default=0)
        for line in lines:
            if line.bundled:
                text = f"+{line.bundled}"
                line.marks.append(Mark(text, width / 2, text_width(text, LABEL_SIZE), ()))
                continue
            ports = dict(line.drops)
            if line.head_port is not None:
                ports[line.head] = line.head_port
            for before, after, need in self._needed(line, first, end):
                a = MARGIN if before < first else ports[before]
                b = width - MARGIN if after >= end else ports[after]
                room = need - 2 * CORNER - (0.0 if before >= first and after < end else MARGIN)
                inside = first <= line.head < end
                if inside and not line.drops:
                    text, about = self._trunk_label(line), line.dependents
                else:
                    word = after if line.head < first or (inside and after != line.head) else before
                    text, about = self.words.labels[word], (word,)
                if text:
                    between = verticals[bisect_right(verticals, (a, levels)) : bisect_left(verticals, (b, 0))]
                    crossing = [x for x, level in between if level > line.level]
                    line.marks.append(_free_place(text, about, room, a, b, crossing))


def _need(label: str) -> float:
    """The length of line that a label asks for."""
    return text_width(label, LABEL_SIZE) + 2 * (LABEL_PAD + CORNER) if label else 2 * CORNER + 4


def _free_place(text: str, words: tuple[int, ...], room: float, a: float, b: float, crossing: Sequence[float]) -> Mark:
    """The label at the middle of a stretch, or as near to it as the verticals that cross the stretch leave room."""
    middle = (a + b) / 2
    best = middle
    if crossing:
        edges = [a, *crossing, b]
        places = [
            min(max(middle, low + room / 2), high - room / 2) for low, high in pairwise(edges) if high - low >= room
        ]
        best = min(places, key=lambda x: (abs(x - middle), x), default=middle)
    return Mark(text, best, room - 2 * LABEL_PAD, words)
