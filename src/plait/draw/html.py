"""A document as one self-contained HTML page, and its display in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plait.data.document import Document, Sentence
from plait.draw.display import is_right_to_left, markup
from plait.draw.page import FOOT, page_head
from plait.draw.svg import sentence_svg

NOTEBOOK_LIMIT = 20  # sentences that a notebook shows of a document


def html_pieces(sentences: Iterable[Sentence], title: str = "plait") -> Iterator[str]:
    """The page in pieces, so that a long document can be written as a stream.

    >>> pieces = list(html_pieces([Sentence(["Hi"])], title="a < b"))
    >>> "<title>a &lt; b</title>" in pieces[0], pieces[-1].endswith("</html>\\n")
    (True, True)
    """
    head = page_head(title, language="und")
    for number, sentence in enumerate(sentences, 1):
        yield head + _section(sentence, number)  # the head with the first sentence, which may turn out to be an error
        head = ""
    yield head + FOOT


def html_page(document: Document) -> str:
    """The whole page of a document."""
    return "".join(html_pieces(document, document.name or "plait"))


def _section(sentence: Sentence, number: int) -> str:
    name = f"<small>{markup(sentence.sent_id or str(number))}</small>"
    direction = ' dir="rtl"' if is_right_to_left(sentence.forms) else ""
    text = f"<p{direction}>{markup(sentence.text)}</p>"
    drawing = f'<div class="scroll"{direction}>{sentence_svg(sentence)}</div>'
    return f"<section>\n{name}\n{text}\n{drawing}\n</section>\n"


def sentence_html(sentence: Sentence) -> str:
    """What a notebook shows of a sentence: its drawing, which scrolls where it is wider than the page."""
    return f'<div style="overflow-x:auto">{sentence_svg(sentence)}</div>'


def document_html(document: Document) -> str:
    """What a notebook shows of a document: its first sentences, and how many more there are."""
    shown = "".join(map(sentence_html, document[:NOTEBOOK_LIMIT]))
    rest = len(document) - NOTEBOOK_LIMIT
    return f"<div>{shown}" + (f"<p>… and {rest:,} more sentences</p>" if rest > 0 else "") + "</div>"
