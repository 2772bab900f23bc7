"""The tree for a terminal: one word per line, in sentence order, connected by lines to its head.

::

     ╭─ Mary     PROPN  nsubj
    ─┼─ reads    VERB   root
     │ ╭─ the    DET    det
     │ ├─ red    ADJ    amod
     ├─┴─ book   NOUN   obj
     ╰─ .        PUNCT  punct

Each word with children owns a vertical line: the head is the word whose own line comes in from the left, its children
branch off to the right. Where lines of a non-projective tree cross, the horizontal one passes behind. Subtrees that
are too deep for the width are drawn below, under their word's number.
"""

from __future__ import annotations

import os
from bisect import bisect_left, insort
from collections.abc import Iterator
from dataclasses import dataclass

from plait.data.document import Sentence
from plait.draw.display import cell_width, fit, visible
from plait.draw.structure import NO_PARENT, has_tree, parents, shown_labels, shown_tags

STEP = 2  # cells from a line to its children's lines
WORD = 12  # cells that a word keeps, whatever the tree takes
ROOM = 100  # the width that deep trees are cut to when the output has none of its own
ALIGNED = 120  # cells beyond which a word without limit pushes its tag to the right instead of all others
TAG_LIMIT, LABEL_LIMIT, RANGE_LIMIT = 16, 24, 24

LINES, FORM, TAG, LABEL, MARK = "2", "1", "36", "33", "35"  # codes of colours: dim, bold, cyan, yellow, magenta

# which ends of a cell have a line: up 1, down 2, left 4, right 8
BOXES = dict(enumerate(" ╵╷│╴╯╮┤╶╰╭├─┴┬┼"))
UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8


@dataclass(frozen=True)
class TreeStyle:
    """How a tree is printed: the cells of a line (None: as long as it takes) and whether in colour."""

    width: int | None = None
    color: bool = False

    def paint(self, text: str, code: str) -> str:
        """The text in a colour, where there are colours."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and text.strip() else text


def terminal_style(stream: object) -> TreeStyle:
    """The style for a stream: a terminal's width, and colours unless NO_COLOR is set; plain for files and pipes."""
    try:
        columns = os.get_terminal_size(stream.fileno()).columns  # type: ignore[attr-defined]
        interactive = bool(stream.isatty())  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):
        return TreeStyle()
    if not interactive:
        return TreeStyle()
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return TreeStyle(max(columns, 20) if columns else 80, not plain)


def sentence_tree(sentence: Sentence, width: int | None, color: bool) -> str:
    """The sentence for a line of so many cells, with or without colours."""
    return tree_text(sentence, TreeStyle(width, color))


def tree_text(sentence: Sentence, style: TreeStyle | None = None) -> str:
    """The sentence as a tree of lines; a sentence without heads as a list of words and tags.

    >>> s = Sentence(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> print(tree_text(s), end="")
     ╭─ Dogs  NOUN  nsubj
    ─┴─ bark  VERB  root
    """
    style = style or TreeStyle()
    if not len(sentence):
        return "(no words)\n"
    columns = sentence.forms, shown_tags(sentence), shown_labels(sentence)
    forms, tags, labels = ([visible(x) for x in column] for column in columns)
    if not has_tree(sentence):
        labels = [""] * len(sentence)
    suffixes = _ranges(sentence)
    tag_width = min(max(map(cell_width, tags)), TAG_LIMIT)
    label_width = min(max(map(cell_width, labels)), LABEL_LIMIT)
    range_width = min(max(map(cell_width, suffixes)), RANGE_LIMIT)
    beside = sum(width + 2 for width in (tag_width, label_width, range_width) if width)
    room = None if style.width is None else max(style.width - beside, WORD)
    tree_room = max((ROOM if room is None else room) - WORD, 4 * STEP)

    lines: list[str] = []
    for number, (order, drawn) in enumerate(_blocks(sentence, tree_room)):
        if number:
            lines.append(style.paint(f"▾{order[0].block}", MARK))
        marks = [f" ▾{place.index + 1}" if place.folded else "" for place in order]
        taken = [
            cell_width(row) + cell_width(forms[place.index]) + len(mark)
            for place, row, mark in zip(order, drawn, marks, strict=True)
        ]
        width = min(max(taken), ALIGNED if room is None else room)
        for place, row, mark in zip(order, drawn, marks, strict=True):
            i = place.index
            form = forms[i] if room is None else fit(forms[i], max(width - cell_width(row) - len(mark), 1))
            pad = " " * (width - cell_width(row) - cell_width(form) - len(mark))
            line = style.paint(row, LINES) + style.paint(form, FORM) + style.paint(mark, MARK) + pad
            for text, limit, code in ((tags[i], tag_width, TAG), (labels[i], label_width, LABEL),
                                      (suffixes[i], range_width, LINES)):  # fmt: skip
                if limit:
                    text = fit(text, limit)
                    line += "  " + style.paint(text, code) + " " * (limit - cell_width(text))
            lines.append(line.rstrip())
    return "\n".join(lines) + "\n"


def _ranges(sentence: Sentence) -> list[str]:
    """Multiword tokens as brackets at the right of their words, the surface form at the first."""
    marks = [""] * len(sentence)
    for start, end, form, _ in sentence.ranges:
        for i in range(max(start, 1), min(end, len(marks)) + 1):
            bracket = "┐" if i == start else "┘" if i == end else "│"
            marks[i - 1] = f"{bracket} {visible(form)}" if i == start else bracket
    return marks


@dataclass
class _Place:
    """The position of a word in its block."""

    index: int
    block: int  # the word (from 1) that is the block's root; 0 in the first block
    folded: bool = False  # its children are drawn in a block of their own


def _blocks(sentence: Sentence, room: int) -> Iterator[tuple[list[_Place], list[str]]]:
    """The tree in pieces that fit the room: the words of each piece in order, and the lines before each word."""
    n = len(sentence)
    if not has_tree(sentence):
        yield [_Place(i, 0) for i in range(n)], [""] * n
        return
    parent = parents(sentence.heads)
    children: list[list[int]] = [[] for _ in range(n)]
    for i, p in enumerate(parent):
        if p != NO_PARENT:
            children[p].append(i)
    waiting: list[int | None] = [None]  # roots of blocks; None is the whole sentence
    for root in waiting:
        tops = [root] if root is not None else [i for i in range(n) if parent[i] == NO_PARENT]
        layout = _Layout(sentence, tops, children, parent, room // STEP)
        yield (
            [_Place(i, 0 if root is None else root + 1, i in layout.folded) for i in layout.order],
            layout.draw(),
        )
        waiting.extend(i for i in layout.order if i in layout.folded)


def _is_taken(stretches: list[tuple[int, int]], first: int, last: int) -> bool:
    """Whether a line from ``first`` to ``last`` would touch one of these stretches, which are in order and apart.

    >>> [_is_taken([(2, 4), (7, 9)], *line) for line in ((5, 6), (4, 5), (6, 7), (0, 20), (8, 8), (10, 11))]
    [False, True, True, True, True, False]
    """
    following = bisect_left(stretches, (first, first))
    overtaken = following < len(stretches) and stretches[following][0] <= last
    return overtaken or (following > 0 and stretches[following - 1][1] >= first)


class _Layout:
    """Columns for the vertical lines of one block, so that no two lines in a column touch."""

    def __init__(
        self, sentence: Sentence, tops: list[int], children: list[list[int]], parent: list[int], columns: int
    ) -> None:
        self.heads, self.parent, self.tops = sentence.heads, parent, set(tops)
        self.column: dict[int, int] = {}  # of the line that a word with children owns, and of a leaf's text
        self.children: dict[int, list[int]] = {}
        self.folded: set[int] = set()
        used: list[list[tuple[int, int]]] = []  # per column: the stretches of rows that have a line already, in order
        queue = list(tops)
        for node in queue:  # parents before children
            above = self.parent[node] if node not in self.tops else NO_PARENT
            column = 0 if above == NO_PARENT else self.column[above] + 1
            below = children[node]
            if below:
                first, last = min(node, below[0]), max(node, below[-1])
                while column < len(used) and _is_taken(used[column], first, last):
                    column += 1
                if column >= columns and node not in self.tops:
                    self.folded.add(node)
                    column = 0 if above == NO_PARENT else self.column[above] + 1
                    below = []
                else:
                    used.extend([] for _ in range(column + 1 - len(used)))
                    insort(used[column], (first, last))
            self.column[node] = column
            self.children[node] = below
            queue.extend(below)
        self.order = sorted(queue)

    def draw(self) -> list[str]:
        """The lines in front of each word."""
        row_of = {node: row for row, node in enumerate(self.order)}
        through: list[list[int]] = [[] for _ in self.order]  # columns whose line passes a row without a branch there
        ends: list[dict[int, int]] = [{} for _ in self.order]  # per row: column to the sides of its cell with lines
        for node in self.order:
            below = self.children[node]
            if below:
                members = sorted([node, *below])
                column = self.column[node]
                rows = [row_of[m] for m in members]
                joints = set(rows)
                for row in range(rows[0], rows[-1] + 1):
                    if row in joints:
                        sides = (UP if row > rows[0] else 0) | (DOWN if row < rows[-1] else 0)
                        ends[row][column] = sides
                    else:
                        through[row].append(column)
        return [self._row(node, ends[row_of[node]], set(through[row_of[node]])) for node in self.order]

    def _row(self, node: int, sides: dict[int, int], through: set[int]) -> str:
        """The cells before one word: the branch from its parent's line, its own line, and the lines that pass."""
        top, parent_line = node in self.tops, len(self.column)
        attached = not top or self.heads[node] == 0 or self.parent[node] != NO_PARENT
        own = self.column[node] if self.children[node] else -1
        if not top:
            parent_line = self.column[self.parent[node]]
        elif own >= 0 or attached:
            parent_line = -1 if attached else own
        last = max(own, -1 if top else parent_line, *through)  # the word begins to the right of every line
        cells = ["─" if top and attached else "·" if top and own >= 0 else " "]
        for column in range(last + 1):
            if column in through:
                cells.append("│")  # drawn whole: a horizontal line passes behind it
            else:
                reached = (LEFT if column > parent_line else 0) | (RIGHT if column >= parent_line else 0)
                cells.append(BOXES[sides.get(column, 0) & (UP | DOWN) | reached])
            cells.append("─" if column >= parent_line else " ")
        if last < 0 and attached:
            cells.append("─")
        elif top and not attached and own < 0:
            cells.append("·")
        return "".join(cells) + " "
