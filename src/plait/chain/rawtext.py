"""Reconstruction of raw text from treebank sentences, with the positions of the tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from plait.chain.multiword import JOIN
from plait.data.document import Sentence, begins_paragraph
from plait.data.tags import TagColumns
from plait.features._units import is_unspaced_script

MAX_SENTENCES = 20  # of one sequence: paragraphs without an end are cut
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_LINE_END = re.compile(r"[\r\n\u2028\u2029]+")
INVISIBLE = "\ufffd"  # stands for a given word that is empty or nothing but white space


@dataclass
class Passage:
    """A text with its surface tokens; ``types`` joins the tags of a token's words, ``final`` ends a sentence."""

    text: str
    spans: list[tuple[int, int]] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    final: list[bool] = field(default_factory=list)


def has_spaces(sentences: Sequence[Sentence]) -> bool:
    """Whether SpaceAfter is reliable: it is not if it never occurs, in a script without spaces."""
    denied = any("SpaceAfter=No" in misc for s in sentences for _, _, _, misc in s.surface_tokens())
    return denied or not is_unspaced_script("".join(form for s in sentences[:200] for form in s.forms))


def passages(
    sentences: Sequence[Sentence], columns: TagColumns | None, *, running: bool, spaces: bool
) -> Iterator[Passage]:
    """The texts of the sentences: one each, or running text whose paragraphs begin at newdoc and newpar."""
    passage = _Writer(spaces)
    count = 0
    marked = any(map(begins_paragraph, sentences))
    for sentence in sentences:
        if not "".join(sentence.forms).strip():
            continue
        limit = MAX_SENTENCES if marked else 10
        if count and (not running or begins_paragraph(sentence) or count >= limit):
            yield passage.closed()
            passage, count = _Writer(spaces), 0
        count += 1
        passage.write(sentence, columns)
    if count:
        yield passage.closed()


def given_passage(sentence: Sentence, *, spaces: bool) -> Passage:
    """The text of a sentence with given words: every surface token has a span, one without visible characters that of
    a placeholder."""
    passage = _Writer(spaces)
    passage.write(sentence, None, instead=INVISIBLE)
    return passage.closed()


def paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of the paragraphs: the text between blank lines.

    >>> list(paragraphs("a\\nb\\n \\nc\\n\\n"))
    [(0, 3), (6, 7)]
    """
    return _pieces(text, _BLANK_LINE)


def lines(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of the lines that are not empty."""
    return _pieces(text, _LINE_END)


def _pieces(text: str, border: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    at = 0
    for match in [*border.finditer(text), None]:
        end = len(text) if match is None else match.start()
        if text[at:end].strip():
            yield at, end
        at = end if match is None else match.end()


class _Writer:
    """Builds a passage."""

    def __init__(self, spaces: bool) -> None:
        self.spaces = spaces
        self.passage = Passage("")
        self.pieces: list[str] = []
        self.length = 0

    def write(self, sentence: Sentence, columns: TagColumns | None, *, instead: str = "") -> None:
        """Add a sentence; white space at the edges of a word belongs to no word, and a word that has nothing else is
        left out, or written as ``instead``."""
        tags = columns.read(sentence) if columns is not None else None
        for first, last, form, misc in sentence.surface_tokens():
            visible = form.strip() or instead
            words = [""] * (last - first + 1) if tags is None else tags[first - 1 : last]
            if visible:
                self.passage.spans.append((self.length, self.length + len(visible)))
                self.passage.types.append(JOIN.join(words))
                self.passage.final.append(False)
            gap = " " if self.spaces and "SpaceAfter=No" not in misc.split("|") else ""
            self.pieces += [visible, gap]
            self.length += len(visible) + len(gap)
        self.passage.final[-1] = True

    def closed(self) -> Passage:
        """The passage with its text."""
        self.passage.text = "".join(self.pieces)
        return self.passage
