"""Methods of documents that are implemented in later packages: drawings, formats, tables.

They are named as strings and imported on first use, so that this package does not depend on them.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TypeVar

T = TypeVar("T")

LATE_BOUND = {
    "sentence_conllu": "plait.formats.conllu:write_sentence",
    "sentence_from_json": "plait.formats.json_lines:checked_sentence",
    "document_from_json": "plait.formats.json_lines:checked_document",
    "sentence_tree": "plait.draw.text:sentence_tree",
    "sentence_svg": "plait.draw.svg:sentence_svg",
    "sentence_html": "plait.draw.html:sentence_html",
    "document_svg": "plait.draw.svg:document_svg",
    "document_page": "plait.draw.html:html_page",
    "document_html": "plait.draw.html:document_html",
    "to_displacy": "plait.integrations.conversion:to_displacy",
    "to_pandas": "plait.integrations.conversion:to_pandas",
    "to_arrow": "plait.integrations.conversion:to_arrow",
    "to_spacy": "plait.integrations.conversion:to_spacy",
}


def late_bound(name: str, result: type[T]) -> Callable[..., T]:
    """The function behind a name, which returns a ``result``."""
    module, _, function = LATE_BOUND[name].partition(":")
    found: Callable[..., T] = getattr(import_module(module), function)
    return found
