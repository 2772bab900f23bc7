"""Trees to look at: for a terminal, as SVG, as an HTML page, in a notebook."""

from plait.draw.html import document_html, html_page, html_pieces, sentence_html
from plait.draw.svg import document_svg, sentence_svg
from plait.draw.text import TreeStyle, terminal_style, tree_text

__all__ = [
    "TreeStyle",
    "document_html",
    "document_svg",
    "html_page",
    "html_pieces",
    "sentence_html",
    "sentence_svg",
    "terminal_style",
    "tree_text",
]
