"""A document as one HTML page, and as what a notebook shows; nothing is fetched from outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from plait.data.display import is_right_to_left, visible
from plait.data.document import Document, Sentence
from plait.draw.svg import sentence_svg

NOTEBOOK_LIMIT = 20  # sentences that a notebook shows of a document

HEAD = """<!DOCTYPE html>
<html lang="und">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif;
       margin: 2rem auto; max-width: 64rem; padding: 0 1rem }}
section {{ border-top: 1px solid #8886; padding: 1rem 0 }}
section > div {{ overflow-x: auto }}
p {{ margin: 0 0 .75rem }}
small {{ opacity: .65; font-family: ui-monospace, monospace }}
@media print {{ section {{ break-inside: avoid }} }}
</style>
</head>
<body>
<main>
"""
FOOT = "</main>\n</body>\n</html>\n"


def html_pieces(sentences: Iterable[Sentence], title: str = "plait") -> Iterator[str]:
    """The page piece by piece, so that a long document is written as it comes.

    >>> pieces = list(html_pieces([Sentence(["Hi"])], title="a < b"))
    >>> "<title>a &lt; b</title>" in pieces[0], pieces[-1].endswith("</html>\\n")
    (True, True)
    """
    yield HEAD.format(title=escape(visible(title)))
    for number, sentence in enumerate(sentences, 1):
        yield _section(sentence, number)
    yield FOOT


def html_page(document: Document) -> str:
    """The whole page of a document."""
    return "".join(html_pieces(document, document.name or "plait"))


def _section(sentence: Sentence, number: int) -> str:
    name = f"<small>{escape(visible(sentence.sent_id or str(number)))}</small>"
    direction = ' dir="rtl"' if is_right_to_left(sentence.forms) else ""
    text = f"<p{direction}>{escape(visible(sentence.text))}</p>"
    return f"<section>\n{name}\n{text}\n<div{direction}>{sentence_svg(sentence)}</div>\n</section>\n"


def sentence_html(sentence: Sentence) -> str:
    """What a notebook shows of a sentence: its drawing, which scrolls where it is wider than the page."""
    return f'<div style="overflow-x:auto">{sentence_svg(sentence)}</div>'


def document_html(document: Document) -> str:
    """What a notebook shows of a document: its first sentences, and how many more there are."""
    shown = "".join(map(sentence_html, document[:NOTEBOOK_LIMIT]))
    rest = len(document) - NOTEBOOK_LIMIT
    return f"<div>{shown}" + (f"<p>… and {rest:,} more sentences</p>" if rest > 0 else "") + "</div>"
