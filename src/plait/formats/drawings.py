"""Drawings as formats: ``tree``, ``svg`` and ``html`` are written, never read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from plait.data.document import Sentence

if TYPE_CHECKING:
    from plait.draw.text import TreeStyle


def tree_writer(style: TreeStyle | None = None) -> Callable[[Iterable[Sentence]], Iterator[str]]:
    """A writer of trees in a custom style: width, colours.

    >>> "".join(tree_writer()([Sentence(["Hi"], heads=[0], deprels=["root"])]))
    '── Hi  root\\n\\n'
    """

    def write(sentences: Iterable[Sentence]) -> Iterator[str]:
        from plait.draw.display import visible
        from plait.draw.text import tree_text

        for sentence in sentences:
            name = "" if sentence.sent_id is None else f"# {visible(sentence.sent_id)}\n"
            yield f"{name}{tree_text(sentence, style)}\n"

    return write


def write_svg(sentences: Iterable[Sentence]) -> Iterator[str]:
    """One drawing with all sentences, one below the other; it is held in memory, since its size comes first."""
    from plait.draw.svg import document_svg

    yield document_svg(sentences)


def write_html(sentences: Iterable[Sentence]) -> Iterator[str]:
    """One page with a drawing for each sentence, written as they come."""
    from plait.draw.html import html_pieces

    yield from html_pieces(sentences)
