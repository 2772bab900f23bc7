"""Display of text: its width in terminal cells, its direction, and safe replacements for invisible characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from html import escape

JOINER = "\u200d"  # glues emoji into one picture
EMOJI_STYLE = "\ufe0f"  # asks for the wide, coloured form of the character before it
SKIN_TONES = range(0x1F3FB, 0x1F400)
JAMO_TAILS = range(0x1160, 0x1200)  # medial and final jamo stand inside the syllable that precedes them
BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def cell_width(text: str) -> int:
    """Cells on a terminal: wide East Asian characters and emoji take two, combining and invisible characters none.

    >>> cell_width("tree"), cell_width("树"), cell_width("e\\u0301"), cell_width("👩\\u200d🔬")
    (4, 2, 1, 2)
    """
    if text.isascii():
        return len(text)
    return sum(_cells(text))


def _cells(text: str) -> list[int]:
    """The cells that each character adds."""
    cells: list[int] = []
    previous = ""
    for c in text:
        if previous == JOINER or (ord(c) in SKIN_TONES and previous):
            cells.append(0)
        elif c == EMOJI_STYLE:
            cells.append(1 if previous and _character_width(previous) == 1 else 0)
        else:
            cells.append(_character_width(c))
        previous = c
    return cells


@lru_cache(maxsize=4096)
def _character_width(c: str) -> int:
    if unicodedata.category(c) in ("Mn", "Me", "Cf", "Cc") or ord(c) in JAMO_TAILS:
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def fit(text: str, width: int) -> str:
    """The text, cut with an ellipsis where it takes more cells than ``width``; a character is never cut in two.

    >>> fit("constitution", 8), fit("中华人民共和国", 7), fit("tree", 4)
    ('constit…', '中华人…', 'tree')
    """
    if cell_width(text) <= width:
        return text
    if width < 1:
        return ""
    used, end = 0, 0
    for end, cells in enumerate(_cells(text)):  # noqa: B007 (the place of the cut)
        if used + cells > width - 1:
            break
        used += cells
    return text[:end] + "…"


def visible(text: str) -> str:
    """The text with control characters shown as symbols, and characters not allowed in XML or a terminal replaced.

    A word of invisible characters alone is named by its code points, so that it can be seen.

    >>> visible("a\\tb\\x1b[31m"), visible("\\ud800x"), visible("\\u200b")
    ('a␉b␛[31m', '\ufffdx', '⟨U+200B⟩')
    """
    if text.isascii() and text.isprintable():
        return text
    shown = "".join(map(_visible_character, text))
    if shown and not shown.isspace() and cell_width(shown) == 0:
        return "".join(f"⟨U+{ord(c):04X}⟩" for c in text)
    return shown


def markup(text: str) -> str:
    """The same for HTML and SVG.

    >>> markup("a < b\\x00")
    'a &lt; b␀'
    """
    return escape(visible(text))


@lru_cache(maxsize=4096)
def _visible_character(c: str) -> str:
    code = ord(c)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if c in "\u2028\u2029":
        return "\u2424"
    if c in BIDI_CONTROLS or code & 0xFFFE == 0xFFFE or unicodedata.category(c) in ("Cc", "Cs"):
        return "\ufffd"
    return c


def is_right_to_left(texts: Iterable[str]) -> bool:
    """Whether most letters belong to a script that is written from right to left; none is no.

    >>> is_right_to_left(["שלום", "!"]), is_right_to_left(["Hi", "!"])
    (True, False)
    """
    right = left = 0
    for text in texts:
        if not text.isascii():
            kinds = [unicodedata.bidirectional(c) for c in text]
            right += sum(kind in ("R", "AL") for kind in kinds)
            left += kinds.count("L")
        else:
            left += sum(map(str.isalpha, text))
    return right > left
